package memory

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Withdrawal is the undone end of a lineage.
type Withdrawal struct {
	Root session.ID
	// Messages are the ids of the undone messages.
	Messages []int64
	// Facts are the facts of the scope without it; nil if it had taught nothing.
	Facts []Fact
}

// withdraw removes the end of a lineage from the view. The index keeps its words,
// because removing them would mean rebuilding the index. Searches skip them.
func (v *View) withdraw(w Withdrawal) {
	v.mu.Lock()
	defer v.mu.Unlock()
	undone := slices.Clone(v.undone)
	for _, id := range w.Messages {
		undone = append(undone, Span{id, id})
	}
	v.undone = SpansOf(undone)
	if w.Facts != nil {
		v.state, v.archive, v.broken = NewState(), nil, nil
		v.state.Restore(w.Facts)
	}
	v.near.forget(w.Root)
}

// skipping makes a search skip undone messages.
func (v *View) skipping(q ranking.Query) ranking.Query {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if len(v.undone) > 0 {
		q.Undone = v.undone.Has
	}
	return q
}
