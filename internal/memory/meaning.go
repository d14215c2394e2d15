package memory

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// Embed makes the cache read the vectors of an embeddings model with every
// scope. It is called before the first use.
func (c *Views) Embed(model string) { c.embeddings = model }

// AddVectors adds new vectors to a cached scope. A scope that is not cached reads them
// later with the rest.
func (c *Views) AddVectors(o owner.Owner, s Scope, vectors []ranking.Vector) {
	c.mu.Lock()
	e := c.byKey[keyOf(o, s)]
	c.mu.Unlock()
	if e == nil {
		return
	}
	select {
	case <-e.loaded:
	default:
		return // it is being read: what it misses is read the next time
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

// Meant reports whether the view has vectors to compare a question with.
func (v *View) Meant() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.meanings.Len() > 0
}

// loadMeanings reads the vectors of a scope, as many as are compared.
func (v *View) loadMeanings(ctx context.Context, st Store, o owner.Owner, scope Scope, model string) error {
	if model == "" {
		return nil
	}
	var rows []ranking.Vector
	err := st.Vectors(ctx, o, scope, model, func(r ranking.Vector) bool {
		rows = append(rows, r)
		return len(rows) < ranking.MaxMeanings && ctx.Err() == nil
	})
	if err != nil {
		return fmt.Errorf("load vectors: %w", err)
	}
	for i := len(rows) - 1; i >= 0; i-- { // in order, so that each goes to the end
		v.meanings.Add(rows[i])
	}
	return nil
}

// searchByMeaning joins what the words find with what the meaning finds. The
// comparison of meanings looks at every message, so it lets others read beside.
func (v *View) searchByMeaning(h Horizon, q ranking.Query) []ranking.Hit {
	limit := q.Limit
	if limit <= 0 {
		limit = ranking.DefaultLimit
	}
	q.Limit = max(limit, ranking.Nearest)
	hits := v.searchIndex(h, q)
	v.mu.RLock()
	near := v.meanings.Near(q.Vector, ranking.Nearest, q.Skip)
	v.mu.RUnlock()
	if len(near) == 0 {
		return hits[:min(len(hits), limit)]
	}
	return ranking.Fuse(hits, near, limit, q.Explain)
}
