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

// TestDeletedDuringAnswer: if the session is deleted while an answer is being written, the messages that show the
// beginning of the answer say so instead, or a new one does. Nothing of the answer is stored.
func TestDeletedDuringAnswer(t *testing.T) {
	t.Parallel()
	const line = "🗑️ This conversation was deleted before the answer was complete."
	for name, c := range map[string]struct {
		text string
		slow bool // the rows of the messages are gone before the end of the turn is known
		want []string
	}{
		"one message":         {"Line 1 of the long answer. ", false, []string{line}},
		"two messages":        {strings.Repeat("Line 1 of the long answer. ", 20), false, []string{line, "–"}},
		"nothing shown":       {"Li", false, []string{line}},
		"the rows are gone":   {"Line 1 of the long answer. ", true, []string{line}},
		"and of two messages": {strings.Repeat("Line 1 of the long answer. ", 20), true, []string{line, "–"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				defer h.end()
				h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
					say(c.text)
					if len(c.text) < 5 {
						<-ctx.Done()
						return ctx.Err()
					}
					pass(6 * time.Second)
					say("Line 2")
					<-ctx.Done()
					return ctx.Err()
				}
				h.receive(h.dm(ada, "Tell me a long story."))
				pass(time.Second)
				if len(c.text) > 5 {
					pass(10 * time.Second)
				}
				at := h.chat(ada).Session
				tip, err := h.db.Tip(t.Context(), h.bot.Owner, at)
				if err != nil {
					t.Fatal(err)
				}
				if c.slow {
					if err := h.db.DeleteLineage(t.Context(), h.bot.Owner, tip.RootID); err != nil {
						t.Fatal(err)
					}
				}
				h.registry.StopAll(t.Context(), h.bot.Owner, tip.RootID)
				if !c.slow {
					if _, err := h.curator.Delete(t.Context(), h.bot.Owner, at, nil); err != nil {
						t.Fatal(err)
					}
				}
				h.settled()
				want(t, "messages", h.wire.said(), c.want)
				events, err := h.db.ChatEvents(t.Context(), h.bot.Owner, gateway.EventFilter{Limit: 10})
				if err != nil || len(events) != 1 || events[0].State != gateway.Answered {
					t.Fatalf("got %+v, %v, want one event, answered", events, err)
				}
				sends, err := h.db.SendsOf(t.Context(), h.bot.Owner, h.chat(ada).Place, events[0].Run)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range sends {
					if strings.Contains(s.Text, "Line") || s.State != gateway.Sent {
						t.Errorf("the store has %+v, want the line, sent", s)
					}
				}
			})
		})
	}
}
