package gateway_test

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestDeliveriesAreNotLookedUp: what a platform tells of a message that is stored as sent costs no query. One that was
// not delivered after all is looked up.
func TestDeliveriesAreNotLookedUp(t *testing.T) {
	t.Parallel()
	onFinderToo(t, func(t *testing.T, change func(*house)) {
		h := setup(t, change)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		pass(5 * time.Second)
		h.settled()
		list, err := h.db.SendsOf(t.Context(), h.bot.Owner, adas(h), h.newest().Run)
		if err != nil || len(list) != 1 || list[0].State != gateway.Sent {
			t.Fatalf("got %+v and %v, want one message that is sent", list, err)
		}
		told := func(kind gateway.EventKind) int64 {
			before := h.lookups.Load()
			e := h.dm(ada, "")
			e.Kind, e.Sent, e.Message = kind, list[0].ID, list[0].Message
			h.receive(e)
			return h.lookups.Load() - before
		}
		for range 3 {
			if n := told(gateway.Arrived); n != 0 {
				t.Errorf("got %d lookups of a message that was delivered, want none", n)
			}
		}
		if n := told(gateway.Failed); n != 1 {
			t.Errorf("got %d lookups of a message that was not delivered, want 1", n)
		}
		if n := told(gateway.Arrived); n != 1 {
			t.Errorf("got %d lookups of a message that is to be sent again or was given up, want 1", n)
		}
	})
}
