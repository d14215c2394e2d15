package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// sweepBytes is how much text is read before the connection is released for others.
const sweepBytes = 4 << 20

// Sweep implements curate.Sweeper.
func (db *DB) Sweep(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (curate.Swept, error) {
	var out curate.Swept
	if err := errNoOwner(o); err != nil {
		return out, err
	}
	err := db.eachTable(ctx, o, storage.Erasing(about), func(s *storage.Sweep) error {
		rows, texts := s.Plan()
		s.Count(&out, rows, texts)
		if dryRun || len(rows)+len(texts) == 0 {
			return nil
		}
		return db.eraseFound(ctx, o, s, slices.Concat(rows, texts))
	})
	return out, err
}

// SweepOrders implements curate.Sweeper.
func (db *DB) SweepOrders(ctx context.Context, o owner.Owner, about *mention.Thing) error {
	if err := errNoOwner(o); err != nil {
		return err
	}
	columns, err := textColumns(ctx, db.read)
	if err != nil {
		return err
	}
	s := storage.NewOrders(about, columns[storage.Orders])
	if err := db.sweepTable(ctx, o, s); err != nil {
		return err
	}
	rows, texts := s.Plan()
	if len(rows)+len(texts) == 0 {
		return nil
	}
	return db.eraseFound(ctx, o, s, slices.Concat(rows, texts))
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
	columns, err := textColumns(ctx, db.read)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		s := sweep(name, columns[name])
		if err := db.sweepTable(ctx, o, s); err != nil {
			return err
		}
		if err := each(s); err != nil {
			return err
		}
	}
	return nil
}

// place is the placeholder of an argument.
func place(n int) string { return "?" + strconv.Itoa(n) }

// sweepTable reads all rows of the owner.
func (db *DB) sweepTable(ctx context.Context, o owner.Owner, s *storage.Sweep) error {
	if len(s.Texts) == 0 {
		return nil
	}
	defer s.End()
	query, behind := s.Pages(place)
	args := []any{o.ID()}
	for {
		last, err := db.sweepPage(ctx, s, query, args)
		if err != nil {
			return fmt.Errorf("search %s: %w", s.Name, err)
		}
		if last == nil {
			return nil
		}
		query, args = behind, append([]any{o.ID()}, last...)
	}
}

// sweepPage reads rows until sweepBytes are reached, and returns the key of the last row;
// nil at the end of the table.
func (db *DB) sweepPage(ctx context.Context, s *storage.Sweep, query string, args []any) (last []any, err error) {
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	texts := make([][]byte, len(s.Texts))
	for size := 0; rows.Next(); {
		key := make([]any, len(s.Table.Key))
		dest := make([]any, 0, len(key)+len(texts))
		for i := range key {
			dest = append(dest, &key[i])
		}
		for i := range texts {
			dest = append(dest, (*sql.RawBytes)(&texts[i]))
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		size += s.Look(key, texts)
		if size >= sweepBytes {
			return key, nil
		}
	}
	return nil, rows.Err()
}

// sweepBatch is how many rows one transaction changes.
const sweepBatch = 200

// eraseFound deletes rows and empties columns.
func (db *DB) eraseFound(ctx context.Context, o owner.Owner, s *storage.Sweep, found []storage.Row) error {
	defer db.known.empty()
	for batch := range slices.Chunk(found, sweepBatch) {
		err := db.w.submit(ctx, func(t *tx) error {
			t.erases, t.unpieces = true, t.unpieces || s.Name == "facts"
			if s.Name == "chats" {
				t.chatsChanged(o)
			}
			for i := range batch {
				if err := t.eraseRow(o, s, &batch[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("erase from %s: %w", s.Name, err)
		}
	}
	return nil
}

// eraseRow deletes a row, or empties columns of it. A fact that is deleted makes the pieces
// of its scope old.
func (t *tx) eraseRow(o owner.Owner, s *storage.Sweep, row *storage.Row) error {
	if s.Name == "facts" {
		const scope = `(SELECT scope_id FROM facts WHERE owner_id = ?1 AND number = ?2)`
		for _, query := range []string{
			`UPDATE scopes SET version = version + 1, edition = edition + 1, stale = 1 WHERE id = ` + scope,
			`UPDATE pieces SET state = 'erased' WHERE kind = 'facts' AND scope_id = ` + scope,
		} {
			if _, err := t.exec(query, o.ID(), row.Key[2]); err != nil {
				return err
			}
		}
	}
	for _, st := range s.Erase(row, place) {
		if _, err := t.exec(st.Query, st.Args(o.ID(), row)...); err != nil {
			return err
		}
	}
	return nil
}
