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
	// openingReach bounds the number of messages in a first exchange.
	openingReach = 32
)

// Opening is the first exchange of a lineage without private sentences: the text from
// which a model may draw a title. It is empty if the title was not derived from that
// exchange. due is false if there is no exchange yet, or if the title is not a derived
// one.
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

// Retitle replaces a lineage's derived title with one that a model proposed. The
// proposal must use words of the first exchange only, and nothing private. Whatever was
// proposed, the model is not asked again.
func (c *Curator) Retitle(ctx context.Context, o owner.Owner, task Task, proposed string) (named bool, err error) {
	err = c.study(ctx, o, task, func(l *lineage.Lineage, s *Study) error {
		if !l.Exists || l.Tip.TitleSource != session.TitleDerived {
			return nil // if the title was removed, a model is asked for the next one
		}
		ms, err := c.opening(ctx, o, task.Root) // read again, because it may have been erased meanwhile
		if err != nil || len(ms) == 0 {
			return err
		}
		if s.Marks.Titled = true; !derivedFrom(&l.Tip, ms) {
			return nil
		}
		s.Title, err = c.drawnTitle(ctx, o, &l.Tip, proposed, ms)
		if named = s.Title != ""; named {
			l.Stale() // the next turn reads the numbered title from the store
		}
		return err
	})
	if err != nil {
		return false, err
	}
	return named, nil
}

// drawnTitle is the usable part of a proposed title; "" if that is empty or equal to
// the session's title.
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

// opening reads the first standing exchange: up to the first answer after a text that
// makes a title.
func (c *Curator) opening(ctx context.Context, o owner.Owner, root session.ID) ([]session.Message, error) {
	ms, err := c.sessions.Messages(ctx, o, root, session.Range{Limit: openingReach, Standing: true})
	if err != nil {
		return nil, fmt.Errorf("read first messages: %w", err)
	}
	ms = session.Spoken(ms)
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

// derivedFrom reports whether a session's title is the one that its first exchange
// gives. A session that continues after a reset may have another title.
func derivedFrom(s *session.Session, ms []session.Message) bool {
	return s.TitleSource == session.TitleDerived && len(ms) > 0 && session.TitleBase(s.Title) == session.TitleBase(title.Of(nil, ms))
}
