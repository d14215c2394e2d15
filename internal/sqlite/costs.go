package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// sumCosts cuts a lineage into stretches by place, so that it is read once.
const sumCosts = `
	SELECT count(*), min(m.seq), max(m.seq), max(m.recorded_at),
		sum(json_extract(m.receipt, '$.context.sent_tokens')), max(json_extract(m.receipt, '$.context.budget_tokens')),
		sum(json_extract(m.receipt, '$.context.naive_tokens')), sum(json_extract(m.receipt, '$.context.system')),
		sum(json_extract(m.receipt, '$.context.memory')), sum(json_extract(m.receipt, '$.context.tail')),
		sum(json_extract(m.receipt, '$.context.input'))
	FROM messages m
	JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip = 1
	WHERE m.owner_id = ? AND m.root_id = ? AND m.receipt IS NOT NULL
	GROUP BY m.seq * ? / max(s.next_seq, 1)
	ORDER BY 2`

// Costs implements run.Ledger.
func (db *DB) Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]run.Cost, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	st, err := db.read.stmt(ctx, sumCosts)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), string(root), points)
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var costs []run.Cost
	for rows.Next() {
		var c run.Cost
		var at int64
		x := &c.Context
		if err := rows.Scan(&c.Turns, &c.From, &c.To, &at, &x.Sent, &x.Budget, &x.Naive, &x.System, &x.Memory, &x.Tail, &x.Input); err != nil {
			return nil, fmt.Errorf("read costs: %w", err)
		}
		c.At = time.UnixMilli(at).UTC()
		costs = append(costs, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read costs: %w", err)
	}
	return costs, nil
}
