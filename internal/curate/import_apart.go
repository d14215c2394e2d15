package curate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// importApart stores a conversation that has changed in both programs as a session of its
// own, whose id ends with a number, under the key of the import. known is the state that the session before holds. The
// first step notes that the new session holds the conversation, so that a failure leaves a part, and the next import
// adds the rest.
func (c *Curator) importApart(
	ctx context.Context, a *Archived, known *lineage.Origin, messages iter.Seq2[session.Message, error],
) (Imported, error) {
	held, err := c.holders(ctx, a, known)
	if err != nil {
		return Imported{}, err
	}
	id, err := c.apartID(ctx, a)
	if err != nil {
		return Imported{}, err
	}
	row := a.Sessions[0]
	row.ID, row.RootID = id, id
	apart := *a
	apart.held = held
	if apart.ended, err = c.endedIn(ctx, a.Owner, known.Root); err != nil {
		return Imported{}, err
	}
	apart.Sessions, apart.Messages = []session.Session{row}, of(id, messages)
	got, err := c.importNew(ctx, &apart)
	if got.Fate == FateDeleted {
		err = errors.Join(err, c.noteOrigin(ctx, a.Owner, known))
	}
	return got.as(FateApart, id), err
}

// as is the outcome of a conversation that became a session, unless it was left out.
func (i Imported) as(fate Fate, id session.ID) Imported {
	if i.Fate == "" {
		i.Fate, i.Session = fate, id
	}
	return i
}

// apartID is the first free id for a conversation that becomes a session apart.
func (c *Curator) apartID(ctx context.Context, a *Archived) (session.ID, error) {
	id, _, err := c.apart(ctx, a)
	return id, err
}

// apart returns the first free id for a conversation that becomes a session apart, and the lineages with the ids
// before.
func (c *Curator) apart(ctx context.Context, a *Archived) (free session.ID, roots []session.ID, err error) {
	for n := 2; ; n++ {
		id, err := session.ParseID(fmt.Sprintf("%s~%d", a.Sessions[0].ID, n))
		if err != nil {
			return "", nil, err
		}
		tip, err := c.sessions.Tip(ctx, a.Owner, id)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return id, roots, nil
		case err != nil:
			return "", nil, fmt.Errorf("look for session: %w", err)
		}
		roots = append(roots, tip.RootID)
	}
}

// holders are the lineages that have held a conversation so far: the one that holds it now, the session with the id of
// the line, and the sessions apart.
func (c *Curator) holders(ctx context.Context, a *Archived, known *lineage.Origin) ([]session.ID, error) {
	if c.ledger == nil || a.Restore { // nothing is left out
		return []session.ID{known.Root}, nil
	}
	_, roots, err := c.apart(ctx, a)
	if err != nil && fault.KindOf(err) != fault.Invalid { // the id may be too long for a number
		return nil, err
	}
	held := []session.ID{known.Root}
	for _, root := range append([]session.ID{a.Sessions[0].ID}, roots...) {
		if !slices.Contains(held, root) {
			held = append(held, root)
		}
	}
	return held, nil
}
