package gateway_test

import (
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
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

// TestFormerIDs: settings and jobs may name a group by the id that it had before it became a
// supergroup.
func TestFormerIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Chats, h.bot.Home = []string{"-42"}, "-42" })
		defer h.end()
		h.receive(h.group("2", "Bea", "Hello.", true))
		h.settled()
		moved := h.group("2", "Bea", "", false)
		moved.Kind, moved.MovedTo = gateway.Moved, "-100"
		h.receive(moved)
		again := h.group("2", "Bea", "Still here?", true)
		again.Place.Chat = "-100"
		h.receive(again)
		h.settled()
		want(t, "messages", h.wire.said(), []string{"You said: Hello.", "You said: Still here?"})
		target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
		for _, place := range []string{"-42", "", "-100"} {
			if err := target.Deliver(t.Context(), h.bot.Owner, place, &job.Event{ID: "to " + place, Run: job.Fire{Status: job.Completed, Output: "News."}}); err != nil {
				t.Errorf("to %q: %v", place, err)
			}
		}
		want(t, "places", h.wire.places(), []string{"-42", "-100", "-100", "-100", "-100"})
		elsewhere := h.group("3", "Eve", "And here?", true)
		elsewhere.Place.Chat = "-43"
		h.receive(elsewhere)
		h.settled()
		want(t, "turns", h.model.count(), 2)
		if err := target.Check(t.Context(), h.bot.Owner, "-43"); err == nil {
			t.Error("an unknown chat is a target")
		}
	})
}
