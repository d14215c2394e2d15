package curate

import (
	"context"

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
	l.Stale() // the next turn reads it from the store
	return c.sessions.CreateSession(ctx, o, s)
}

// Check inspects a session just before a change, under its lock. An error prevents the
// change. nil checks nothing.
type Check func(session.Session) error

// on runs the check.
func (c Check) on(s session.Session) error {
	if c == nil {
		return nil
	}
	return c(s)
}

// Edit changes the fields of a session that a person may change, between two turns.
func (c *Curator) Edit(ctx context.Context, o owner.Owner, id session.ID, p session.Patch, check Check) (session.Session, error) {
	l, tip, err := c.takeTip(ctx, o, id, lineage.Bare)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	l.Stale() // the next turn reads it from the store
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	if p.At.IsZero() {
		p.At = c.now()
	}
	return c.sessions.UpdateSession(ctx, o, tip.ID, p)
}

// Delete erases a lineage and everything derived from it, between two turns.
func (c *Curator) Delete(ctx context.Context, o owner.Owner, id session.ID, check Check) (session.Session, error) {
	tip, err := c.remove(ctx, o, id, check)
	if err == nil {
		c.tidy(ctx, o)
	}
	return tip, err
}

// remove is Delete, but for the bytes of files that people sent.
func (c *Curator) remove(ctx context.Context, o owner.Owner, id session.ID, check Check) (session.Session, error) {
	l, tip, err := c.takeTip(ctx, o, id, lineage.Bare)
	if err != nil {
		return session.Session{}, err
	}
	defer l.Release()
	if err := check.on(tip); err != nil {
		return session.Session{}, err
	}
	l.Clear()
	// The store notes only a complete import as deleted, and the next import would bring this one back.
	if tip.EndReason == session.EndIncomplete {
		if err := c.finish(ctx, o, tip.RootID, &session.Session{EndedAt: tip.EndedAt}); err != nil {
			return session.Session{}, err
		}
	}
	err = c.sessions.DeleteLineage(ctx, o, tip.RootID)
	// Its messages may be in the memory of any scope of the owner. The caches are
	// dropped after the deletion, so that no view is read back before the rows are
	// gone.
	c.views.DropOwner(o)
	return tip, err
}
