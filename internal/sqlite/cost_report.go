package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
)

// reportCosts sums up the answers of an owner by stretch of time and by group, which is SQL
// of this package. A damaged or foreign receipt is not counted.
func reportCosts(group string) string {
	return `SELECT (recorded_at + ?1) / ?2, grp, count(*), ` + summed("sent_tokens") + `, max(` + figure("budget_tokens") + `), ` +
		summed("naive_tokens") + `, ` + summed("client_tokens") + `, ` + summed("system") + `, ` + summed("memory") + `, ` + summed("tail") + `, ` + summed("input") + `
	FROM (SELECT m.recorded_at, ` + group + ` AS grp, json_extract(m.receipt, '$.context') AS context
		FROM messages m JOIN sessions s ON s.owner_id = m.owner_id AND s.root_id = m.root_id AND s.is_tip = 1
		WHERE m.owner_id = ?3 AND m.recorded_at >= ?4 AND m.recorded_at < ?5
		AND CASE WHEN json_valid(m.receipt) THEN json_type(m.receipt, '$.context') = 'object' END)
	GROUP BY 1, 2 ORDER BY 1, 2`
}

// groupOf is a group of costs in SQL.
func groupOf(by curate.CostGroup) string {
	switch by {
	case curate.BySession:
		return `m.root_id`
	case curate.ByModel:
		return `coalesce(m.model, '')`
	case curate.BySource:
		return `s.source`
	}
	return `''`
}

// CostReport implements curate.Receipts.
func (db *DB) CostReport(ctx context.Context, o owner.Owner, f curate.CostFilter) ([]curate.CostRow, error) {
	if err := errNoOwner(o); err != nil {
		return nil, err
	}
	width, shift := f.Stretch.Width()
	list, err := rowsOf(ctx, db, func(rows *sql.Rows) (curate.CostRow, error) {
		var c curate.CostRow
		var stretch int64
		x := &c.Context
		err := rows.Scan(&stretch, &c.Group, &c.Turns, &x.Sent, &x.Budget, &x.Naive, &x.Client, &x.System, &x.Memory, &x.Tail, &x.Input)
		c.At = bound.FromMillis(stretch*width - shift)
		return c, err
	}, reportCosts(groupOf(f.By)), shift, width, o.ID(), bound.Millis(f.From), bound.Millis(f.To))
	if err != nil {
		return nil, fmt.Errorf("sum up costs: %w", err)
	}
	return list, nil
}
