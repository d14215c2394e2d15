package claim

import (
	"context"
	"time"
)

// longest is how long one timer is relied on: timers stop while a machine sleeps, and
// the wall clock does not.
const longest = time.Minute

// Bell wakes a loop that polls for work. It has one sleeper.
type Bell struct {
	rung chan struct{}
	now  func() time.Time
}

// NewBell returns a Bell that reads the time from now.
func NewBell(now func() time.Time) *Bell { return &Bell{rung: make(chan struct{}, 1), now: now} }

// Ring ends the current sleep, or the next one. It never blocks.
func (b *Bell) Ring() {
	select {
	case b.rung <- struct{}{}:
	default: // it has rung already
	}
}

// Sleep returns at until, when the bell rings, or when ctx ends. A zero until sets no
// time. It reports whether the sleep went on until then.
func (b *Bell) Sleep(ctx context.Context, until time.Time) (whole bool) {
	for {
		wait := longest
		if !until.IsZero() {
			wait = min(wait, max(0, until.Sub(b.now())))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-b.rung:
			timer.Stop()
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		if !until.IsZero() && !b.now().Before(until) {
			return true
		}
	}
}
