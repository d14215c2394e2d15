package storage

// importsTable is the table of conversations of other programs. An id of such a program may
// be a person's name; its row goes, and the session that is called by the id goes, too.
func importsTable() Table {
	return Table{
		Key:  []string{"system", "foreign_id"},
		Drop: []Deletion{{Table: "imports", By: []string{"system", "foreign_id"}}},
		Columns: map[string]Column{
			"system": {Rule: WholeRow, Form: Program}, "foreign_id": {Rule: WholeRow, Form: OtherID}, "root_id": {Rule: WholeRow},
		},
	}
}
