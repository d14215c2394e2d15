package claim

import (
	"context"
	"time"
)

// longest is how long a sleep relies on a timer: those stand still while a
// machine sleeps, and its clock does not.
const longest = time.Minute

// Bell wakes whoever looks for work. It has one sleeper.
type Bell struct {
	rung chan struct{}
	now  func() time.Time
}

// NewBell returns a Bell that goes by a clock.
func NewBell(now func() time.Time) *Bell { return &Bell{rung: make(chan struct{}, 1), now: now} }

// Ring ends the sleep, or the next one if nobody sleeps. It never blocks.
func (b *Bell) Ring() {
	select {
	case b.rung <- struct{}{}:
	default: // it has rung already
	}
}

// Sleep returns at a moment, when the bell rings, or when ctx ends. The zero
// moment never comes.
func (b *Bell) Sleep(ctx context.Context, until time.Time) {
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
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if !until.IsZero() && !b.now().Before(until) {
			return
		}
	}
}
