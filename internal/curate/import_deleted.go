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

// importDeleted takes a conversation again whose session was deleted here, if that is asked for. Where a session with the
// id of the line stays, the conversation becomes a session apart.
func (c *Curator) importDeleted(ctx context.Context, a *Archived, known *lineage.Origin) (Imported, error) {
	stays, err := c.staying(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case !a.Restore:
		return Imported{Fate: FateDeleted, Session: stays}, nil
	case stays == "":
		got, err := c.importNew(ctx, a)
		return got.as(FateNew, a.Sessions[0].ID), err
	}
	beside := *known
	beside.Root = stays
	return c.importApart(ctx, a, &beside, a.Messages)
}

// forecastDeleted tells what would become of a conversation whose session was deleted here.
func (c *Curator) forecastDeleted(ctx context.Context, a *Archived) (Imported, error) {
	stays, err := c.staying(ctx, a)
	switch {
	case err != nil:
		return Imported{}, err
	case !a.Restore:
		return Imported{Fate: FateDeleted, Session: stays}, nil
	case stays == "":
		return Imported{Fate: FateNew, Session: a.Sessions[0].ID, Messages: a.Origin.Len()}, nil
	}
	id, err := c.apartID(ctx, a)
	return Imported{Fate: FateApart, Session: id, Messages: a.Origin.Len()}, err
}
