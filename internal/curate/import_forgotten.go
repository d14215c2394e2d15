package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// forgotten is what an import leaves out that was forgotten one by one: an export from before still has it. nil leaves
// nothing out. A conversation of another program is found by its origin.
func (c *Curator) forgotten(a *Archived) (*Again, error) {
	if c.ledger == nil || a.Restore || a.Origin != nil {
		return nil, nil
	}
	gone, err := c.ledger.Forgotten(a.Owner)
	if err != nil {
		return nil, fmt.Errorf("read what was forgotten: %w", err)
	}
	return gone, nil
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
