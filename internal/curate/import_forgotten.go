package curate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// forgotten is what an import leaves out that was forgotten one by one: an export from before still has it. nil leaves
// nothing out.
func (c *Curator) forgotten(ctx context.Context, a *Archived) (*Again, error) {
	if c.ledger == nil || a.Restore || a.Origin != nil && len(a.held) == 0 {
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

// forgottenIn is what leaves sentences out that were forgotten in the lineages which have held a conversation so far.
// Messages behind a change are stored again at other places, so that a sentence is looked for at all places.
// A conversation that was deleted whole is found by its origin.
func (c *Curator) forgottenIn(ctx context.Context, a *Archived, gone *Again) (*Again, error) {
	if !gone.sentences() {
		return nil, nil
	}
	var places []memory.Place
	for _, root := range a.held {
		for m, err := range c.messages(ctx, a.Owner, root) {
			if err != nil {
				return nil, err
			}
			places = append(places, memory.Place{Root: root, Seq: m.Seq})
		}
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

// errNamed says that a message of a new lineage has a session key that names a forgotten thing.
var errNamed = errors.New("a session key names what was forgotten")

// names reports whether an id or a key names a forgotten thing.
func names(o owner.Owner, id string, erasures []memory.Erasure) bool {
	return memory.NamesErased(o, id, erasures, mention.Counts)
}

// namesForeign reports whether an id that another program gave to a conversation names a forgotten thing.
func namesForeign(o owner.Owner, id string, erasures []memory.Erasure) bool {
	return memory.NamesErased(o, id, erasures, mention.CountsForeign)
}

// named reports whether an id or a key of a lineage names a forgotten thing. To forget the thing deletes such a
// lineage whole, so that an import leaves it out whole.
func named(a *Archived, erasures []memory.Erasure) bool {
	for i := range a.Sessions {
		if row := &a.Sessions[i]; names(a.Owner, string(row.ID), erasures) || names(a.Owner, string(row.Key), erasures) {
			return true
		}
	}
	return a.Origin != nil && namesForeign(a.Owner, a.Origin.ID, erasures)
}

// leaveOutKeys refuses messages of a new lineage whose session key names a forgotten thing. Those of a lineage
// that is there go without the key.
func (im *importer) leaveOutKeys(ms []session.Message) error {
	for i := range ms {
		switch {
		case !names(im.o, string(ms[i].Key), im.erasures):
		case !im.extends:
			return errNamed
		default:
			ms[i].Key = ""
		}
	}
	return nil
}

// leaveOutOrigin leaves out where an exported lineage came from, if that names a forgotten thing.
func (im *importer) leaveOutOrigin() {
	if im.from != nil && namesForeign(im.o, im.from.ID, im.erasures) {
		im.from = nil
	}
}

// unlessNamed is the forecast of a new lineage with some messages. They are read only if something was forgotten. Each
// message of an export of this program names its key.
func (c *Curator) unlessNamed(
	ctx context.Context, a *Archived, out Imported, messages iter.Seq2[session.Message, error],
) (Imported, error) {
	erasures, err := c.leftOut(ctx, a.Owner, a.Restore)
	switch {
	case err != nil:
		return Imported{}, err
	case len(erasures) == 0:
		return out, nil
	case named(a, erasures):
		return Imported{Fate: FateDeleted}, nil
	}
	for m, err := range messages {
		switch {
		case err != nil:
			return Imported{}, err
		case a.Origin == nil && names(a.Owner, string(m.Key), erasures):
			return Imported{Fate: FateDeleted}, nil
		case leaveOutOf(a.Owner, &m, erasures):
			out.Cut++
		}
	}
	return out, nil
}

// lacking counts the messages that have something that was forgotten.
func (c *Curator) lacking(ctx context.Context, a *Archived, messages iter.Seq2[session.Message, error]) (n int, err error) {
	erasures, err := c.leftOut(ctx, a.Owner, a.Restore)
	if err != nil || len(erasures) == 0 {
		return 0, err
	}
	for m, err := range messages {
		if err != nil {
			return 0, err
		}
		if leaveOutOf(a.Owner, &m, erasures) {
			n++
		}
	}
	return n, nil
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
	if len(doomed) == 0 {
		return nil
	}
	slices.Reverse(doomed)
	if _, err := c.eraseFacts(ctx, o, doomed, nil); err != nil {
		return fmt.Errorf("forget a sentence again: %w", err)
	}
	return nil
}
