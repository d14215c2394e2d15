package study

import (
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
)

// pace bounds costs: tokens come back at a steady rate, up to an hour's worth. The
// caller serializes its use.
type pace struct {
	perHour float64
	left    float64
	at      time.Time
	now     func() time.Time
}

func newPace(perHour int, now func() time.Time) *pace {
	return &pace{perHour: float64(perHour), left: float64(perHour), at: now(), now: now}
}

// take reserves tokens for a call. If there are too few, it returns when there will be
// enough; a call that costs more than an hour's worth waits for a full hour's worth.
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

// settle replaces a reservation with the actual cost. No single report, however large,
// uses up more than the next hour's tokens.
func (p *pace) settle(taken float64, cost int) {
	p.left = max(p.left+taken-float64(max(cost, 0)), -p.perHour)
}

// patience is the backoff after failures: half a minute, doubled with each failure in a
// row, up to an hour, and never less than the server asks for.
type patience struct {
	until    time.Time
	failures int
}

const (
	firstRest   = 30 * time.Second
	longestRest = time.Hour
)

func (p *patience) fail(err error, now time.Time) {
	p.failures++
	wait := claim.Backoff(p.failures, firstRest, longestRest)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	p.until = now.Add(wait)
}

func (p *patience) succeed() { *p = patience{} }
