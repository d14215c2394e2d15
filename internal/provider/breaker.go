package provider

import (
	"fmt"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
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

	mu    sync.Mutex
	rest  time.Duration
	until time.Time
	last  failure
}

// failure is a call for an owner that failed.
type failure struct {
	owner string
	err   error
}

// told is the failure as an owner is shown it; "" for none. What the provider says of it may name a place, which
// is for the owner of the place alone.
func (f *failure) told(o owner.Owner) string {
	status := StatusOf(f.err)
	switch {
	case f.err == nil:
		return ""
	case f.owner != o.ID() && status != 0:
		return fmt.Sprintf("The memory provider answered %d.", status)
	}
	return fault.MessageOf(f.err)
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
	b.rest, b.until, b.last = 0, time.Time{}, failure{}
}

// failed begins a pause, which lasts as long as the provider asked for at least. Failures of calls that
// began before it do not make it longer. It reports whether the pause is new.
func (b *breaker) failed(began time.Time, last failure, asked time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.rest > 0 && began.Before(b.until) {
		return false
	}
	b.rest = min(max(2*b.rest, firstRest), longestRest)
	b.until, b.last = now.Add(max(b.rest, min(asked, longestWait))), last
	return true
}

// state is the end of the pause, zero for none, and the failure that began it.
func (b *breaker) state() (until time.Time, last failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.now().Before(b.until) {
		return time.Time{}, b.last
	}
	return b.until, b.last
}
