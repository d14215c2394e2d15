package gateway_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestFailsForNow: an answer that the platform took and could not deliver for a while is sent
// again, until it arrives. What it tells of an earlier try changes nothing.
func TestFailsForNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Stream = false })
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		failed := func(passing bool) gateway.Event {
			last := h.wire.shown[len(h.wire.shown)-1]
			return gateway.Event{
				ID: string(last.id) + ":failed", Kind: gateway.Failed, Passing: passing, Place: last.place, Type: gateway.DM,
				From: gateway.Sender{ID: ada}, Sent: last.out, Message: last.id, Reason: "the platform failed",
			}
		}
		first := failed(true)
		h.receive(first)
		h.settled()
		pass(2 * time.Second)
		want(t, "after a failure", h.wire.said(), []string{"You said: Hello.", "You said: Hello."})
		h.receive(first)
		h.settled()
		pass(time.Hour)
		want(t, "told twice", len(h.wire.said()), 2)
		h.receive(failed(false))
		h.settled()
		pass(time.Hour)
		want(t, "after a failure that stays", len(h.wire.said()), 2)
	})
}
