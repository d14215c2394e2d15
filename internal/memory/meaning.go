package memory

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// Embed makes the cache read the vectors of an embeddings model with every scope. It is
// called before the first use.
func (c *Views) Embed(model string) { c.embeddings = model }

// AddVectors adds new vectors to a cached scope. A scope that is not cached reads them
// later with the rest.
func (c *Views) AddVectors(o owner.Owner, s Scope, vectors []ranking.Vector) {
	c.mu.Lock()
	e := c.byKey[viewKeyOf(o, s)]
	c.mu.Unlock()
	if e == nil {
		return
	}
	select {
	case <-e.loaded:
	default:
		return // the scope is being read; missing vectors are read the next time
	}
	if e.view != nil {
		e.view.addVectors(vectors)
	}
}

func (v *View) addVectors(vectors []ranking.Vector) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range vectors {
		v.meanings.Add(vectors[i])
	}
}

// Meant reports whether the view has vectors to compare with a question.
func (v *View) Meant() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.meanings.Len() > 0
}

// loadMeanings reads the newest vectors of a scope, up to the bound.
func (v *View) loadMeanings(ctx context.Context, model string) error {
	if model == "" {
		return nil
	}
	var rows []ranking.Vector
	err := v.from.store.Vectors(ctx, v.from.owner, v.from.scope, model, func(r ranking.Vector) bool {
		rows = append(rows, r)
		return len(rows) < ranking.MaxMeanings && ctx.Err() == nil
	})
	if err != nil {
		return fmt.Errorf("load vectors: %w", err)
	}
	for i := len(rows) - 1; i >= 0; i-- { // oldest first, so that each is appended
		v.meanings.Add(rows[i])
	}
	return nil
}

// searchByMeaning merges the results by words and by vectors. The comparison of vectors
// reads every message, so it holds the lock for reading only.
func (v *View) searchByMeaning(h Horizon, q ranking.Query) []ranking.Hit {
	limit := q.Limit
	if limit <= 0 {
		limit = ranking.DefaultLimit
	}
	q.Limit = max(limit, ranking.Nearest)
	hits := v.searchIndex(h, q)
	v.mu.RLock()
	near := v.meanings.Near(&q, ranking.Nearest)
	v.mu.RUnlock()
	if len(near) == 0 {
		return hits[:min(len(hits), limit)]
	}
	return ranking.Fuse(hits, near, limit, q.Explain)
}
