package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestOneBatchIsAsApart: what comes together, as after an outage, becomes what it would become if it came one after the other.
func TestOneBatchIsAsApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events  func(h *house) []gateway.Event
		answers []string // each with the chat that it was sent to
	}{
		"deleted": {func(h *house) []gateway.Event {
			said := h.group(ada, "Ada", "is there tea?", true)
			return []gateway.Event{said, h.about(said, gateway.Deleted, "")}
		}, nil},
		"deleted behind an edit": {func(h *house) []gateway.Event {
			said := h.dm(ada, "My code is 4711.")
			return []gateway.Event{said, h.about(said, gateway.Edited, "My code is 4712."), h.about(said, gateway.Deleted, ""), h.dm(ada, "Hello.")}
		}, []string{"1001: You said: Hello."}},
		"a mention added": {func(h *house) []gateway.Event {
			said := h.group(ada, "Ada", "hello all", false)
			return []gateway.Event{said, h.about(said, gateway.Edited, "hello all")}
		}, []string{"-42: You said: hello all"}},
		"a mention added, then other words": {func(h *house) []gateway.Event {
			said := h.group(ada, "Ada", "hello all", false)
			return []gateway.Event{said, h.about(said, gateway.Edited, "hello all"), h.about(said, gateway.Edited, "hello you")}
		}, []string{"-42: You said: hello you"}},
		"edited into a command": {func(h *house) []gateway.Event {
			said := h.dm(ada, "stautus")
			return []gateway.Event{said, h.about(said, gateway.Edited, "/stautus")}
		}, []string{"1001: There is no such command. Did you mean /status?"}},
		"edited into other words": {func(h *house) []gateway.Event {
			said := h.dm(ada, "Is there tee?")
			return []gateway.Event{h.dm(ada, "Hello."), said, h.about(said, gateway.Edited, "Is there tea?")}
		}, []string{"1001: You said: Is there tea?"}},
		"an equal message of another chat": {func(h *house) []gateway.Event {
			said := h.group(ada, "Ada", "is there tea?", true)
			other := h.about(said, gateway.Deleted, "")
			other.Place.Chat = "-43"
			return []gateway.Event{said, other}
		}, []string{"-42: You said: is there tea?"}},
		"a group that moves": {func(h *house) []gateway.Event {
			said := h.group(ada, "Ada", "is there tea?", true)
			moved := h.about(said, gateway.Moved, "")
			moved.Message, moved.MovedTo = "", "-1042"
			return []gateway.Event{said, moved}
		}, []string{"-1042: You said: is there tea?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apart := becomes(t, c.events, false)
			want(t, "answers apart", apart.answers, c.answers)
			together := becomes(t, c.events, true)
			want(t, "answers together", together.answers, c.answers)
			want(t, "events together", together.events, apart.events)
		})
	}
}

// outcome is what became of events.
type outcome struct {
	answers, events []string
}

// becomes is what becomes of events that come together, or one after the other.
func becomes(t *testing.T, events func(h *house) []gateway.Event, together bool) outcome {
	t.Helper()
	var out outcome
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		list := events(h)
		if together {
			h.receive(list...)
		} else {
			for i := range list {
				h.receive(list[i])
			}
		}
		h.settled()
		for i, text := range h.wire.said() {
			out.answers = append(out.answers, h.wire.places()[i]+": "+text)
		}
		stored, err := h.db.ChatEvents(t.Context(), h.bot.Owner, gateway.EventFilter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for i := range stored {
			out.events = append(out.events, fmt.Sprint(stored[i].Message, " ", stored[i].Kind, " ", stored[i].State, " ", stored[i].Reason))
		}
	})
	return out
}

// TestThePositionFollowsAllOfABatch: the position of a batch is stored with its last event. A batch that is stored in part comes again.
func TestThePositionFollowsAllOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.wire.mu.Lock()
		in := h.wire.in
		h.wire.mu.Unlock()
		position := func() gateway.Position {
			t.Helper()
			at, err := in.Position(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		said := h.dm(ada, "stautus")
		list := []gateway.Event{said, h.about(said, gateway.Edited, "/stautus"), h.dm(ada, "Hello.")}
		commits, broken := 0, errors.New("the disk is full")
		h.commits = func() error {
			if commits++; commits == 2 {
				return broken
			}
			return nil
		}
		if err := in.Commit(t.Context(), slices.Clone(list), "8"); !errors.Is(err, broken) {
			t.Fatalf("got %v, want that the second part is not stored", err)
		}
		want(t, "position of a part", position(), gateway.Position(""))
		if err := in.Commit(t.Context(), slices.Clone(list), "8"); err != nil {
			t.Fatal(err)
		}
		want(t, "position", position(), gateway.Position("8"))
		pass(time.Minute)
		want(t, "answers", h.wire.said(), []string{"There is no such command. Did you mean /status?", "You said: Hello."})
	})
}
