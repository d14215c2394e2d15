package storage

// providerTables are the tables of external memory providers. A name is made from a session
// key or an id, so it may name a thing. It stays until the provider has confirmed that the
// place is gone, because the place could not be named otherwise; until then the certificate
// counts it.
func providerTables() map[string]Table {
	ours := Column{Rule: Ours}
	return map[string]Table{
		"provider_names": {
			Key: []string{"provider", "name"},
			Drop: []Deletion{{Table: "provider_names", By: []string{"provider", "name"}, Keys: 2, And: `NOT EXISTS (SELECT 1 FROM provider_debts d
				WHERE d.owner_id = provider_names.owner_id AND d.provider = provider_names.provider AND (d.name = provider_names.name OR provider_names.source LIKE 's:' || d.name || ':%'))`}},
			Columns: map[string]Column{"provider": ours, "name": {Rule: WholeRow, Form: Spot}, "source": {Rule: WholeRow, Form: Spot}},
		},
		"provider_lineages": { // goes with the lineage
			Key: []string{"root_id", "provider"}, Columns: map[string]Column{"provider": ours, "root_id": {Rule: WholeLineage}},
		},
		"provider_marks": { // likewise
			Key:     []string{"root_id", "provider", "source"},
			Columns: map[string]Column{"provider": ours, "root_id": {Rule: WholeLineage}, "source": {Rule: WholeLineage, Form: Spot}},
		},
		"provider_skips": {
			Key: []string{"root_id", "from_seq"}, Columns: map[string]Column{"root_id": {Rule: WholeLineage}},
		},
		"provider_debts": { // goes when the provider has confirmed
			Key:     []string{"provider", "name", "message_id"},
			Columns: map[string]Column{"provider": ours, "name": {Rule: Rewritten, Form: Spot}, "error": {Rule: Emptied}},
		},
	}
}
