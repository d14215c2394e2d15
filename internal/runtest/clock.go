package runtest

import (
	"sync"
	"time"
)

// Clock is a clock that stands still unless it is moved. It is safe for concurrent
// use.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a Clock that shows noon of the first of March 2026, in UTC.
func NewClock() *Clock { return &Clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
