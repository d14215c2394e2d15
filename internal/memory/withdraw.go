package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Withdrawal is the undone end of a lineage.
type Withdrawal struct {
	Root session.ID
	// Messages are the ids of the undone messages of the scope, rising.
	Messages []int64
	// Facts are the facts of the scope without it; nil if no other fact depended on those of
	// the messages. The facts from First on are those of the messages then; 0 for none.
	Facts []Fact
	First FactNumber
}

// Withdraw updates the cached view of a scope after messages were undone. A view that
// is being read is dropped.
func (c *Views) Withdraw(ctx context.Context, o owner.Owner, s Scope, w Withdrawal) {
	v := c.cached(o, s)
	if v == nil {
		c.Drop(o, s)
		return
	}
	v.withdraw(ctx, c.cache, w)
}

// withdraw removes the end of a lineage from the view. All messages of the scope are stored
// meanwhile. A piece keeps the words of undone messages, and searches skip those.
func (v *View) withdraw(ctx context.Context, cache *piece.Cache, w Withdrawal) {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	undone := slices.Clone(v.undone)
	for _, id := range w.Messages {
		undone = append(undone, Span{id, id})
	}
	v.undone = SpansOf(undone)
	v.near.forget(w.Root)
	switch {
	case w.Facts != nil:
		v.state, v.archive, v.broken = NewState(), nil, nil
		v.state.Restore(w.Facts)
	case w.First == 0: // the messages have taught nothing
	case v.archive != nil && w.First <= v.archive.last():
		v.err = errors.Join(v.err, v.restate(ctx, cache))
	default:
		v.state.lose(w.First)
	}
	if v.blind || v.from == nil {
		return
	}
	v.err = errors.Join(v.err, v.corpus.again())
	v.taken += Horizon(len(v.unread)) // the index has them now, or they are undone
	v.unread = nil
}

// restate makes the state rest on the scope's pieces as the store has them now. The caller
// holds mu.
func (v *View) restate(ctx context.Context, cache *piece.Cache) error {
	m, err := v.from.manifest(ctx)
	if err != nil {
		return err
	}
	v.state, v.archive, v.broken = NewState(), nil, nil
	return v.loadFacts(ctx, cache, &Opening{Manifest: m})
}

// skipping makes a search skip undone messages.
func (v *View) skipping(q ranking.Query) ranking.Query {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if len(v.undone) > 0 {
		q.Undone = v.undone.Has
	}
	return q
}
