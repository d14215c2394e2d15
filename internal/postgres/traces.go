package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/storage"
)

// Clean implements curate.Sweeper. The text index is part of the rows, so only pieces are
// left to delete. Dead rows stay in the tables until they are vacuumed.
func (db *DB) Clean(ctx context.Context) error {
	if err := db.pieces.erase(ctx); err != nil {
		return fmt.Errorf("erase pieces: %w", err)
	}
	return nil
}

// Traces implements curate.Sweeper. It searches every value of every table, as it is stored,
// of all owners. The server's own files are out of reach.
func (db *DB) Traces(ctx context.Context, about *mention.Thing) ([]curate.Trace, error) {
	columns, err := db.storedColumns(ctx)
	if err != nil {
		return nil, err
	}
	platforms, err := rowsOf(ctx, db, func(rows *rows) (name string, err error) {
		return name, rows.Scan(&name)
	}, storage.Platforms)
	if err != nil {
		return nil, fmt.Errorf("list platforms: %w", err)
	}
	names, err := rowsOf(ctx, db, func(rows *rows) (name string, err error) {
		return name, rows.Scan(&name)
	}, storage.Names())
	if err != nil {
		return nil, fmt.Errorf("list ids: %w", err)
	}
	var unnamed []string
	for _, name := range names {
		unnamed = storage.Unnamed(about, unnamed, name)
	}
	format := about.FormatOf(mention.OwnWords+" "+strings.Join(platforms, " ")).WithNames(about, unnamed)
	var out []curate.Trace
	for _, c := range columns {
		trace, err := db.traceTable(ctx, about, &c, format)
		if err != nil {
			return nil, fmt.Errorf("search %s: %w", c.table, err)
		}
		out = append(out, trace)
	}
	return out, nil
}

// storedTable is a table with its columns of texts and bytes.
type storedTable struct {
	table   string
	columns []string // as SQL
}

// storedColumns are the columns of this schema that hold texts or bytes, by table. Words of
// the text index stand in the messages, too.
func (db *DB) storedColumns(ctx context.Context) ([]storedTable, error) {
	const query = `SELECT quote_ident(c.table_name), array_agg(CASE c.data_type WHEN 'bytea' THEN quote_ident(c.column_name) ELSE quote_ident(c.column_name) || '::text' END ORDER BY c.ordinal_position) FROM information_schema.columns c
		WHERE c.table_schema = current_schema() AND c.data_type IN ('text', 'character varying', 'bytea', 'tsvector', 'json', 'jsonb') GROUP BY 1 ORDER BY 1`
	return rowsOf(ctx, db, func(rows *rows) (t storedTable, err error) {
		err = rows.Scan(&t.table, &t.columns)
		return t, err
	}, query)
}

// traceTable searches a table row by row, so that a value is in memory once.
func (db *DB) traceTable(ctx context.Context, about *mention.Thing, t *storedTable, format mention.Format) (curate.Trace, error) {
	trace := curate.Trace{File: "table " + t.table}
	rows, err := db.query(ctx, `SELECT `+strings.Join(t.columns, ", ")+` FROM `+t.table)
	if err != nil {
		return trace, err
	}
	defer rows.Close()
	values := make([][]byte, len(t.columns))
	for rows.Next() {
		if err := rows.Scan(destinations(nil, values)...); err != nil {
			return trace, err
		}
		for _, value := range values {
			c := about.Count(value, format)
			trace.Bytes += c.Bytes
			trace.Hits += c.Hits
			trace.Format += c.Own
		}
	}
	return trace, rows.Err()
}

// Repack implements curate.Sweeper. It removes the dead rows of the tables, and with them
// the last bytes of what was erased. Rows that a running transaction may still see stay.
func (db *DB) Repack(ctx context.Context) error {
	columns, err := db.storedColumns(ctx)
	if err != nil {
		return err
	}
	for _, t := range columns {
		if _, err := db.pool.Exec(ctx, `VACUUM `+t.table); err != nil {
			return fault.Wrap(fault.Unavailable, "vacuum_failed",
				"What was erased is gone from the tables, but its bytes stay in their files until they are vacuumed. Run VACUUM on the tables of hermes as their owner.", judge(err))
		}
	}
	return nil
}
