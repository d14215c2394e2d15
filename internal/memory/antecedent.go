package memory

import (
	"cmp"
	"slices"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Reach is how many messages back a message may refer without naming a thing.
const Reach = 4

// antecedents are the newest few messages of lineages, to which a sentence such as "yes, do that"
// refers.
type antecedents struct {
	from   *source // nil for a scope of which nothing is stored
	byRoot map[session.ID]*nearest
}

// nearest are the newest messages of a lineage.
type nearest struct {
	messages []message // newest first
	// whole says that there are no more, or none that matter.
	whole bool
}

// mostAntecedents bounds the lineages that are known between turns.
const mostAntecedents = 64

// before are the messages to which a message may refer, newest first.
func (n *antecedents) before(d *message) ([]message, error) {
	near := n.of(d.Root)
	if near.whole {
		return near.messages, nil
	}
	seq := d.Seq
	if last := len(near.messages) - 1; last >= 0 {
		seq = near.messages[last].Seq
	}
	if n.from != nil {
		err := n.from.before(d.Root, seq, func(b *ranking.Document) bool {
			if searched(b) {
				near.messages = append(near.messages, messageOf(shortened(b)))
			}
			return len(near.messages) < Reach
		})
		if err != nil {
			return nil, err
		}
	}
	near.whole = true
	return near.messages, nil
}

func (n *antecedents) of(root session.ID) *nearest {
	near := n.byRoot[root]
	if near == nil {
		if n.byRoot == nil {
			n.byRoot = make(map[session.ID]*nearest)
		}
		near = &nearest{}
		n.byRoot[root] = near
	}
	return near
}

// add adds the newest message of a lineage.
func (n *antecedents) add(d message) {
	if !searched(&d.Document) {
		return
	}
	if len(d.Text) > mostReferred {
		d = messageOf(shortened(&d.Document))
	}
	near := n.of(d.Root)
	if len(near.messages) < Reach {
		near.messages = append(near.messages, message{})
	}
	copy(near.messages[1:], near.messages)
	near.messages[0] = d
	near.whole = near.whole || len(near.messages) == Reach || d.Seq == 0
}

// newestDocuments are the newest messages of a few lineages, of those that are read with a scope.
type newestDocuments map[session.ID][]ranking.Document

// see takes a message that was read after all others of its lineage.
func (n newestDocuments) see(d *ranking.Document) {
	if !searched(d) || n[d.Root] == nil && len(n) >= mostAntecedents {
		return
	}
	list := n[d.Root]
	if len(list) == Reach {
		list = append(list[:0], list[1:]...)
	}
	n[d.Root] = append(list, shortened(d))
}

// know takes messages over that are the newest of their lineages, so that they need not be read again.
func (n *antecedents) know(newest newestDocuments) {
	for _, list := range newest {
		if !slices.IsSortedFunc(list, func(a, b ranking.Document) int { return cmp.Compare(a.Seq, b.Seq) }) {
			continue // they were not stored in their order
		}
		for i := range list {
			n.add(messageOf(list[i]))
		}
	}
}

// mostReferred bounds the text of a message to which others refer, in bytes. A later message
// may refer to either end.
const mostReferred = 2 * maxDistilled

func shortened(d *ranking.Document) ranking.Document {
	short := *d
	if len(d.Text) > mostReferred {
		short.Text = language.Ends(d.Text, mostReferred)
	}
	return short
}

// forget forgets a lineage, whose newest messages are read again.
func (n *antecedents) forget(root session.ID) { delete(n.byRoot, root) }

// shed forgets what the store can tell, if it is much.
func (n *antecedents) shed() {
	if len(n.byRoot) > mostAntecedents {
		n.byRoot = nil
	}
}

// searched reports whether a message can be found and referred to.
func searched(d *ranking.Document) bool { return d.Text != "" && !session.Echo(d.Note) }
