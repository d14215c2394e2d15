package memory

import (
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Withdrawal is the end of a lineage that was taken back.
type Withdrawal struct {
	Root session.ID
	From int64 // the first Seq of it
	// Facts are those of the scope without it; nil if it had taught nothing.
	Facts []Fact
	// Before are the newest messages of the lineage that stand, oldest first.
	Before []ranking.Document
}

// withdrawn is a range of a lineage that is not recalled any more.
type withdrawn struct {
	root     session.ID
	from, to int64
}

// withdraw makes the view forget the end of a lineage. The index keeps its
// words, for taking them out would mean to read everything again; they are
// skipped in every search.
func (v *View) withdraw(w Withdrawal) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = append(v.gone, withdrawn{w.Root, w.From, v.newest[w.Root] + 1})
	if w.Facts != nil {
		v.state = NewState()
		v.state.Restore(w.Facts)
	}
	delete(v.recent, w.Root)
	for i := range w.Before {
		v.keepNear(w.Before[i])
	}
}

// isGone reports whether a message was taken back.
func isGone(gone []withdrawn, root session.ID, seq int64) bool {
	for i := range gone {
		if g := &gone[i]; g.root == root && seq >= g.from && seq < g.to {
			return true
		}
	}
	return false
}

// skipping leaves what was taken back out of a search.
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
