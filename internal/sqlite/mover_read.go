package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"

	"github.com/hermes-memory/hermes/internal/storage"
)

// Count implements migrate.Store.
func (m *Mover) Count(ctx context.Context, table string) (n int64, err error) {
	s := m.shapes[table]
	query := `SELECT count(*) FROM ` + s.from
	if s.where != "" {
		query += ` WHERE ` + s.where
	}
	if err := m.conn.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the rows of %s: %w", table, err)
	}
	return n, nil
}

// reading is the statement that reads a table.
func (s *shape) reading(r *storage.Reading) string {
	query := `SELECT ` + strings.Join(s.exprs, ", ") + `, ` + strings.Join(s.place, ", ") + ` FROM ` + s.from
	var conditions []string
	if s.where != "" {
		conditions = append(conditions, s.where)
	}
	if r.After != nil {
		conditions = append(conditions, `(`+strings.Join(s.place, ", ")+`) > (?`+strings.Repeat(", ?", len(s.place)-1)+`)`)
	}
	if conditions != nil {
		query += ` WHERE ` + strings.Join(conditions, ` AND `)
	}
	if r.Ordered {
		query += ` ORDER BY ` + strings.Join(s.place, ", ")
	}
	return query
}

// Rows implements migrate.Store.
func (m *Mover) Rows(ctx context.Context, r storage.Reading) iter.Seq2[storage.MovedRow, error] {
	s := m.shapes[r.Table.Name]
	return func(yield func(storage.MovedRow, error) bool) {
		rows, err := m.conn.QueryContext(ctx, s.reading(&r), r.After...)
		if err == nil {
			defer func() { _ = rows.Close() }()
			err = eachRow(rows, len(s.columns), len(s.place), yield)
		}
		if err != nil {
			yield(storage.MovedRow{}, fmt.Errorf("read %s: %w", r.Table.Name, err))
		}
	}
}

// eachRow yields rows of some values and some parts of a place.
func eachRow(rows *sql.Rows, values, place int, yield func(storage.MovedRow, error) bool) error {
	into := make([]any, values+place)
	for rows.Next() {
		row := make([]any, values+place)
		for i := range into {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if !yield(storage.MovedRow{Values: row[:values:values], Place: row[values:]}, nil) {
			return nil
		}
	}
	return rows.Err()
}

// lineageEnds are the newest messages of all lineages, with the running hashes up to them.
const lineageEnds = `SELECT s.owner_id, s.root_id, m.seq, m.hash FROM sessions s
	JOIN messages m ON m.owner_id = s.owner_id AND m.root_id = s.root_id AND m.seq = s.next_seq - 1
	WHERE s.is_tip ORDER BY s.owner_id, s.root_id`

// Lineages implements migrate.Store.
func (m *Mover) Lineages(ctx context.Context) iter.Seq2[storage.LineageEnd, error] {
	return func(yield func(storage.LineageEnd, error) bool) {
		rows, err := m.conn.QueryContext(ctx, lineageEnds)
		if err != nil {
			yield(storage.LineageEnd{}, fmt.Errorf("read the ends of lineages: %w", err))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var end storage.LineageEnd
			if err = rows.Scan(&end.Owner, &end.Root, &end.Seq, &end.Hash); err != nil {
				break
			}
			if !yield(end, nil) {
				return
			}
		}
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			yield(storage.LineageEnd{}, fmt.Errorf("read the ends of lineages: %w", err))
		}
	}
}

// Counters implements migrate.Store: the numbers that are not used again.
func (m *Mover) Counters(ctx context.Context) (map[string]int64, error) {
	rows, err := m.conn.QueryContext(ctx, `SELECT name, seq FROM sqlite_sequence UNION ALL SELECT 'texts', coalesce(max(id), 0) FROM texts`)
	if err != nil {
		return nil, fmt.Errorf("read counters: %w", err)
	}
	defer func() { _ = rows.Close() }()
	counters := make(map[string]int64)
	for rows.Next() {
		var table string
		var n int64
		if err := rows.Scan(&table, &n); err != nil {
			return nil, fmt.Errorf("read counters: %w", err)
		}
		counters[table] = n
	}
	return counters, rows.Err()
}
