package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/storage"
)

// refuseUnfinished refuses a database that is an unfinished copy: it lacks data, and its jobs
// would run a second time beside those of the source.
func (db *DB) refuseUnfinished(ctx context.Context) error {
	if db.opt.Move == storage.MoveTo {
		return nil
	}
	var marked bool
	if err := db.row(ctx, `SELECT EXISTS (SELECT FROM meta WHERE name = ?)`, storage.UnfinishedCopy).Scan(&marked); err != nil {
		return fmt.Errorf("look for a copy that is not complete: %w", err)
	}
	if !marked {
		return nil
	}
	return fault.New(fault.Conflict, storage.UnfinishedCopy,
		"The PostgreSQL database is an unfinished copy of another one. Complete it with the same hermes migrate that began it, or empty the database.")
}

// Mark implements migrate.Target.
func (m *Mover) Mark(ctx context.Context) (mark string, err error) {
	err = m.conn.QueryRow(ctx, `SELECT value FROM meta WHERE name = $1`, storage.UnfinishedCopy).Scan(&mark)
	if isNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read how far the copy has come: %w", judge(err))
	}
	return mark, nil
}

// Holds implements migrate.Target. A new database has keys already.
func (m *Mover) Holds(ctx context.Context) (table string, err error) {
	for _, name := range m.names {
		if m.shapes[name].clear != "" {
			continue
		}
		var some bool
		if err := m.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+storage.Quoted(name)+`)`).Scan(&some); err != nil {
			return "", fmt.Errorf("look into %s: %w", name, judge(err))
		}
		if some {
			return name, nil
		}
	}
	return "", nil
}

// Add implements migrate.Target.
func (m *Mover) Add(ctx context.Context, b *storage.MovedBatch) error {
	s := m.shapes[b.Table.Name]
	const keepMark = `INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	err := pgx.BeginFunc(ctx, m.db.pool, func(t pgx.Tx) error {
		if b.First && s.clear != "" {
			if _, err := t.Exec(ctx, s.clear); err != nil {
				return err
			}
		}
		names, row := s.storing(ctx, m.db, &b.Table)
		if _, err := t.CopyFrom(ctx, pgx.Identifier{b.Table.Name}, names, pgx.CopyFromSlice(len(b.Rows), func(i int) ([]any, error) {
			return row(b.Rows[i])
		})); err != nil {
			return err
		}
		_, err := t.Exec(ctx, keepMark, storage.UnfinishedCopy, b.Mark)
		return err
	})
	if err == nil && b.Table.Name == "meta" {
		err = m.db.readKeys(ctx) // the tags of the text index are made with them
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", b.Table.Name, judge(err))
	}
	return nil
}

// storing returns the columns of a table in the order of the rows that move, and what turns
// such a row into the values that are stored.
func (s *shape) storing(ctx context.Context, db *DB, table *storage.MovedTable) (names []string, row func([]any) ([]any, error)) {
	types := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		names = append(names, c.Name)
		types[i] = s.types[s.at(c.Name)]
	}
	x := s.extra
	if x != nil {
		names = append(names, x.names...)
	}
	return names, func(values []any) (out []any, err error) {
		out = make([]any, len(values), len(names))
		for i, v := range values {
			if out[i], err = storedValue(types[i], v); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", table.Name, names[i], err)
			}
		}
		if x == nil {
			return out, nil
		}
		more, err := x.of(ctx, db, func(name string) any { return values[slices.Index(names, name)] })
		return append(out, more...), err
	}
}

// storedValue is a value that moves as a column of a type stores it.
func storedValue(kind string, v any) (any, error) {
	switch v := v.(type) {
	case int64:
		if kind == "bool" {
			return v != 0, nil
		}
	case string:
		if kind != "_int8" {
			return storable(v), nil
		}
		var list []int64
		if err := json.Unmarshal([]byte(v), &list); err != nil {
			return nil, fmt.Errorf("read a list of numbers: %w", err)
		}
		return list, nil
	}
	return v, nil
}

// extra are columns of a table that are made from those that move.
type extra struct {
	names []string
	of    func(ctx context.Context, db *DB, value func(name string) any) ([]any, error)
}

func rangeExtra() *extra {
	return &extra{names: []string{"reserved_at", "gaps"}, of: func(context.Context, *DB, func(string) any) ([]any, error) {
		return []any{time.Now(), []int64{}}, nil
	}}
}

func pieceExtra() *extra {
	return &extra{names: []string{"grown_at"}, of: func(context.Context, *DB, func(string) any) ([]any, error) {
		return []any{time.Now()}, nil
	}}
}

// messageExtra are the text index of a message, and the sizes in its receipt.
func messageExtra() *extra {
	return &extra{names: []string{"figures", "terms"}, of: func(ctx context.Context, db *DB, value func(string) any) ([]any, error) {
		id, _ := value("owner_id").(string)
		content, _ := value("content").(string)
		receipt, _ := value("receipt").(string) // "" for none
		terms, err := db.termsOf(ctx, owner.Stored(id), content)
		if err != nil {
			return nil, err
		}
		index := pgtype.TSVector{Lexemes: make([]pgtype.TSVectorLexeme, len(terms)), Valid: true}
		for i, term := range terms {
			index.Lexemes[i].Word = storable(term)
		}
		return []any{figuresOf([]byte(receipt)), index}, nil
	}}
}

// SetCounters implements migrate.Target.
func (m *Mover) SetCounters(ctx context.Context, counters map[string]int64) error {
	for table, n := range counters {
		s := m.shapes[table]
		if s == nil || s.counter == "" || n == 0 {
			continue
		}
		const set = `SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3)`
		if _, err := m.db.pool.Exec(ctx, set, table, s.counter, n); err != nil {
			return fmt.Errorf("set the counter of %s: %w", table, judge(err))
		}
	}
	return nil
}

// Complete implements migrate.Target. The planner of the database learns what the tables
// hold.
func (m *Mover) Complete(ctx context.Context) error {
	for _, statement := range []string{`ANALYZE ` + strings.Join(m.names, ", "), `DELETE FROM meta WHERE name = '` + storage.UnfinishedCopy + `'`} {
		if _, err := m.db.pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("complete the copy: %w", judge(err))
		}
	}
	return nil
}
