package gateway_test

import (
	"slices"
	"strings"
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

// TestAlbumInAGroup: an album whose caption mentions the bot is one message with all its photos, whether the
// photos come together or one after the other. Another album is not.
func TestAlbumInAGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		photo := func(album, name, text string, addressed bool) gateway.Event {
			e := h.group(ada, "Ada", text, addressed)
			e.Album, e.Files = album, []gateway.FileRef{{Ref: name, Kind: gateway.Photo, Name: name}}
			return e
		}
		told := func(names ...string) []string {
			t.Helper()
			var all strings.Builder
			for _, m := range h.model.last().Messages {
				all.WriteString(m.Content + string(m.Wire))
			}
			return slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(all.String(), name) })
		}
		h.receive(photo("a", "a1.jpg", "which of these?", true))
		h.receive(photo("a", "a2.jpg", "", false), photo("b", "b1.jpg", "", false))
		h.receive(photo("a", "a3.jpg", "", false))
		h.settled()
		want(t, "turns", h.model.count(), 1)
		want(t, "photos", told("a1.jpg", "a2.jpg", "a3.jpg", "b1.jpg"), []string{"a1.jpg", "a2.jpg", "a3.jpg"})
		h.receive(photo("c", "c1.jpg", "", false), photo("c", "c2.jpg", "and of these?", true), photo("d", "d1.jpg", "", false))
		h.settled()
		want(t, "turns", h.model.count(), 2)
		want(t, "more photos", told("c1.jpg", "c2.jpg", "d1.jpg"), []string{"c1.jpg", "c2.jpg"})
	})
}
