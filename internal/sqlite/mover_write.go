package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/storage"
)

// refuseUnfinished refuses a file that is an unfinished copy: it lacks data, and its jobs
// would run a second time beside those of the source.
func (db *DB) refuseUnfinished(ctx context.Context, conn *sql.Conn) error {
	if db.opt.Move == storage.MoveTo {
		return nil
	}
	var marked int
	if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM meta WHERE name = ?`, storage.UnfinishedCopy).Scan(&marked); err != nil {
		return fmt.Errorf("look for a copy that is not complete: %w", err)
	}
	if marked == 0 {
		return nil
	}
	return fault.New(fault.Conflict, storage.UnfinishedCopy,
		db.opt.Path+" is an unfinished copy of another database. Complete it with the same hermes migrate that began it, or move the file away.")
}

// Mark implements migrate.Target.
func (m *Mover) Mark(ctx context.Context) (mark string, err error) {
	err = m.conn.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = ?`, storage.UnfinishedCopy).Scan(&mark)
	if isNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read how far the copy has come: %w", err)
	}
	return mark, nil
}

// Holds implements migrate.Target. A new file has keys and a range of ids already.
func (m *Mover) Holds(ctx context.Context) (table string, err error) {
	for _, name := range m.names {
		if m.shapes[name].clear != "" {
			continue
		}
		var some bool
		if err := m.conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+storage.Quoted(name)+`)`).Scan(&some); err != nil {
			return "", fmt.Errorf("look into %s: %w", name, err)
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
	order := make([]int, len(s.columns)) // of the values of a row in the statement
	for i, c := range s.columns {
		order[i] = slices.IndexFunc(b.Table.Columns, func(other storage.MovedColumn) bool { return other.Name == c.Name })
	}
	err := m.db.w.submit(ctx, func(t *tx) error {
		if b.First && s.clear != "" {
			if _, err := t.exec(s.clear); err != nil {
				return err
			}
		}
		args := make([]any, len(order))
		for _, row := range b.Rows {
			for i, from := range order {
				args[i] = row[from]
			}
			if _, err := t.exec(s.insert, args...); err != nil {
				return err
			}
		}
		_, err := t.exec(`INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)`, storage.UnfinishedCopy, b.Mark)
		return err
	})
	if isConstraint(err) {
		return fault.Wrap(fault.Conflict, "ids_shared",
			"Two owners have the same message ids in the table "+b.Table.Name+", which a file cannot keep apart. Export the sessions of one of them and delete that owner's data at the source.", err)
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", b.Table.Name, err)
	}
	return nil
}

// SetCounters implements migrate.Target.
func (m *Mover) SetCounters(ctx context.Context, counters map[string]int64) error {
	return m.db.w.submit(ctx, func(t *tx) error {
		for table, n := range counters {
			const begin = `INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
				AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%')`
			if _, err := t.exec(begin, table); err != nil {
				return fmt.Errorf("set a counter: %w", err)
			}
			if _, err := t.exec(`UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?`, n, table); err != nil {
				return fmt.Errorf("set a counter: %w", err)
			}
		}
		return nil
	})
}

// Complete implements migrate.Target.
func (m *Mover) Complete(ctx context.Context) error {
	return m.db.w.submit(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM meta WHERE name = ?`, storage.UnfinishedCopy); err != nil {
			return fmt.Errorf("complete the copy: %w", err)
		}
		return nil
	})
}
