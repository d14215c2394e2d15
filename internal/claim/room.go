package claim

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Room is a number of units, such as bytes, that are taken several at a time. It bounds
// all units together and the share of each owner, so one owner cannot fill it. An owner
// at its share waits for its own units first.
type Room struct {
	all   *semaphore.Weighted
	share int64

	mu sync.Mutex
	by map[string]*ownRoom
}

// ownRoom is the share of an owner that holds units or waits for them.
type ownRoom struct {
	units *semaphore.Weighted
	users int
}

// NewRoom returns a room of that many units, of which each owner may take a share.
func NewRoom(all, share int64) *Room {
	return &Room{all: semaphore.NewWeighted(all), share: share, by: make(map[string]*ownRoom)}
}

// Enter takes units for an owner, or waits for them, first come first served. It never
// grants more than the share. It fails with the context's error.
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

// Leave gives back units that one Enter or Try took.
func (r *Room) Leave(owner string, units int64) {
	r.all.Release(units)
	r.mu.Lock()
	own := r.by[owner]
	r.mu.Unlock()
	own.units.Release(units)
	r.leave(owner)
}

// use returns the share of an owner and counts one more user of it.
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

// leave counts one user less.
func (r *Room) leave(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own := r.by[owner]; own.users > 1 {
		own.users--
	} else {
		delete(r.by, owner)
	}
}
