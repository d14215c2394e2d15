package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
)

// Rebuilt compares what a scope's messages say with what is stored of them.
type Rebuilt struct {
	Scope memory.Scope
	// Messages is how many were distilled anew.
	Messages int
	// Facts is how many that gave; Stored how many there were.
	Facts, Stored int
	// Hash and StoredHash are the state hashes; equal ones mean equal states.
	Hash, StoredHash string
}

// Identical reports whether nothing differs.
func (r *Rebuilt) Identical() bool { return r.Hash == r.StoredHash && r.Facts == r.Stored }

// Rebuild distils every scope of an owner anew from its messages, and compares
// the outcome with what is stored. Unless verify is set, it replaces that.
func (r *Runner) Rebuild(ctx context.Context, o owner.Owner, verify bool) ([]Rebuilt, error) {
	scopes, err := r.quotes.Scopes(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	out := make([]Rebuilt, 0, len(scopes))
	for _, scope := range scopes {
		one, facts, err := r.rebuild(ctx, o, scope, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
		if verify || one.Identical() {
			continue
		}
		if err := r.store.Rewrite(ctx, o, Rewrite{Scopes: []ScopeFacts{{scope, facts}}}); err != nil {
			return nil, fmt.Errorf("replace facts: %w", err)
		}
		r.views.Drop(o, scope)
	}
	return out, nil
}

// rebuild distils one scope anew. edit may change what a message says, or leave
// it out by returning false; nil changes nothing.
func (r *Runner) rebuild(ctx context.Context, o owner.Owner, scope memory.Scope, edit func(*ranking.Document) bool) (Rebuilt, []memory.Fact, error) {
	return r.rebuildWithout(ctx, o, scope, edit, "")
}

// rebuildWithout also lets the scope take in again what models found in its
// messages, in the order in which it did, but for what mentions about.
func (r *Runner) rebuildWithout(ctx context.Context, o owner.Owner, scope memory.Scope, edit func(*ranking.Document) bool, about string) (Rebuilt, []memory.Fact, error) {
	out := Rebuilt{Scope: scope}
	view, n, err := r.relearn(ctx, o, scope, edit, about)
	if err != nil {
		return out, nil, err
	}
	out.Messages = n
	stored, err := r.quotes.Facts(ctx, o, scope)
	if err != nil {
		return out, nil, fmt.Errorf("read facts: %w", err)
	}
	old := memory.NewView()
	old.Restore(stored)
	facts := view.Facts()
	out.Facts, out.Stored, out.Hash, out.StoredHash = len(facts), len(stored), view.Hash(), old.Hash()
	return out, slices.Clip(facts), nil
}

// relearn distils one scope anew, with what models found in its messages but
// for what mentions about, and says from how many messages.
func (r *Runner) relearn(ctx context.Context, o owner.Owner, scope memory.Scope, edit func(*ranking.Document) bool, about string) (*memory.View, int, error) {
	view, n := memory.NewView(), 0
	again, err := r.retell(ctx, o, scope, view, about)
	if err != nil {
		return nil, 0, err
	}
	err = r.quotes.Documents(ctx, o, scope, func(d ranking.Document) bool {
		if edit != nil && !edit(&d) {
			return true
		}
		again.before(d)
		r.learn(view, d)
		n++
		return ctx.Err() == nil
	})
	again.rest()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read messages: %w", err)
	}
	return view, n, nil
}

// retold gives messages other texts while a scope is rebuilt.
func retold(texts map[memory.Place]string) func(*ranking.Document) bool {
	return func(d *ranking.Document) bool {
		if text, ok := texts[memory.Place{Root: d.Root, Seq: d.Seq}]; ok {
			d.Text = text
		}
		return true
	}
}
