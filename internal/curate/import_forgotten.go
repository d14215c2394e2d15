package curate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// forgotten is what an import leaves out that was forgotten one by one: an export from before still has it. nil leaves
// nothing out.
func (c *Curator) forgotten(ctx context.Context, a *Archived) (*Again, error) {
	if c.ledger == nil || a.Restore || a.Origin != nil && a.held == "" {
		return nil, nil
	}
	gone, err := c.ledger.Forgotten(a.Owner)
	if err != nil {
		return nil, fmt.Errorf("read what was forgotten: %w", err)
	}
	if a.Origin == nil {
		return gone, nil
	}
	return c.forgottenIn(ctx, a, gone)
}

// forgottenIn is what leaves sentences out that were forgotten in the lineage which has held a conversation so far.
// Messages behind a change are stored again at other places, so that a sentence is looked for at all places.
// A conversation that was deleted whole is found by its origin.
func (c *Curator) forgottenIn(ctx context.Context, a *Archived, gone *Again) (*Again, error) {
	if !gone.sentences() {
		return nil, nil
	}
	var places []memory.Place
	for m, err := range c.messages(ctx, a.Owner, a.held) {
		if err != nil {
			return nil, err
		}
		places = append(places, memory.Place{Root: a.held, Seq: m.Seq})
	}
	return &Again{
		Lineage: func(owner.Owner, session.ID) (time.Time, bool) { return time.Time{}, false },
		Sentence: func(o owner.Owner, _ memory.Place, sentence string) bool {
			return slices.ContainsFunc(places, func(at memory.Place) bool { return gone.Sentence(o, at, sentence) })
		},
	}, nil
}

// whole reports whether an exported lineage was forgotten whole. One that began behind that is another one with
// its id.
func (g *Again) whole(a *Archived) bool {
	if g == nil {
		return false
	}
	at, forgotten := g.Lineage(a.Owner, a.Sessions[0].RootID)
	return forgotten && !a.Sessions[0].StartedAt.After(at)
}

// sentences reports whether sentences of messages were forgotten.
func (g *Again) sentences() bool { return g != nil && g.Sentence != nil }

// doom notes those of some facts whose sentences were forgotten.
func (im *importer) doom(facts []memory.Fact) {
	for i := range facts {
		if f := &facts[i]; im.gone.Sentence(im.o, f.Source.Place(), f.Quote) {
			im.doomed = append(im.doomed, *f)
		}
	}
}

// eraseForgotten erases sentences again that were forgotten. No lineage is held. Later ones of a message are
// first: the places of the others stay.
func (c *Curator) eraseForgotten(ctx context.Context, o owner.Owner, doomed []memory.Fact) error {
	for i := len(doomed) - 1; i >= 0; i-- {
		if _, err := c.EraseFact(ctx, o, &doomed[i], nil); err != nil {
			return fmt.Errorf("forget a sentence again: %w", err)
		}
	}
	return nil
}
