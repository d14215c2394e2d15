package provider

import (
	"sync"
	"time"
)

// How long a provider is left alone after failures.
const (
	firstRest   = 5 * time.Second
	longestRest = 10 * time.Minute
	longestWait = time.Hour // if the provider asks for one
)

// breaker keeps a provider from being asked for a while after a failure. Each further
// failure doubles the pause.
type breaker struct {
	now func() time.Time

	mu     sync.Mutex
	rest   time.Duration
	until  time.Time
	reason string
}

// open reports whether the provider may be asked, and from when on.
func (b *breaker) open() (bool, time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.now().Before(b.until), b.until
}

// succeeded ends the pause.
func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest, b.until, b.reason = 0, time.Time{}, ""
}

// failed begins a pause, which lasts as long as the provider asked for at least. Failures of calls that
// began before it do not make it longer. It reports whether the pause is new.
func (b *breaker) failed(began time.Time, reason string, asked time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.rest > 0 && began.Before(b.until) {
		return false
	}
	b.rest = min(max(2*b.rest, firstRest), longestRest)
	b.until, b.reason = now.Add(max(b.rest, min(asked, longestWait))), reason
	return true
}

// state is the end of the pause, zero for none, and why there is one.
func (b *breaker) state() (until time.Time, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.now().Before(b.until) {
		return time.Time{}, b.reason
	}
	return b.until, b.reason
}
