package live_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// countedQueue counts how often the queue is looked at.
type countedQueue struct {
	live.Queue
	looks atomic.Int64
}

// DueRuns implements live.Queue.
func (q *countedQueue) DueRuns(ctx context.Context, at time.Time, limit int) ([]live.Due, time.Time, error) {
	q.looks.Add(1)
	return q.Queue.DueRuns(ctx, at, limit)
}

// TestQuietQueue: runs that begin at once, and for whose end no other run waits, need no look at the
// queue.
func TestQuietQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q *countedQueue
		h := setup(t, func(h *house) {
			h.queue = func(of live.Queue) live.Queue {
				q = &countedQueue{Queue: of}
				return q
			}
		})
		defer h.end()
		synctest.Wait()
		before := q.looks.Load()
		for range 20 {
			h.follow(h.start(h.spec("s", "Hello.")).ID, 0)
		}
		synctest.Wait()
		if n := q.looks.Load() - before; n > 0 {
			t.Errorf("the queue was looked at %d times during 20 runs", n)
		}
	})
}

// countedStore counts how often the events of a run are read.
type countedStore struct {
	live.Store
	reads atomic.Int64
}

// Events implements live.Store.
func (s *countedStore) Events(ctx context.Context, o owner.Owner, id string, after int64, limit int) ([]live.Event, live.State, error) {
	s.reads.Add(1)
	return s.Store.Events(ctx, o, id, after, limit)
}

// TestQuietEnd: a reader who has read all before the end of a run is handed the end, and need not
// read the store.
func TestQuietEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *countedStore
		h := setup(t, func(h *house) {
			h.model.script = func(_ context.Context, _ int, say func(run.Delta) bool) error {
				<-time.After(100 * time.Millisecond) // the reader is there by then
				say(text("An answer."))
				say(finish("stop"))
				return nil
			}
			h.store = func(of live.Store) live.Store {
				s = &countedStore{Store: of}
				return s
			}
		})
		defer h.end()
		for range 20 {
			spec := h.spec("s", "Hello.")
			spec.Patience = time.Second
			if events := h.follow(h.start(spec).ID, 0); len(events) < 3 {
				t.Errorf("got %d events", len(events))
			}
		}
		if n := s.reads.Load(); n > 0 {
			t.Errorf("the events of 20 runs were read %d times", n)
		}
	})
}

// TestEveryWaitingRunBegins: of many runs that are started while others end, none waits for more
// than its turn.
func TestEveryWaitingRunBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.limits = live.Limits{Running: 2, OwnersRunning: 2} })
		defer h.end()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var starting sync.WaitGroup
		for n := range 60 {
			spec := h.spec(session.ID(fmt.Sprint("s", n%7)), "Hello.")
			starting.Go(func() {
				rec := h.start(spec)
				for _, err := range h.registry.Follow(ctx, alice(), rec.ID, 0, nil) {
					if err != nil {
						t.Errorf("run %d: %v", n, err)
					}
				}
				if state := h.record(rec.ID).State; state != live.Completed {
					t.Errorf("run %d is %s after a minute", n, state)
				}
			})
		}
		starting.Wait()
	})
}
