package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Create opens a session without a turn. Conflict if the id is taken.
func (c *Curator) Create(ctx context.Context, o owner.Owner, s session.Session) error {
	l, err := c.lineages.Take(ctx, o, s.ID, lineage.Bare)
	if err != nil {
		return err
	}
	defer l.Release()
	l.Stale() // read it with the next turn
	return c.sessions.CreateSession(ctx, o, s)
}

// Check looks at a session just before it is changed, while nothing else can; an
// error of it leaves all as it is. nil checks nothing.
type Check func(session.Session) error

// on makes the check.
func (c Check) on(s session.Session) error {
	if c == nil {
		return nil
	}
	return c(s)
}

// Edit changes what a person may change of a session, between two turns.
func (c *Curator) Edit(ctx context.Context, o owner.Owner, id session.ID, p session.Patch, check Check) (session.Session, error) {
	l, err := c.lineages.Take(ctx, o, id, lineage.Bare)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	l.Stale() // read it back with the next turn
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	if p.At.IsZero() {
		p.At = c.now()
	}
	return c.sessions.UpdateSession(ctx, o, tip.ID, p)
}

// Delete erases a lineage with everything derived from it, between two turns.
func (c *Curator) Delete(ctx context.Context, o owner.Owner, id session.ID, check Check) (session.Session, error) {
	l, err := c.lineages.Take(ctx, o, id, lineage.Bare)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	tip, err := c.sessions.Tip(ctx, o, id)
	if err != nil {
		return session.Session{}, fmt.Errorf("find session: %w", err)
	}
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	l.Clear()
	err = c.sessions.DeleteLineage(ctx, o, tip.RootID)
	// It may have fed any scope of its owner. Dropped before, a view could be
	// read back before the rows are gone.
	c.views.DropOwner(o)
	return tip, err
}
