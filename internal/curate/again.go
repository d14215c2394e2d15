package curate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Again is what must be forgotten again, if it comes back from a backup or an export. It is known by hashes
// only.
type Again struct {
	Things []memory.Erasure
	// Lineage reports whether a lineage was forgotten, and when last; Sentence whether a sentence of a
	// message was. Sentence is nil if none was.
	Lineage  func(o owner.Owner, root session.ID) (at time.Time, forgotten bool)
	Sentence func(o owner.Owner, at memory.Place, sentence string) bool
}

// thing is a thing that was found, in the form in which it was forgotten: as a whole word if it never was forgotten otherwise.
func (a *Again) thing(found *memory.Erased) *mention.Thing {
	if slices.ContainsFunc(a.Things, func(e memory.Erasure) bool { return e.Hash == found.Of && !e.Whole }) {
		return mention.Of(found.Name)
	}
	return mention.OfWord(found.Name)
}

// ForgottenAgain counts what was forgotten again.
type ForgottenAgain struct {
	// Things are counted once, in however many spellings they are found.
	Things    int `json:"things"`
	Sentences int `json:"sentences"`
	Sessions  int `json:"sessions"`
	// Left counts the mentions that a search found afterwards; 0 if everything is gone.
	Left int `json:"left"`
}

// ForgetAgain repeats erasures in the data of an owner. A thing is found by the hashes of all
// texts, and is then forgotten by its name, so that every spelling of it goes.
func (c *Curator) ForgetAgain(ctx context.Context, o owner.Owner, a *Again) (ForgottenAgain, error) {
	var out ForgottenAgain
	if err := c.dropAgain(ctx, o, a, &out); err != nil {
		return out, err
	}
	if err := c.eraseAgain(ctx, o, a, &out); err != nil {
		return out, err
	}
	things := make(map[memory.Hash]bool)
	for range maxPasses { // a name that was found may have had another one in it
		names, err := c.namesAgain(ctx, o, a.Things)
		if err != nil || len(names) == 0 {
			return out, err
		}
		out.Left = 0
		for i := range names {
			gone, err := c.ForgetThing(ctx, o, a.thing(&names[i]), false, 0)
			if err != nil {
				return out, fmt.Errorf("forget again: %w", err)
			}
			things[names[i].Of] = true
			out.Left += gone.Left
		}
		out.Things = len(things)
	}
	return out, nil
}

// dropAgain deletes the lineages that were forgotten whole.
func (c *Curator) dropAgain(ctx context.Context, o owner.Owner, a *Again, out *ForgottenAgain) error {
	return c.eachLineage(ctx, o, func(tip session.Session) error {
		if _, forgotten := a.Lineage(o, tip.RootID); !forgotten {
			return nil
		}
		out.Sessions++
		_, err := c.remove(ctx, o, tip.ID, nil)
		return err
	})
}

// eraseAgain erases the sentences of facts that were erased one by one.
func (c *Curator) eraseAgain(ctx context.Context, o owner.Owner, a *Again, out *ForgottenAgain) error {
	if !a.sentences() {
		return nil
	}
	scopes, err := c.quotes.Scopes(ctx, o)
	if err != nil {
		return fmt.Errorf("list scopes: %w", err)
	}
	for _, scope := range scopes {
		var doomed []memory.Fact
		err := c.quotes.Facts(ctx, o, scope, func(f *memory.StoredFact) bool {
			if a.Sentence(o, f.Source.Place(), f.Quote) {
				doomed = append(doomed, f.Fact)
			}
			return ctx.Err() == nil
		})
		if err != nil {
			return fmt.Errorf("read facts: %w", err)
		}
		if err := c.eraseForgotten(ctx, o, doomed); err != nil {
			return err
		}
		out.Sentences += len(doomed)
	}
	return nil
}

// namesAgain finds the names of forgotten things in all texts of an owner, each spelling once.
func (c *Curator) namesAgain(ctx context.Context, o owner.Owner, things []memory.Erasure) ([]memory.Erased, error) {
	if len(things) == 0 {
		return nil, nil
	}
	var names []memory.Erased
	known := make(map[string]bool)
	err := c.sweeper.Texts(ctx, o, func(text string) {
		for _, found := range memory.FindErased(o, text, things) {
			if !known[found.Name] {
				known[found.Name] = true
				names = append(names, found)
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("search for what was forgotten: %w", err)
	}
	return names, nil
}
