package postgres

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// tipsByRoot looks up the tips of several lineages at once.
const tipsByRoot = `SELECT ` + sessionColumns + ` FROM unnest(?2::text[]) w (root) CROSS JOIN LATERAL
	(SELECT * FROM sessions WHERE owner_id = ?1 AND root_id = w.root ORDER BY generation DESC LIMIT 1) t`

// withTips fills in the sessions of hits. Lineages deleted meanwhile are left out.
func (db *DB) withTips(ctx context.Context, o owner.Owner, hits []search.Hit) ([]search.Hit, error) {
	if len(hits) == 0 {
		return hits, nil
	}
	roots := make([]session.ID, len(hits))
	for i := range hits {
		roots[i] = hits[i].Session.RootID
	}
	list, err := rowsOf(ctx, db, func(rows *rows) (session.Session, error) { return scanSession(rows) }, tipsByRoot, o.ID(), textsOf(roots))
	if err != nil {
		return nil, fmt.Errorf("read sessions of hits: %w", err)
	}
	tips := make(map[session.ID]session.Session, len(list))
	for i := range list {
		tips[list[i].RootID] = list[i]
	}
	out := hits[:0]
	for i := range hits {
		if tip, ok := tips[hits[i].Session.RootID]; ok {
			hits[i].Session = tip
			out = append(out, hits[i])
		}
	}
	return out, nil
}
