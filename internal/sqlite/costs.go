package sqlite

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// sumCosts divides a lineage into ranges by Seq in one pass. A damaged or foreign
// receipt is not counted.
var sumCosts = `
	SELECT count(*), min(seq), max(seq), max(recorded_at), ` + summed("sent_tokens") + `, max(` + figure("budget_tokens") + `), ` +
	summed("naive_tokens") + `, ` + summed("client_tokens") + `, ` + summed("system") + `, ` + summed("memory") + `, ` + summed("tail") + `, ` + summed("input") + `
	FROM (SELECT m.seq, m.recorded_at, json_extract(m.receipt, '$.context') AS context, m.seq * ? / max(s.next_seq, 1) AS stretch
		FROM messages m JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip = 1
		WHERE m.owner_id = ? AND m.root_id = ? AND CASE WHEN json_valid(m.receipt) THEN json_type(m.receipt, '$.context') = 'object' END)
	GROUP BY stretch
	ORDER BY 2`

// figure is a number of a context in SQL, limited to the range of a count.
func figure(name string) string {
	return `min(max(coalesce(CAST(json_extract(context, '$.` + name + `') AS INTEGER), 0), 0), ` + strconv.Itoa(bound.MaxTokens) + `)`
}

func summed(name string) string { return `sum(` + figure(name) + `)` }

// Costs implements curate.Receipts.
func (db *DB) Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]curate.Cost, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	st, err := db.read.stmt(ctx, sumCosts)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, points, o.ID(), string(root))
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var costs []curate.Cost
	for rows.Next() {
		var c curate.Cost
		var at int64
		x := &c.Context
		if err := rows.Scan(&c.Turns, &c.From, &c.To, &at, &x.Sent, &x.Budget, &x.Naive, &x.Client,
			&x.System, &x.Memory, &x.Tail, &x.Input); err != nil {
			return nil, fmt.Errorf("read costs: %w", err)
		}
		c.At = bound.FromMillis(at)
		costs = append(costs, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read costs: %w", err)
	}
	return costs, nil
}
