package postgres

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/storage"
)

// Count implements migrate.Store.
func (m *Mover) Count(ctx context.Context, table string) (n int64, err error) {
	query := `SELECT count(*) FROM ` + storage.Quoted(table)
	if where := m.shapes[table].where; where != "" {
		query += ` WHERE ` + where
	}
	if err := m.conn.QueryRow(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the rows of %s: %w", table, judge(err))
	}
	return n, nil
}

// reading is the statement that reads a table.
func (s *shape) reading(r *storage.Reading) string {
	place := strings.Join(s.place, ", ")
	query := `SELECT ` + strings.Join(s.exprs, ", ") + `, ` + place + ` FROM ` + storage.Quoted(r.Table.Name)
	var conditions []string
	if s.where != "" {
		conditions = append(conditions, s.where)
	}
	if r.After != nil {
		marks := make([]string, len(s.place))
		for i := range marks {
			marks[i] = "$" + strconv.Itoa(i+1)
		}
		conditions = append(conditions, `(`+place+`) > (`+strings.Join(marks, ", ")+`)`)
	}
	if conditions != nil {
		query += ` WHERE ` + strings.Join(conditions, ` AND `)
	}
	if r.Ordered {
		query += ` ORDER BY ` + place
	}
	return query
}

// Rows implements migrate.Store. A place has texts in their stored form.
func (m *Mover) Rows(ctx context.Context, r storage.Reading) iter.Seq2[storage.MovedRow, error] {
	s := m.shapes[r.Table.Name]
	return func(yield func(storage.MovedRow, error) bool) {
		rows, err := m.conn.Query(ctx, s.reading(&r), r.After...)
		if err != nil {
			yield(storage.MovedRow{}, fmt.Errorf("read %s: %w", r.Table.Name, judge(err)))
			return
		}
		defer rows.Close()
		n := len(s.columns)
		for rows.Next() {
			all, err := rows.Values()
			if err != nil {
				yield(storage.MovedRow{}, fmt.Errorf("read %s: %w", r.Table.Name, err))
				return
			}
			row := storage.MovedRow{Values: all[:n:n], Place: all[n:]}
			for i, v := range row.Values {
				if text, ok := v.(string); ok {
					row.Values[i] = original(text)
				}
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(storage.MovedRow{}, fmt.Errorf("read %s: %w", r.Table.Name, judge(err)))
		}
	}
}

// Lineages implements migrate.Store.
func (m *Mover) Lineages(ctx context.Context) iter.Seq2[storage.LineageEnd, error] {
	const query = `SELECT s.owner_id, s.root_id, m.seq, m.hash FROM sessions s
		JOIN messages m ON m.owner_id = s.owner_id AND m.root_id = s.root_id AND m.seq = s.next_seq - 1 WHERE s.is_tip`
	return func(yield func(storage.LineageEnd, error) bool) {
		got, err := m.conn.Query(ctx, query)
		if err != nil {
			yield(storage.LineageEnd{}, fmt.Errorf("read the ends of lineages: %w", judge(err)))
			return
		}
		defer got.Close()
		for got.Next() {
			var end storage.LineageEnd
			if err := (&rows{got}).Scan(&end.Owner, &end.Root, &end.Seq, &end.Hash); err != nil {
				yield(storage.LineageEnd{}, fmt.Errorf("read the ends of lineages: %w", err))
				return
			}
			if !yield(end, nil) {
				return
			}
		}
		if err := got.Err(); err != nil {
			yield(storage.LineageEnd{}, fmt.Errorf("read the ends of lineages: %w", judge(err)))
		}
	}
}

// Counters implements migrate.Store: the numbers that are not used again.
func (m *Mover) Counters(ctx context.Context) (map[string]int64, error) {
	counters := make(map[string]int64)
	for _, name := range m.names {
		column := m.shapes[name].counter
		if column == "" {
			continue
		}
		query := `SELECT greatest(coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0),
			(SELECT coalesce(max(` + storage.Quoted(column) + `), 0) FROM ` + storage.Quoted(name) + `))`
		var n int64
		if err := m.conn.QueryRow(ctx, query, name, column).Scan(&n); err != nil {
			return nil, fmt.Errorf("read the counter of %s: %w", name, judge(err))
		}
		counters[name] = n
	}
	return counters, nil
}
