package curate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// spansBySeq are places in the texts of a lineage's messages.
type spansBySeq map[int64][]mention.Span

// forgetSlots erases the sentences that do not name the thing, but from which memory learns
// a slot that does: a slot has stems and one spelling of each word, such as "study" for
// "studies" and "color" for "colour". Otherwise the next distillation of these sentences
// would name the thing again.
func (c *Curator) forgetSlots(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	for range maxPasses {
		found, err := c.findSlots(ctx, o, thing)
		if err != nil || len(found) == 0 {
			return err
		}
		for root, spans := range found {
			if err := c.forgetIn(ctx, o, root, thing, spans, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// findSlots finds the quotes of the facts whose slot names the thing, by lineage.
func (c *Curator) findSlots(ctx context.Context, o owner.Owner, thing *mention.Thing) (map[session.ID]spansBySeq, error) {
	scopes, err := c.quotes.Scopes(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	found := make(map[session.ID]spansBySeq)
	for _, scope := range scopes {
		err := c.quotes.Facts(ctx, o, scope, func(f *memory.StoredFact) bool {
			if at := &f.Source; thing.In(f.Subject) || thing.In(f.Attribute) {
				if found[at.Root] == nil {
					found[at.Root] = make(spansBySeq)
				}
				found[at.Root][at.Seq] = append(found[at.Root][at.Seq], mention.Span{Start: at.Start, End: at.End})
			}
			return ctx.Err() == nil
		})
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("read facts: %w", err)
		}
	}
	return found, nil
}
