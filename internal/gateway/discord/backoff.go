package discord

import (
	"math/rand/v2"
	"time"
)

// backoff makes growing waits. The bound of each is twice the last one; the wait is between
// the half of the bound and the bound, so that bots do not come back all at once.
type backoff struct {
	least, most time.Duration
	bound       time.Duration
}

// next is the next wait.
func (b *backoff) next() time.Duration {
	b.bound = min(max(2*b.bound, b.least), b.most)
	half := b.bound / 2
	return b.bound - rand.N(half+1)
}

// reset begins anew.
func (b *backoff) reset() { b.bound = 0 }
