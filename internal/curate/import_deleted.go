package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// What was deleted of a conversation may be a session apart only. The session with the id of the line then stays: it has
// what was said here, and an import neither replaces nor extends it.

// staying is the lineage of the session with the id of a line; "" if there is none.
func (c *Curator) staying(ctx context.Context, a *Archived) (session.ID, error) {
	tip, err := c.sessions.Tip(ctx, a.Owner, a.Sessions[0].ID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look for session: %w", err)
	}
	return tip.RootID, nil
}

// fateOfDeleted is what becomes of a conversation whose session was deleted here: it is taken again only if that is asked
// for, as a session apart where stays, the session with the id of the line, is there.
func (c *Curator) fateOfDeleted(ctx context.Context, a *Archived) (fate Fate, stays session.ID, err error) {
	stays, err = c.staying(ctx, a)
	switch {
	case !a.Restore:
		fate = FateDeleted
	case stays == "":
		fate = FateNew
	default:
		fate = FateApart
	}
	return fate, stays, err
}

// importDeleted stores a conversation whose session was deleted here, or leaves it out.
func (c *Curator) importDeleted(ctx context.Context, a *Archived, known *lineage.Origin) (Imported, error) {
	fate, stays, err := c.fateOfDeleted(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case fate == FateDeleted:
		return Imported{Fate: fate, Session: stays}, nil
	case fate == FateNew:
		got, err := c.importNew(ctx, a)
		return got.as(fate, a.Sessions[0].ID), err
	}
	stayed := *known
	stayed.Root = stays
	return c.importApart(ctx, a, &stayed, a.Messages)
}

// forecastDeleted tells what would become of a conversation whose session was deleted here.
func (c *Curator) forecastDeleted(ctx context.Context, a *Archived) (Imported, error) {
	fate, stays, err := c.fateOfDeleted(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case fate == FateDeleted:
		return Imported{Fate: fate, Session: stays}, nil
	}
	id := a.Sessions[0].ID
	if fate == FateApart {
		id, err = c.apartID(ctx, a)
	}
	return Imported{Fate: fate, Session: id, Messages: a.Origin.Len()}, err
}
