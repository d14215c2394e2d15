package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// sumCosts divides a lineage into ranges by Seq in one pass. A message without figures has no
// receipt, or a damaged one.
const sumCosts = `
	SELECT count(*), min(seq), max(seq), max(recorded_at), sum(f[1])::bigint, max(f[2]), sum(f[3])::bigint, sum(f[4])::bigint,
		sum(f[5])::bigint, sum(f[6])::bigint, sum(f[7])::bigint, sum(f[8])::bigint
	FROM (SELECT m.seq, m.recorded_at, m.figures AS f, m.seq * ?::bigint / greatest(s.next_seq, 1) AS stretch
		FROM messages m JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip
		WHERE m.owner_id = ? AND m.root_id = ? AND m.figures IS NOT NULL) x
	GROUP BY stretch
	ORDER BY 2`

// figureNames are the names of the figures in the context of a receipt, in the order in
// which they are stored.
func figureNames() [8]string {
	return [...]string{"sent_tokens", "budget_tokens", "naive_tokens", "client_tokens", "system", "memory", "tail", "input"}
}

// figuresOf are the figures of a receipt, limited to the range of a count; nil for a text
// that is no receipt.
func figuresOf(receipt []byte) any {
	var r struct {
		Context map[string]json.RawMessage `json:"context"`
	}
	if len(receipt) == 0 || json.Unmarshal(receipt, &r) != nil || r.Context == nil {
		return nil
	}
	names := figureNames()
	out := make([]int64, 0, len(names))
	for _, name := range names {
		var n float64
		if json.Unmarshal(r.Context[name], &n) != nil {
			n = 0
		}
		out = append(out, int64(min(max(n, 0), bound.MaxTokens)))
	}
	return out
}

// Costs implements curate.Receipts.
func (db *DB) Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]curate.Cost, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	return rowsOf(ctx, db, func(rows *rows) (curate.Cost, error) {
		var c curate.Cost
		var at int64
		x := &c.Context
		if err := rows.Scan(&c.Turns, &c.From, &c.To, &at, &x.Sent, &x.Budget, &x.Naive, &x.Client,
			&x.System, &x.Memory, &x.Tail, &x.Input); err != nil {
			return c, fmt.Errorf("read costs: %w", err)
		}
		c.At = bound.FromMillis(at)
		return c, nil
	}, sumCosts, points, o.ID(), string(root))
}
