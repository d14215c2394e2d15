package claim

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Room is a number of units that are taken several at a time, such as bytes: so
// many in all, and no more than a share of them by one owner, who waits for his own
// things first. So one alone cannot fill it.
type Room struct {
	all   *semaphore.Weighted
	share int64

	mu sync.Mutex
	by map[string]*ownRoom
}

// ownRoom is the share of an owner who has something in the room, or waits.
type ownRoom struct {
	units *semaphore.Weighted
	users int
}

// NewRoom returns a room of so many units, of which each owner may take a share.
func NewRoom(all, share int64) *Room {
	return &Room{all: semaphore.NewWeighted(all), share: share, by: make(map[string]*ownRoom)}
}

// Enter takes units for an owner, or waits for them, first come first served. More
// than the share are never to be had. It fails with the error of the context.
func (r *Room) Enter(ctx context.Context, owner string, units int64) error {
	own := r.use(owner)
	if err := own.units.Acquire(ctx, units); err != nil {
		r.leave(owner)
		return err
	}
	if err := r.all.Acquire(ctx, units); err != nil {
		own.units.Release(units)
		r.leave(owner)
		return err
	}
	return nil
}

// Try takes units for an owner if they are free now.
func (r *Room) Try(owner string, units int64) bool {
	own := r.use(owner)
	if own.units.TryAcquire(units) {
		if r.all.TryAcquire(units) {
			return true
		}
		own.units.Release(units)
	}
	r.leave(owner)
	return false
}

// Leave gives back units that were taken at once.
func (r *Room) Leave(owner string, units int64) {
	r.all.Release(units)
	r.mu.Lock()
	own := r.by[owner]
	r.mu.Unlock()
	own.units.Release(units)
	r.leave(owner)
}

// use is the share of an owner, who is one user more of it.
func (r *Room) use(owner string) *ownRoom {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.by[owner]
	if own == nil {
		own = &ownRoom{units: semaphore.NewWeighted(r.share)}
		r.by[owner] = own
	}
	own.users++
	return own
}

// leave is one user less.
func (r *Room) leave(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own := r.by[owner]; own.users > 1 {
		own.users--
	} else {
		delete(r.by, owner)
	}
}
