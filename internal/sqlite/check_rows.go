package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/storage"
)

// CheckRows looks for damaged rows: a time that cannot be written, a number out of
// range, invalid JSON. Readers get the nearest valid value, or none; CheckRows reports
// where the damage is. It finds columns by name, so that it also checks new tables.
func (db *DB) CheckRows(ctx context.Context) ([]string, error) {
	columns, err := db.checkedColumns(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, table := range columns {
		some, err := db.checkTable(ctx, &table)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// checkedTable is a table with the columns to check.
type checkedTable struct {
	name    string
	columns []storage.Check
}

// checkedColumns lists the columns to check, from the schema of the file.
func (db *DB) checkedColumns(ctx context.Context) ([]checkedTable, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT m.name, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'messages_fts%' ORDER BY m.name, c.cid`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []checkedTable
	for rows.Next() {
		var table, name, kind string
		if err := rows.Scan(&table, &name, &kind); err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		column, checked := checkOf(name, kind)
		if !checked {
			continue
		}
		if len(out) == 0 || out[len(out)-1].name != table {
			out = append(out, checkedTable{name: table})
		}
		last := &out[len(out)-1]
		last.columns = append(last.columns, column)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return out, nil
}

// checkOf is the check of a column, by its name and type.
func checkOf(name, kind string) (storage.Check, bool) {
	switch kind {
	case "INTEGER":
		return storage.CheckNumber(name)
	case "TEXT":
		check := storage.Check{Column: name, Condition: "NOT json_valid(" + storage.Quoted(name) + ")", Says: "a text that is not JSON"}
		return check, storage.IsJSON(name)
	}
	return storage.Check{}, false
}

// checkTable counts the damaged values of one table by column.
func (db *DB) checkTable(ctx context.Context, t *checkedTable) ([]string, error) {
	var query strings.Builder
	query.WriteString(`SELECT `)
	counts, into := make([]sql.NullInt64, len(t.columns)), make([]any, len(t.columns))
	for i, c := range t.columns {
		if i > 0 {
			query.WriteString(`, `)
		}
		query.WriteString(`sum(` + c.Condition + `)`)
		into[i] = &counts[i]
	}
	query.WriteString(` FROM ` + storage.Quoted(t.name))
	if err := db.read.QueryRowContext(ctx, query.String()).Scan(into...); err != nil {
		return nil, fmt.Errorf("look for damaged rows of %s: %w", t.name, err)
	}
	var found []string
	for i, c := range t.columns {
		if n := counts[i].Int64; n > 0 {
			found = append(found, c.Found(n, t.name))
		}
	}
	return found, nil
}
