package curate

import (
	"context"
	"fmt"
	"iter"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// The noted marks of a conversation are those of its messages that stand, at each moment: whatever an import leaves when
// it breaks off, the next one tells by the marks what is lacking. Messages that stand alone may be in the store only,
// because an input may have any part of them, and a message that was undone could not be added again from the input.
// So one transaction undoes what was edited and what moves up, stores the messages in their place, and notes the marks.

// exchange undoes the messages of a stored conversation from a place on, and stores the messages of a plan there, with
// their marks. A failure changes nothing.
func (c *Curator) exchange(ctx context.Context, a *Archived, l *lineage.Held, p *additions) (Imported, error) {
	im, err := c.extender(ctx, a, l, p.common)
	if err != nil {
		return Imported{}, err
	}
	first := im.tip.NextSeq
	if err := im.exchange(ctx, l.Lineage, p.from, under(im.tip.Key, of(im.tip.ID, a.Messages))); err != nil {
		return Imported{}, err
	}
	return Imported{Messages: int(im.tip.NextSeq - first), Cut: im.cut, doomed: im.doomed}, nil
}

func (im *importer) exchange(ctx context.Context, l *lineage.Lineage, from int64, messages iter.Seq2[session.Message, error]) error {
	var ms []session.Message
	for m, err := range messages {
		if err != nil {
			return err
		}
		m.ID, m.RootID = 0, im.tip.RootID // the store gives a new id: memory learns the message behind all others
		ms = append(ms, m)
	}
	if err := errLeft(ctx); err != nil {
		return err
	}
	if err := im.leaveOutKeys(ms); err != nil {
		return err
	}
	end, err := im.curator.endFrom(ctx, im.o, im.tip.RootID, from)
	if err != nil {
		return err
	}
	scopes := scopesOf(append(end.gone[:len(end.gone):len(end.gone)], ms...))
	release, err := im.curator.lineages.Alone(ctx, im.o, scopes...)
	if err != nil {
		return err
	}
	defer release()
	if im.ended, err = im.curator.endedHere(ctx, im.o, end.gone); err != nil {
		return err
	}
	w, err := im.exchanged(ctx, end, scopes, ms)
	if err != nil {
		return err
	}
	l.Stale() // also after a failure
	if err := im.leaving(ctx, func() error { return im.curator.store.Rewrite(ctx, im.o, *w) }); err != nil {
		return fmt.Errorf("store import: %w", err)
	}
	for _, scope := range scopes {
		im.curator.views.Drop(im.o, scope)
	}
	return im.curator.lineages.Reload(ctx, im.o, l)
}

// exchanged is the transaction that undoes the end of a lineage and stores messages in its place. Nothing else is
// added to their scopes meanwhile.
func (im *importer) exchanged(ctx context.Context, end *withdrawn, scopes []memory.Scope, ms []session.Message) (*Rewrite, error) {
	if err := im.number(ctx, ms); err != nil {
		return nil, err
	}
	if err := im.readErasures(ctx); err != nil {
		return nil, err
	}
	lineage.NameTools(im.names, ms)
	w := end.rewrite(im.curator.now())
	learners := &learners{of: make(map[memory.Scope]*memory.View, len(scopes)), views: im.curator.views}
	for _, scope := range scopes {
		_, view, err := im.curator.without(ctx, im.o, scope, end.of(scope), &w)
		if err == nil && view == nil {
			view, err = im.curator.relearnWithoutEnd(ctx, im.o, scope, end.of(scope))
		}
		if err != nil {
			return nil, err
		}
		learners.of[scope] = view
	}
	step := lineage.Step{Messages: ms, Untold: lineage.OfImport}
	end.tip.LastActive = im.tip.LastActive
	im.tip = end.tip
	for i := range ms {
		if err := im.add(ctx, &step, ms[:i+1], learners); err != nil {
			return nil, err
		}
	}
	im.tip.EndedAt, im.tip.EndReason = im.want.EndedAt, im.want.EndReason
	origin, err := im.reached(len(ms))
	if err != nil {
		return nil, err
	}
	if err := im.complete(); err != nil {
		return nil, err
	}
	step.Session, step.Origin = im.tip, origin
	w.Sessions, w.Step = []session.Session{im.tip}, &step
	return &w, nil
}

// errLeft is the error of an import whose client has left; nil if it has not.
func errLeft(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
	}
	return nil
}
