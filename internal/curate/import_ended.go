package curate

import (
	"context"
	"fmt"
	"math"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Memories of another program that move up behind an edit are stored again, and learnt again. What was replaced or ended
// here in the meantime stays so.

// endedHere are the statements of some memories that are to be withdrawn, as far as facts of other messages have ended
// them.
func (c *Curator) endedHere(ctx context.Context, o owner.Owner, gone []session.Message) (memory.Endings, error) {
	ended := make(memory.Endings)
	for _, scope := range scopesOf(gone) {
		err := c.look(ctx, o, scope, func(v *memory.View) error {
			var facts []memory.Fact
			for i := range gone {
				if m := &gone[i]; scopeOf(m) == scope && memory.IsProgramNote(m) {
					facts = append(facts, v.FactsOf(m.ID)...)
				}
			}
			ended.Add(facts)
			return v.Err()
		})
		if err != nil {
			return nil, fmt.Errorf("read facts: %w", err)
		}
	}
	return ended, nil
}

// endedIn are the statements of the memories of a lineage that were ended here.
func (c *Curator) endedIn(ctx context.Context, o owner.Owner, root session.ID) (memory.Endings, error) {
	var notes []session.Message
	for m, err := range c.standing(ctx, o, root, math.MaxInt64) {
		if err != nil {
			return nil, err
		}
		if memory.IsProgramNote(&m) {
			notes = append(notes, session.Message{ID: m.ID, RootID: m.RootID, Key: m.Key, Role: m.Role, Note: m.Note})
		}
	}
	return c.endedHere(ctx, o, notes)
}

// keepEnded notes at a message that is stored again which of its statements are ended. The message has its place.
func (im *importer) keepEnded(m *session.Message) {
	if len(im.ended) > 0 && memory.IsProgramNote(m) {
		m.Note = im.ended.Note(memory.NewLearner().Distilled(ranking.DocumentOf(m)))
	}
}

// renote stores what is new of a conversation that consists of memories of another program: those from the first change on
// are exchanged at once. done is false for any other conversation.
func (c *Curator) renote(ctx context.Context, a *Archived, l *lineage.Held, p *plan) (got Imported, done bool, err error) {
	gone, err := c.sessions.Messages(ctx, a.Owner, l.Tip.RootID, session.Range{From: p.from, Standing: true})
	if err != nil {
		return Imported{}, false, fmt.Errorf("read messages: %w", err)
	}
	for i := range gone {
		if !memory.IsProgramNote(&gone[i]) {
			return Imported{}, false, nil
		}
	}
	got, err = c.exchange(ctx, a, l, &additions{common: p.common, from: p.from})
	return got, true, err
}
