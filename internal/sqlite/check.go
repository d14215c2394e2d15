package sqlite

import (
	"context"
	"fmt"
)

// Check looks for damage in the file, and returns what it found. A quick check
// looks at the structure of every page; a deep one also compares indexes with
// their tables, and looks into the text index.
func (db *DB) Check(ctx context.Context, deep bool) ([]string, error) {
	pragma := `PRAGMA quick_check(20)`
	if deep {
		pragma = `PRAGMA integrity_check(20)`
	}
	rows, err := db.read.QueryContext(ctx, pragma)
	if err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, fmt.Errorf("check the database: %w", err)
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("check the database: %w", err)
	}
	return found, nil
}
