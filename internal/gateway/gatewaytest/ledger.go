package gatewaytest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// errCommit is the error of a commit that was made to fail.
var errCommit = errors.New("the store refuses")

// Ledger is an intake in memory. As the real one does, it skips an event that it has.
type Ledger struct {
	mu       sync.Mutex
	events   []gateway.Event
	offered  map[string]int // how often each event was handed over, also in failed commits
	has      map[string]bool
	position gateway.Position
	failing  func() error
	changed  chan struct{} // closed and made anew by each commit
	commits  int
	failed   int
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{offered: map[string]int{}, has: map[string]bool{}, changed: make(chan struct{})}
}

// Position returns the position stored last.
func (l *Ledger) Position(context.Context) (gateway.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.position, nil
}

// Commit stores events and the position, or fails as it was told to.
func (l *Ledger) Commit(ctx context.Context, events []gateway.Event, after gateway.Position) error {
	l.mu.Lock()
	failing := l.failing
	l.mu.Unlock()
	var err error
	if failing != nil {
		err = failing() // may take its time
	}
	if err == nil {
		err = ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range events {
		l.offered[events[i].ID]++
	}
	l.commits++
	close(l.changed)
	l.changed = make(chan struct{})
	if err != nil {
		l.failed++
		return err
	}
	for i := range events {
		if id := events[i].ID; !l.has[id] {
			l.has[id] = true
			l.events = append(l.events, events[i])
		}
	}
	if after != "" {
		l.position = after
	}
	return nil
}

// FailBy sets a function that is called by each commit and can delay it or make it fail;
// nil ends that.
func (l *Ledger) FailBy(fail func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failing = fail
}

// FailNext makes the next n commits fail.
func (l *Ledger) FailNext(n int) {
	var mu sync.Mutex
	l.FailBy(func() error {
		mu.Lock()
		defer mu.Unlock()
		if n--; n >= 0 {
			return errCommit
		}
		return nil
	})
}

// Has reports whether an event is stored.
func (l *Ledger) Has(eventID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.has[eventID]
}

// Offered is how often an event was handed over, also in commits that failed.
func (l *Ledger) Offered(eventID string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.offered[eventID]
}

// Commits is how many commits there were, and how many of them failed.
func (l *Ledger) Commits() (all, failed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commits, l.failed
}

// Events returns the stored events, each once, in the order of their commits.
func (l *Ledger) Events() []gateway.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// Event returns a stored event.
func (l *Ledger) Event(t *testing.T, eventID string) gateway.Event {
	t.Helper()
	for _, e := range l.Events() {
		if e.ID == eventID {
			return e
		}
	}
	t.Fatalf("event %s is not stored", eventID)
	return gateway.Event{}
}

// Await waits until a condition on the ledger holds, looking after each commit. It gives up when
// nothing was committed for a while: ten thousand events take their time on a slow machine.
func (l *Ledger) Await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-changed:
			deadline.Reset(patience)
		case <-deadline.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// AwaitEvents waits until events are stored.
func (l *Ledger) AwaitEvents(t *testing.T, eventIDs ...string) {
	t.Helper()
	l.Await(t, "events are stored", func() bool {
		return !slices.ContainsFunc(eventIDs, func(id string) bool { return !l.Has(id) })
	})
}
