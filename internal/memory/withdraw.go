package memory

import (
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Withdrawal is the undone end of a lineage.
type Withdrawal struct {
	Root session.ID
	From int64 // first Seq
	// Facts are the facts of the scope without it; nil if it had taught nothing.
	Facts []Fact
	// Before are the newest standing messages of the lineage, oldest first.
	Before []ranking.Document
}

// withdrawn is an undone range of a lineage.
type withdrawn struct {
	root     session.ID
	from, to int64
}

// withdraw removes the end of a lineage from the view. The index keeps its words,
// because removing them would mean rebuilding the index. Searches skip them.
func (v *View) withdraw(w Withdrawal) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = append(v.gone, withdrawn{w.Root, w.From, v.newest[w.Root] + 1})
	if w.Facts != nil {
		v.state, v.archive, v.broken = NewState(), nil, nil
		v.state.Restore(w.Facts)
	}
	delete(v.recent, w.Root)
	for i := range w.Before {
		v.keepNear(messageOf(w.Before[i]))
	}
}

// isGone reports whether a message was undone.
func isGone(gone []withdrawn, root session.ID, seq int64) bool {
	for i := range gone {
		if g := &gone[i]; g.root == root && seq >= g.from && seq < g.to {
			return true
		}
	}
	return false
}

// skipping makes a search skip undone messages.
func (v *View) skipping(q ranking.Query) ranking.Query {
	v.mu.RLock()
	defer v.mu.RUnlock()
	gone := v.gone
	if len(gone) == 0 {
		return q
	}
	skip := q.Skip
	q.Skip = func(root session.ID, seq int64) bool {
		return isGone(gone, root, seq) || skip != nil && skip(root, seq)
	}
	return q
}
