package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
)

// FactPage returns a page of the facts of a scope, and counts all of them. The present is read
// from the store page by page; words are looked for in the texts that the view holds. Of what was
// known in the past, and of a whole lineage, all facts are read.
func (c *Curator) FactPage(ctx context.Context, o owner.Owner, scope memory.Scope, q memory.FactQuery) (memory.FactPage, error) {
	var counts memory.FactCounts
	var counted bool
	var all []memory.Fact
	var saying []memory.FactNumber
	if isPast(scope) {
		all, err := c.Facts(ctx, o, scope)
		return q.Page(all), err
	}
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		counts, counted = v.Kinds()
		var err error
		switch {
		case !counted:
			all = v.Facts()
		case q.Looks():
			saying, err = v.Saying(ctx, c.facts, o, scope, &q)
		}
		return err
	})
	switch {
	case err != nil:
		return memory.FactPage{}, err
	case !counted:
		return q.Page(all), nil
	}
	page, err := c.listed(ctx, o, scope, &q, saying)
	if err != nil {
		return page, fmt.Errorf("list facts: %w", err)
	}
	if counts.Reversed, err = c.facts.FactsReversed(ctx, o, scope); err != nil {
		return page, fmt.Errorf("count facts: %w", err)
	}
	page.Counts = counts
	return page, nil
}

// listed reads a page from the store.
func (c *Curator) listed(
	ctx context.Context, o owner.Owner, scope memory.Scope, q *memory.FactQuery, saying []memory.FactNumber,
) (memory.FactPage, error) {
	if q.Looks() {
		return q.ListOf(ctx, c.facts, o, scope, saying)
	}
	return q.List(ctx, c.facts, o, scope)
}

// TimelinePage returns a page of the steps of a topic, as [Curator.Timeline].
func (c *Curator) TimelinePage(
	ctx context.Context, o owner.Owner, scope memory.Scope, topic string, q memory.FactQuery,
) (memory.FactPage, error) {
	var page memory.FactPage
	err := c.look(ctx, o, scope, func(v *memory.View) error {
		page = v.TimelinePage(topic, &q)
		return nil
	})
	return page, err
}
