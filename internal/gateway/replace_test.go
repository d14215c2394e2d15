package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// writing is a house whose model writes some pieces, with a wait before each but the first.
func writing(t *testing.T, wait time.Duration, pieces ...string) *house {
	t.Helper()
	return setup(t, func(h *house) {
		h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
			for i, piece := range pieces {
				if i > 0 {
					select {
					case <-time.After(wait):
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				say(piece)
			}
			return nil
		}
	})
}

// newest is the newest event, with what became of it.
func (h *house) newest() gateway.Inbound {
	h.t.Helper()
	list, err := h.db.ChatEvents(h.t.Context(), h.bot.Owner, gateway.EventFilter{Limit: 1})
	if err != nil || len(list) != 1 {
		h.t.Fatalf("events: got %v, %v", list, err)
	}
	return list[0]
}

const kettle = "The kettle is on, and the tea is in the pot. "

// TestDeletedWhileWritten: a person deletes the message while the answer is written to it. The whole
// answer is sent in a new one.
func TestDeletedWhileWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := writing(t, 3*time.Second, kettle, kettle, kettle, "It is done.")
		defer h.end()
		h.receive(h.group(ada, "Ada", "Is there tea?", true))
		pass(5 * time.Second)
		want(t, "before", len(h.wire.said()), 1)
		h.wire.erase("m1")
		edits := h.wire.edited()
		h.settled()
		want(t, "what people see", h.wire.said(), []string{kettle + kettle + kettle + "It is done."})
		want(t, "event", h.newest().State, gateway.Answered)
		if got := h.wire.edited() - edits; got > 2 { // one while it is written, one at the end
			t.Errorf("got %d edits of a message that is gone", got)
		}
	})
}

// TestDeletedBeforeLaterParts: the first of several messages of an answer is gone. The parts are read
// in their order, and no part is there twice.
func TestDeletedBeforeLaterParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parts := []string{strings.Repeat("one ", 99), strings.Repeat("two ", 99), strings.Repeat("six ", 90)}
		h := writing(t, 20*time.Second, parts[0]+"\n\n"+parts[1]+"\n\n"+parts[2], "six.")
		h.receive(h.group(ada, "Ada", "Count.", true))
		pass(15 * time.Second)
		want(t, "before", len(h.wire.said()), 3)
		h.wire.erase("m1")
		h.end()
		h.begin() // this server does not know what is shown
		defer h.end()
		pass(2 * time.Minute)
		var got []string
		for _, text := range h.wire.said() {
			got = append(got, text[:3])
		}
		want(t, "what people see", got, []string{"one", "two", "six"})
	})
}

// TestThreadIsGone: an answer to a thread that was deleted meanwhile is sent to the chat itself.
func TestThreadIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.wire.refuse = func(o *gateway.Out) error {
				if o.Place.Thread != "" {
					return &gateway.SendError{Reason: gateway.NoThread, Text: "no such thread"}
				}
				return nil
			}
		})
		defer h.end()
		e := h.group(ada, "Ada", "Hello.", true)
		e.Place.Thread = "9"
		h.receive(e)
		h.settled()
		want(t, "what people see", h.wire.said(), []string{"You said: Hello."})
		want(t, "event", h.newest().State, gateway.Answered)
		want(t, "mark", h.wire.mark(e.Message), gateway.Clear)
	})
}

// TestNotDelivered: what became of an answer that cannot be sent is seen in the events, and by a mark.
func TestNotDelivered(t *testing.T) {
	t.Parallel()
	const reason = "The bot was removed from the chat."
	for name, pieces := range map[string][]string{
		"at the end":          {"Hello."},
		"while it is written": {kettle, kettle, "It is done."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := writing(t, 3*time.Second, pieces...)
				defer h.end()
				h.wire.refuse = func(*gateway.Out) error { return &gateway.SendError{Reason: gateway.Gone, Text: reason} }
				e := h.group(ada, "Ada", "Hello?", true)
				h.receive(e)
				h.settled()
				got := h.newest()
				want(t, "event", got.State, gateway.Lost)
				want(t, "reason", got.Reason, reason)
				want(t, "mark", h.wire.mark(e.Message), gateway.Broke)
			})
		})
	}
}

// TestCommandNotAnswered: why the answer to a command was not sent is seen in the events.
func TestCommandNotAnswered(t *testing.T) {
	t.Parallel()
	const reason = "The bot was removed from the chat."
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.wire.refuse = func(*gateway.Out) error { return &gateway.SendError{Reason: gateway.Gone, Text: reason} }
		e := h.group(ada, "Ada", "/help", true)
		h.receive(e)
		h.settled()
		got := h.newest()
		want(t, "event", got.State, gateway.Commanded)
		want(t, "reason", got.Reason, reason)
		want(t, "mark", h.wire.mark(e.Message), gateway.Broke)
		want(t, "messages", len(h.wire.said()), 0)
	})
}
