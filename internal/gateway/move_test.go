package gateway_test

import (
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestMovedWhileSending: a message to a chat that has another id by now is sent there at once, and
// a job's output counts as delivered only then.
func TestMovedWhileSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		h.wire.refuse = func(o *gateway.Out) error {
			if o.Place.Chat == ada {
				return &gateway.SendError{Reason: gateway.Elsewhere, MovedTo: "-100", Text: "moved"}
			}
			return nil
		}
		if err := deliver(t, h, "e1", "The news."); err != nil {
			t.Fatal(err)
		}
		want(t, "places", h.wire.places(), []string{ada, "-100"})
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", "The news."})
	})
}
