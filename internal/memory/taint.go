package memory

import (
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// taints tell which messages are text of another program, or were written by a model that had
// read such text.
type taints struct {
	from *source // nil for a scope of which nothing is stored
	// since says of lineages whether there is text of another program after the user's newest
	// message. The store tells it of others.
	since map[session.ID]bool
}

// mostTaints bounds the lineages that are known between turns.
const mostTaints = 256

// mark marks a message. It is called with all messages of a lineage in order, including
// those that are not searched.
func (t *taints) mark(d *ranking.Document) error {
	if t.since == nil {
		t.since = make(map[session.ID]bool)
	}
	switch {
	case d.Role == session.User:
		t.since[d.Root] = false
		return nil
	case d.Outside():
		t.since[d.Root] = true
	default:
		if _, known := t.since[d.Root]; !known {
			var err error
			if t.since[d.Root], err = t.stored(d); err != nil {
				return err
			}
		}
	}
	d.Tainted = t.since[d.Root]
	return nil
}

// stored reports whether the store has text of another program between the user's newest
// message and a message.
func (t *taints) stored(d *ranking.Document) (tainted bool, err error) {
	if t.from == nil {
		return false, nil
	}
	err = t.from.before(d.Root, d.Seq, func(b *ranking.Document) bool {
		tainted = b.Outside()
		return !tainted && b.Role != session.User
	})
	return tainted, err
}

// forget forgets a lineage, because messages of it were passed over.
func (t *taints) forget(root session.ID) { delete(t.since, root) }

// shed forgets what the store can tell, if it is much.
func (t *taints) shed() {
	if len(t.since) > mostTaints {
		t.since = nil
	}
}
