package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// load reads a scope's memory from the store, its facts and its messages concurrently.
func (c *Views) load(ctx context.Context, from *source) (*View, error) {
	v, err := c.tryLoad(ctx, from)
	for tries := 0; isPiece(err) && tries < mostMended; tries++ { // it is damaged, or was replaced since the manifest was read
		if err := c.mend(ctx, from.owner, err); err != nil {
			return nil, err
		}
		v, err = c.tryLoad(ctx, from)
	}
	return v, err
}

// mostMended is how many pieces of a scope are replaced before the scope is given up.
const mostMended = 64

// Prepare reads the words that each turn looks up, which takes some milliseconds, ahead of their
// first use.
func Prepare() {
	theLexicon()
	language.Prepare()
}

func (c *Views) tryLoad(ctx context.Context, from *source) (*View, error) {
	begun, err := from.opening()
	if err != nil {
		return nil, err
	}
	v, m := newView(from), &begun.Manifest
	v.undone, v.stale = m.Withdrawn, m.Stale
	v.edition = max(m.Edition, FirstEdition) // which a scope without messages gets with its first one
	v.stands.set(m)
	restored := recovery.Async(func() error { return v.loadFacts(ctx, c.cache, &begun) })
	learnt := recovery.Async(func() error { Prepare(); return nil }) // while the scope comes from the store, there is time
	err = c.loadMessages(ctx, v, &begun)
	if err := errors.Join(<-restored, <-learnt, err); err != nil {
		return nil, err
	}
	if err := v.loadMeanings(ctx, c.embeddings); err != nil {
		return nil, err
	}
	return v, nil
}

// loadMessages opens the message pieces of a manifest, and reads the messages after them.
func (c *Views) loadMessages(ctx context.Context, v *View, begun *Opening) error {
	parts, err := openMessages(v.from, c.cache, &begun.Manifest, nil)
	if err == nil {
		err = v.corpus.rest(parts)
	}
	if err != nil {
		return err
	}
	defer v.corpus.end()
	newest := make(newestDocuments)
	err = v.corpus.read(ctx, &begun.Documents, newest.see)
	v.near.know(newest)
	return err
}

// loadFacts makes the state rest on the scope's fact pieces, and reads the facts that they
// lack. The past, a whole lineage, and a scope without marks have no pieces: all their facts
// are read.
func (v *View) loadFacts(ctx context.Context, cache *piece.Cache, begun *Opening) error {
	m := &begun.Manifest
	if m.Stale || m.Version == Unwritten {
		return readWhole(ctx, v.from, v.state)
	}
	on, err := openStored(v.from, cache, m, nil)
	if err != nil {
		return err
	}
	facts, err := factsAfter(ctx, v.from, on.last(), &begun.Facts)
	if err != nil {
		return err
	}
	v.archive = on
	v.state.rest(on, on.last())
	v.state.take(facts)
	return on.failed()
}

// readWhole reads all facts of a scope.
func readWhole(ctx context.Context, from *source, s *State) error {
	facts, err := wholeFacts(ctx, from)
	if err == nil {
		s.Restore(facts)
	}
	return err
}

// wholeFacts are all facts of a scope as they were known at its time.
func wholeFacts(ctx context.Context, from *source) ([]Fact, error) {
	var facts []Fact
	err := from.store.Facts(ctx, from.owner, from.scope, func(f *StoredFact) bool {
		facts = append(facts, f.Fact)
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("load facts: %w", err)
	}
	return asKnown(facts, from.scope), nil
}

// factsAfter reads the facts after a number that were not read ahead.
func factsAfter(ctx context.Context, from *source, last FactNumber, ahead *Ahead[StoredFact]) ([]StoredFact, error) {
	const page = 512
	facts, all := ahead.behind(int64(last))
	for !all {
		if len(facts) > 0 {
			last = facts[len(facts)-1].Number
		}
		more, err := from.store.FactsSince(ctx, from.owner, from.scope, last, page)
		if err != nil {
			return nil, fmt.Errorf("load facts: %w", err)
		}
		facts = append(facts, more...)
		all = len(more) < page
	}
	return facts, nil
}
