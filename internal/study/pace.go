package study

import (
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// pace bounds costs: tokens come back at a steady rate, up to an hour's worth.
// Whoever uses it sees to it that nobody else does.
type pace struct {
	perHour float64
	left    float64
	at      time.Time
	now     func() time.Time
}

func newPace(perHour int, now func() time.Time) *pace {
	return &pace{perHour: float64(perHour), left: float64(perHour), at: now(), now: now}
}

// take sets tokens aside for a call. Without enough it says when there are; a
// call that is dearer than an hour's worth waits for all of it.
func (p *pace) take(tokens int) (taken float64, until time.Time, ok bool) {
	now := p.now()
	p.left = min(p.perHour, p.left+now.Sub(p.at).Hours()*p.perHour)
	p.at = now
	taken = min(float64(tokens), p.perHour)
	if lacking := taken - p.left; lacking > 0 {
		return 0, now.Add(time.Duration(lacking/p.perHour*float64(time.Hour)) + time.Second), false
	}
	p.left -= taken
	return taken, now, true
}

// settle puts right what was set aside once it is known what a call cost.
func (p *pace) settle(taken float64, cost int) { p.left += taken - float64(cost) }

// patience is how long a server is left alone after failures: from half a
// minute, doubled with each in a row, to an hour; never less than it asks for.
type patience struct {
	until    time.Time
	failures int
}

const (
	firstRest   = 30 * time.Second
	longestRest = time.Hour
)

func (p *patience) fail(err error, now time.Time) {
	wait := min(longestRest, firstRest<<min(p.failures, 12))
	if f, ok := errors.AsType[*fault.Error](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	p.failures++
	p.until = now.Add(wait)
}

func (p *patience) succeed() { *p = patience{} }
