package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// sweepRows bounds what one query reads, before the connection is released
// for others.
const (
	sweepRows  = 512
	sweepBatch = 200 // rows that one transaction changes
)

// Sweep implements curate.Sweeper.
func (db *DB) Sweep(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (curate.Swept, error) {
	var out curate.Swept
	if err := errNoOwner(o); err != nil {
		return out, err
	}
	err := db.eachTable(ctx, o, storage.Erasing(about), func(s *storage.Sweep) error {
		rows, texts := s.Plan()
		s.Count(&out, rows, texts)
		if dryRun {
			return nil
		}
		return db.erase(ctx, o, s, slices.Concat(rows, texts))
	})
	return out, err
}

// SweepOrders implements curate.Sweeper.
func (db *DB) SweepOrders(ctx context.Context, o owner.Owner, about *mention.Thing) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	columns, err := db.textColumns(ctx)
	if err != nil {
		return err
	}
	s := storage.NewOrders(about, columns[storage.Orders])
	if err := db.sweepTable(ctx, o, s); err != nil {
		return fmt.Errorf("search for orders: %w", err)
	}
	rows, texts := s.Plan()
	return db.erase(ctx, o, s, slices.Concat(rows, texts))
}

// Mentions implements curate.Sweeper.
func (db *DB) Mentions(ctx context.Context, o owner.Owner, about *mention.Thing) ([]curate.Trace, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	var out []curate.Trace
	err := db.eachTable(ctx, o, storage.Sweeping(about), func(s *storage.Sweep) error {
		s.Trace.Hits = s.Hits()
		out = append(out, s.Trace)
		return nil
	})
	return out, err
}

// Texts implements curate.Sweeper.
func (db *DB) Texts(ctx context.Context, o owner.Owner, each func(text string)) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	return db.eachTable(ctx, o, storage.ReadingTexts(each), func(*storage.Sweep) error { return nil })
}

// eachTable sweeps the tables with texts of owners, and calls each for them.
func (db *DB) eachTable(
	ctx context.Context, o owner.Owner, sweep func(name string, texts []string) *storage.Sweep, each func(*storage.Sweep) error,
) error {
	columns, err := db.textColumns(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		s := sweep(name, columns[name])
		if err := db.sweepTable(ctx, o, s); err != nil {
			return fmt.Errorf("search %s: %w", name, err)
		}
		if err := each(s); err != nil {
			return err
		}
	}
	return nil
}

// place is the placeholder of an argument.
func place(n int) string { return "?" + strconv.Itoa(n) }

// sweepTable reads all rows of an owner in a table.
func (db *DB) sweepTable(ctx context.Context, o owner.Owner, s *storage.Sweep) error {
	if len(s.Texts) == 0 {
		return nil
	}
	defer s.End()
	query, behind := s.Pages(place)
	args := []any{o.ID()}
	limit := " LIMIT " + strconv.Itoa(sweepRows)
	for {
		var last []any
		page, err := rowsOf(ctx, db, func(rows *rows) (int, error) {
			key, texts := make([]any, len(s.Table.Key)), make([][]byte, len(s.Texts))
			err := rows.Scan(destinations(key, texts)...)
			if err == nil {
				last = key
				return s.Look(key, texts), nil
			}
			return 0, err
		}, query+limit, args...)
		if err != nil || len(page) < sweepRows {
			return err
		}
		query, args = behind, append([]any{o.ID()}, last...)
	}
}

// destinations are where a row's key and texts are scanned into.
func destinations(key []any, texts [][]byte) []any {
	dest := make([]any, 0, len(key)+len(texts))
	for i := range key {
		dest = append(dest, &key[i])
	}
	for i := range texts {
		dest = append(dest, &texts[i])
	}
	return dest
}

// erase deletes rows and empties columns.
func (db *DB) erase(ctx context.Context, o owner.Owner, s *storage.Sweep, found []storage.Row) error {
	for batch := range slices.Chunk(found, sweepBatch) {
		err := db.w.submit(ctx, o, func(t *tx) error {
			for i := range batch {
				t.eraseRow(o, s, &batch[i])
			}
			return t.flush()
		})
		if err != nil {
			return fmt.Errorf("erase from %s: %w", s.Name, err)
		}
	}
	return nil
}

// eraseRow deletes a row, or empties columns of it. A fact that is deleted makes the pieces
// of its scope old.
func (t *tx) eraseRow(o owner.Owner, s *storage.Sweep, row *storage.Row) {
	if s.Name == "facts" {
		const scope = `(SELECT scope_id FROM facts WHERE owner_id = ?1 AND number = ?2)`
		number := row.Key[2]
		t.send("write a scope", `UPDATE scopes SET version = version + 1, edition = edition + 1, stale = true WHERE owner_id = ?1 AND id = `+scope, o.ID(), number)
		t.unpiece("erase pieces", `UPDATE pieces SET state = 'erased' WHERE owner_id = ?1 AND kind = 'facts' AND scope_id = `+scope, o.ID(), number)
	}
	for _, st := range s.Erase(row, place) {
		t.send("erase a row", st.Query, st.Args(o.ID(), row)...)
	}
}

// textColumns are the columns of this schema that can contain text, by table.
func (db *DB) textColumns(ctx context.Context) (map[string][]string, error) {
	const query = `SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c
		WHERE c.table_schema = current_schema()
		AND c.data_type NOT IN ('bigint', 'double precision', 'boolean', 'bytea', 'tsvector', 'ARRAY', 'timestamp with time zone')
		ORDER BY c.table_name, c.ordinal_position`
	out := make(map[string][]string)
	_, err := rowsOf(ctx, db, func(rows *rows) (table string, err error) {
		var name string
		err = rows.Scan(&table, &name)
		if name != "owner_id" && !storage.Foreign(table) {
			out[table] = append(out[table], name)
		}
		return table, err
	}, query)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return out, nil
}
