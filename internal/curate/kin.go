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

// kin are the tips of the lineages that may have copies of a lineage's messages, or have the originals: its forks, what it
// is a fork of, forks of that, and sessions apart. What was begun by a reset is among them.
func (c *Curator) kin(ctx context.Context, o owner.Owner, root session.ID) ([]session.Session, error) {
	var tips []session.Session
	if err := c.eachLineage(ctx, o, func(tip session.Session) error {
		tips = append(tips, tip)
		return nil
	}); err != nil {
		return nil, err
	}
	next := make(map[session.ID][]session.ID)
	for i := range tips {
		from, err := c.copiedFrom(ctx, o, &tips[i])
		if err != nil {
			return nil, err
		}
		for _, id := range from {
			next[id], next[tips[i].RootID] = append(next[id], tips[i].RootID), append(next[tips[i].RootID], id)
		}
	}
	met := map[session.ID]bool{root: true}
	for queue := []session.ID{root}; len(queue) > 0; queue = queue[1:] {
		for _, id := range next[queue[0]] {
			if !met[id] {
				met[id] = true
				queue = append(queue, id)
			}
		}
	}
	var out []session.Session
	for i := range tips {
		if tips[i].RootID != root && met[tips[i].RootID] {
			out = append(out, tips[i])
		}
	}
	return out, nil
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
