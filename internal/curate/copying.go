package curate

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// copying keeps copies of an owner's lineages apart from erasures over all of them.
// Owners do not wait for each other.
type copying struct {
	mu      sync.Mutex
	byOwner map[string]*copyGate
}

type copyGate struct {
	room  *semaphore.Weighted
	users int // holders and waiters
}

// allRoom exceeds any number of concurrent copies.
const allRoom = 1 << 30

// share waits until no erasure over all lineages of the owner is under way.
func (c *copying) share(ctx context.Context, o owner.Owner) (leave func(), err error) {
	return c.enter(ctx, o, 1)
}

// alone waits until no copy of the owner's lineages is under way.
func (c *copying) alone(ctx context.Context, o owner.Owner) (leave func(), err error) {
	return c.enter(ctx, o, allRoom)
}

func (c *copying) enter(ctx context.Context, o owner.Owner, room int64) (func(), error) {
	c.mu.Lock()
	g := c.byOwner[o.ID()]
	if g == nil {
		if c.byOwner == nil {
			c.byOwner = make(map[string]*copyGate)
		}
		g = &copyGate{room: semaphore.NewWeighted(allRoom)}
		c.byOwner[o.ID()] = g
	}
	g.users++
	c.mu.Unlock()
	if err := g.room.Acquire(ctx, room); err != nil {
		c.forget(o, g)
		return nil, fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled.", err)
	}
	return func() {
		g.room.Release(room)
		c.forget(o, g)
	}, nil
}

// forget removes an unused gate.
func (c *copying) forget(o owner.Owner, g *copyGate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.users--; g.users == 0 {
		delete(c.byOwner, o.ID())
	}
}
