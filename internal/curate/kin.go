package curate

import (
	"context"
	"fmt"
	"regexp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// apartForm is the form of the id of a session apart: that of its conversation, and a number.
var apartForm = regexp.MustCompile(`^(.+)~\d+$`)

// kinship says which lineages of an owner may have copies of one another's messages.
type kinship struct {
	tips []session.Session
	// next are the roots of the lineages that one was copied from or to.
	next map[session.ID][]session.ID
}

// kinship reads the lineages of an owner.
func (c *Curator) kinship(ctx context.Context, o owner.Owner) (*kinship, error) {
	k := &kinship{next: make(map[session.ID][]session.ID)}
	err := c.eachLineage(ctx, o, func(tip session.Session) error {
		k.tips = append(k.tips, tip)
		from, err := c.copiedFrom(ctx, o, &tip)
		for _, id := range from {
			k.next[id], k.next[tip.RootID] = append(k.next[id], tip.RootID), append(k.next[tip.RootID], id)
		}
		return err
	})
	return k, err
}

// of are the tips of the lineages that may have copies of a lineage's messages, or have the originals: its forks, what it
// is a fork of, forks of that, and sessions apart. What was begun by a reset is among them.
func (k *kinship) of(root session.ID) (out []session.Session) {
	met := map[session.ID]bool{root: true}
	for queue := []session.ID{root}; len(queue) > 0; queue = queue[1:] {
		for _, id := range k.next[queue[0]] {
			if !met[id] {
				met[id] = true
				queue = append(queue, id)
			}
		}
	}
	if len(met) == 1 {
		return nil
	}
	for i := range k.tips {
		if k.tips[i].RootID != root && met[k.tips[i].RootID] {
			out = append(out, k.tips[i])
		}
	}
	return out
}

// copiedFrom are the roots of the lineages from which a lineage may have been copied. One that was deleted is named, too:
// it joins its forks.
func (c *Curator) copiedFrom(ctx context.Context, o owner.Owner, tip *session.Session) ([]session.ID, error) {
	var out []session.ID
	if form := apartForm.FindStringSubmatch(string(tip.RootID)); form != nil {
		out = append(out, session.ID(form[1]))
	}
	first := *tip
	if tip.Generation > 0 { // its parent is the session before it
		var err error
		if first, err = c.sessions.Session(ctx, o, tip.RootID); fault.KindOf(err) == fault.NotFound {
			return out, nil // it was deleted meanwhile
		} else if err != nil {
			return nil, fmt.Errorf("find session: %w", err)
		}
	}
	if first.ParentID == "" {
		return out, nil
	}
	switch parent, err := c.sessions.Tip(ctx, o, first.ParentID); {
	case fault.KindOf(err) == fault.NotFound:
		return append(out, first.ParentID), nil
	case err != nil:
		return nil, fmt.Errorf("find session: %w", err)
	default:
		return append(out, parent.RootID), nil
	}
}
