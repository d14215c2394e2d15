package gateway_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// registrar is a wire that shows commands to people.
type registrar struct {
	*wire
	fails int
	tried []time.Time
	list  []gateway.CommandInfo
}

func (r *registrar) Commands(_ context.Context, list []gateway.CommandInfo) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = append(r.tried, time.Now())
	if r.fails--; r.fails >= 0 {
		return errors.New("out of order")
	}
	r.list = list
	return nil
}

// tries returns how often registering was tried.
func (r *registrar) tries() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tried)
}

// TestCommandsAreRegistered: registering is repeated until it succeeds or the server stops, and
// no message waits for it.
func TestCommandsAreRegistered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &registrar{fails: 6}
		h := setup(t, func(h *house) {
			r.wire = h.wire
			h.adapter = r
		})
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		want(t, "sent meanwhile", h.wire.said(), []string{"You said: Hello."})
		pass(10 * time.Minute)
		synctest.Wait()
		var waits []time.Duration
		for i := range r.tried[1:] {
			waits = append(waits, r.tried[i+1].Sub(r.tried[i]))
		}
		const s = time.Second
		want(t, "waits", waits, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s})
		if len(r.list) == 0 {
			t.Error("the commands were not registered")
		}
		h.end()
		r.fails = 1 << 30
		h.begin()
		pass(24 * time.Hour)
		if n := r.tries(); n < 7+24 || n > 7+50 {
			t.Errorf("got %d tries in a day", n-7)
		}
		h.end()
		before := r.tries()
		pass(2 * time.Hour)
		want(t, "tries after the end", r.tries(), before)
	})
}
