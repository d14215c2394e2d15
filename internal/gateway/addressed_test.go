package gateway_test

import (
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestMentionAddedByAnEdit: an edit that adds the forgotten mention counts as the message, once. An edit of
// a message that was answered does not.
func TestMentionAddedByAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		said := h.group(ada, "Ada", "what is up", false)
		h.receive(said)
		h.settled()
		edit := func(text string, addressed bool) gateway.Event {
			e := h.group(ada, "Ada", text, addressed)
			e.Kind, e.Message = gateway.Edited, said.Message
			return e
		}
		h.receive(edit("what is up?", false))
		h.settled()
		want(t, "event", h.newest().Reason, "not addressed")
		want(t, "before the mention", len(h.wire.said()), 0)
		first := edit("what is up?", true)
		h.receive(first)
		h.settled()
		want(t, "answer", h.wire.said(), []string{"You said: what is up?"})
		want(t, "answered message", h.wire.shown[0].reply, said.Message)
		h.receive(first, edit("what is up today?", true))
		h.settled()
		want(t, "after another edit", len(h.wire.said()), 1)
	})
}
