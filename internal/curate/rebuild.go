package curate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// Rebuilt compares the facts distilled from a scope's messages with the stored facts.
type Rebuilt struct {
	Scope memory.Scope
	// Messages is the number of messages that were distilled.
	Messages int
	// Facts is the number of distilled facts, Stored the number of stored ones.
	Facts, Stored int
	// Hash and StoredHash are the state hashes; equal ones mean equal states.
	Hash, StoredHash string
	// newest is the id of the newest message.
	newest int64
	// gone is the number of stored facts whose words are no fact of their message any more.
	gone int
}

// Identical reports whether both states are equal.
func (r *Rebuilt) Identical() bool { return r.Hash == r.StoredHash && r.Facts == r.Stored }

// Rebuild distils every scope of an owner again from its messages, and compares the
// facts with the stored ones. Unless verify is set, it replaces the stored facts.
func (c *Curator) Rebuild(ctx context.Context, o owner.Owner, verify bool) ([]Rebuilt, error) {
	scopes, err := c.quotes.Scopes(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	out := make([]Rebuilt, 0, len(scopes))
	for _, scope := range scopes {
		one, _, err := c.rebuild(ctx, o, scope, nil)
		if err == nil && !one.Identical() { // compare again under the lock
			one, err = c.rebuildAlone(ctx, o, scope, verify)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// rebuildAlone distils a scope again while no turn adds to it, and replaces the stored
// facts unless verify is set. It repeats if messages of the scope are deleted
// meanwhile.
func (c *Curator) rebuildAlone(ctx context.Context, o owner.Owner, scope memory.Scope, verify bool) (one Rebuilt, err error) {
	release, err := c.lineages.Alone(ctx, o, scope)
	if err != nil {
		return Rebuilt{}, err
	}
	defer release()
	for range maxRewrites {
		one, err = c.tryRebuild(ctx, o, scope, verify)
		if fault.KindOf(err) != fault.Conflict {
			break
		}
	}
	return one, err
}

func (c *Curator) tryRebuild(ctx context.Context, o owner.Owner, scope memory.Scope, verify bool) (Rebuilt, error) {
	one, learnt, err := c.rebuild(ctx, o, scope, nil)
	if err != nil || verify || one.Identical() {
		return one, err
	}
	if err := c.store.Rewrite(ctx, o, Rewrite{Scopes: []ScopeFacts{learnt}}); err != nil {
		return one, fmt.Errorf("replace facts: %w", err)
	}
	c.views.Drop(o, scope)
	return one, nil
}

// rebuild distils one scope again. edit may change a message, or leave it out by
// returning false; nil changes nothing.
func (c *Curator) rebuild(
	ctx context.Context, o owner.Owner, scope memory.Scope, edit func(*ranking.Document) bool,
) (Rebuilt, ScopeFacts, error) {
	out := Rebuilt{Scope: scope}
	stored, err := c.storedFacts(ctx, o, scope, &out)
	if err != nil {
		return out, ScopeFacts{}, err
	}
	view, err := c.relearn(ctx, o, scope, edit, &out)
	if err != nil {
		return out, ScopeFacts{}, err
	}
	learnt := factsOf(view, scope, &out)
	out.Facts, out.Hash = len(learnt.Facts), view.Hash()
	out.gone = goneOf(stored, learnt.Facts)
	return out, learnt, nil
}

// factsOf are the facts of a scope that was distilled again.
func factsOf(view *memory.View, scope memory.Scope, out *Rebuilt) ScopeFacts {
	return ScopeFacts{Scope: scope, Facts: view.Facts(), Marks: view.Marks(), Newest: out.newest}
}

// storedFacts names the stored facts of a scope by their words, and counts and hashes them. The
// facts themselves are not kept while the scope is learnt again: there may be a million.
func (c *Curator) storedFacts(ctx context.Context, o owner.Owner, scope memory.Scope, out *Rebuilt) ([]factWords, error) {
	var stored []memory.Fact
	err := c.quotes.Facts(ctx, o, scope, func(f *memory.StoredFact) bool {
		stored = append(stored, f.Fact)
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	old := memory.NewLearner()
	old.Restore(stored)
	out.Stored, out.StoredHash = len(stored), old.Hash()
	words := make([]factWords, len(stored))
	for i := range stored {
		words[i] = wordsOf(&stored[i])
	}
	return words, nil
}

// factWords name a fact by its message and its words: a change to the message moves facts.
type factWords struct {
	message int64
	quote   string
}

func wordsOf(f *memory.Fact) factWords { return factWords{f.Source.MessageID, f.Quote} }

// goneOf is how many facts are not among those that were learnt again. A sentence of which
// something was erased is another fact, so that the numbers of both do not tell it.
func goneOf(stored []factWords, again []memory.Fact) int {
	left := make(map[factWords]int, len(again))
	for i := range again {
		left[wordsOf(&again[i])]++
	}
	gone := 0
	for _, w := range stored {
		if left[w] > 0 {
			left[w]--
		} else {
			gone++
		}
	}
	return gone
}

// relearn distils one scope again and counts the messages.
func (c *Curator) relearn(
	ctx context.Context, o owner.Owner, scope memory.Scope, edit func(*ranking.Document) bool, out *Rebuilt,
) (*memory.View, error) {
	view := memory.NewLearner()
	err := c.quotes.Documents(ctx, o, scope, 0, func(d ranking.Document) bool {
		out.newest = d.MessageID
		if edit != nil && !edit(&d) {
			return true
		}
		c.lineages.Learn(view, d)
		out.Messages++
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read messages: %w", err)
	}
	return view, nil
}
