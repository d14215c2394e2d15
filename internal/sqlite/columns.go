package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/storage"
)

// textColumns are the columns of the database that can contain text, by table. The text
// index has separate tables, which are derived from the messages.
func textColumns(ctx context.Context, in querier) (map[string][]string, error) {
	const query = `SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type NOT IN ('INTEGER', 'REAL', 'BLOB') ORDER BY 1, c.cid`
	rows, err := in.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	out := make(map[string][]string)
	for rows.Next() {
		var table, name string
		if err := rows.Scan(&table, &name); err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		if name != "owner_id" && !storage.Foreign(table) {
			out[table] = append(out[table], name)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return out, nil
}

// checkColumns returns the text columns without a rule, and the rules without a column.
func checkColumns(ctx context.Context, in querier) ([]string, error) {
	found, err := textColumns(ctx, in)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for table, names := range found {
		for _, name := range names {
			if storage.Tables()[table].Columns[name].Rule == storage.Unruled {
				wrong = append(wrong, table+"."+name+" has no rule")
			}
		}
	}
	for table, e := range storage.Tables() {
		for name := range e.Columns {
			if !slices.Contains(found[table], name) {
				wrong = append(wrong, table+"."+name+" is no text")
			}
		}
	}
	slices.Sort(wrong)
	return wrong, nil
}
