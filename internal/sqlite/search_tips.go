package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/session"
)

// tipsByRoot looks up the tips of several lineages at once. CROSS JOIN makes SQLite
// iterate over the roots, and the generation selects the right index.
const tipsByRoot = `SELECT ` + sessionColumns + ` FROM json_each(?2) w CROSS JOIN sessions t
	WHERE t.owner_id = ?1 AND t.root_id = w.value
	AND t.generation = (SELECT max(s.generation) FROM sessions s WHERE s.owner_id = ?1 AND s.root_id = w.value)`

// withTips fills in the sessions of hits. Lineages deleted meanwhile are left out.
func (db *DB) withTips(ctx context.Context, o owner.Owner, hits []search.Hit) ([]search.Hit, error) {
	if len(hits) == 0 {
		return hits, nil
	}
	roots := make([]session.ID, len(hits))
	for i := range hits {
		roots[i] = hits[i].Session.RootID
	}
	list, err := json.Marshal(roots)
	if err != nil {
		return nil, fmt.Errorf("encode ids: %w", err)
	}
	st, err := db.texts.stmt(ctx, tipsByRoot)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, o.ID(), string(list))
	if err != nil {
		return nil, fmt.Errorf("read sessions of hits: %w", err)
	}
	defer func() { _ = rows.Close() }()
	tips := make(map[session.ID]session.Session, len(hits))
	for rows.Next() {
		tip, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		tips[tip.RootID] = tip
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read sessions of hits: %w", err)
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
