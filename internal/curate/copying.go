package curate

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// copying keeps an owner's copies of lineages and the erasures that go over all of
// them apart. Owners do not wait for each other.
type copying struct {
	mu      sync.Mutex
	byOwner map[string]*copyGate
}

type copyGate struct {
	room  *semaphore.Weighted
	users int // that have it or wait for it
}

// allRoom is more than there are ever copies at once.
const allRoom = 1 << 30

// share waits until nothing of the owner's is being erased everywhere.
func (c *copying) share(ctx context.Context, o owner.Owner) (leave func(), err error) {
	return c.enter(ctx, o, 1)
}

// alone waits until nothing of the owner's is being copied.
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

// forget lets go of a gate that is not used any more.
func (c *copying) forget(o owner.Owner, g *copyGate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.users--; g.users == 0 {
		delete(c.byOwner, o.ID())
	}
}
