package curate

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/title"
)

const (
	// openingReach is how many messages the first exchange may have.
	openingReach = 32
)

// Opening is the first exchange of a lineage without the sentences that say
// something private: what a model may be shown to name it. It is empty if the
// title was not derived from that exchange. due is false while there is no
// exchange, and when the title is not a derived one.
func (c *Curator) Opening(ctx context.Context, o owner.Owner, root session.ID) (ms []session.Message, due bool, err error) {
	tip, err := c.sessions.Tip(ctx, o, root)
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	if tip.TitleSource != session.TitleDerived {
		return nil, false, nil
	}
	ms, err = c.opening(ctx, o, root)
	if err != nil || !derivedFrom(&tip, ms) {
		return nil, len(ms) > 0, err
	}
	shown := make([]session.Message, 0, len(ms))
	for i := range ms {
		m := ms[i]
		var open []string
		for _, s := range title.Sentences(&m) {
			if !title.Private(s) {
				open = append(open, s)
			}
		}
		if m.Content = strings.Join(open, " "); m.Content != "" {
			shown = append(shown, m)
		}
	}
	return shown, true, nil
}

// Retitle gives a lineage the title that a model proposed in place of the one
// that was derived, if it says nothing that the first exchange does not say, and
// nothing private. The lineage counts as asked about, whatever was proposed.
func (c *Curator) Retitle(ctx context.Context, o owner.Owner, task Task, proposed string) (named bool, err error) {
	err = c.study(ctx, o, task, func(l *lineage.Lineage, s *Study) error {
		if !l.Exists || l.Tip.TitleSource != session.TitleDerived {
			return nil // if it has lost its title, a model is asked for the next
		}
		ms, err := c.opening(ctx, o, task.Root) // read again: it may have been erased since
		if err != nil || len(ms) == 0 {
			return err
		}
		if s.Marks.Titled = true; !derivedFrom(&l.Tip, ms) {
			return nil
		}
		s.Title, err = c.drawnTitle(ctx, o, &l.Tip, proposed, ms)
		if named = s.Title != ""; named {
			l.Stale() // it is read back with the next turn, in its free form
		}
		return err
	})
	if err != nil {
		return false, err
	}
	return named, nil
}

// drawnTitle is what may be used of a title that a model proposed; "" when that is
// the title that the session has, or nothing.
func (c *Curator) drawnTitle(
	ctx context.Context, o owner.Owner, tip *session.Session, proposed string, opening []session.Message,
) (string, error) {
	derived := session.TitleBase(tip.Title)
	drawn := title.Drawn(proposed, derived, title.Words(opening))
	if drawn == "" || drawn == derived {
		return "", nil
	}
	erasures, err := c.quotes.Erasures(ctx, o)
	if err != nil {
		return "", fmt.Errorf("read erasures: %w", err)
	}
	if _, n := memory.RedactErased(o, drawn, erasures); n > 0 {
		return "", nil
	}
	return drawn, nil
}

// opening reads the first exchange that stands: up to the first answer behind a
// text that makes a title.
func (c *Curator) opening(ctx context.Context, o owner.Owner, root session.ID) ([]session.Message, error) {
	ms, err := c.sessions.Messages(ctx, o, root, session.Range{Limit: openingReach, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read first messages: %w", err)
	}
	said := false
	for i := range ms {
		switch m := &ms[i]; m.Role {
		case session.User:
			said = said || title.Make(m.Content) != ""
		case session.Assistant:
			if said && strings.TrimSpace(m.Content) != "" {
				return ms[:i+1], nil
			}
		}
	}
	return nil, nil
}

// openingEnd is the first Seq after the first exchange; 0 without one.
func (c *Curator) openingEnd(ctx context.Context, o owner.Owner, root session.ID) (int64, error) {
	ms, err := c.opening(ctx, o, root)
	if err != nil || len(ms) == 0 {
		return 0, err
	}
	return ms[len(ms)-1].Seq + 1, nil
}

// derivedFrom reports whether a session has the title that its first exchange
// makes. One that goes on after a reset has another's.
func derivedFrom(s *session.Session, ms []session.Message) bool {
	return s.TitleSource == session.TitleDerived && len(ms) > 0 && session.TitleBase(s.Title) == session.TitleBase(title.Of(nil, ms))
}
