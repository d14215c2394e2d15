package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestUnder: where a DM is one conversation with all its threads, an answer stands in the thread of its message, with all
// its parts, and goes on in the one session. If the thread is gone, the answer is sent all the same.
func TestUnder(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) { h.bot.Stream = stream })
			defer h.end()
			h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
				say(strings.Repeat("word ", 120))
				return nil
			}
			var under []gateway.MessageID
			h.wire.refuse = func(o *gateway.Out) error {
				if under = append(under, o.Under); o.Under == "gone" {
					return &gateway.SendError{Reason: gateway.NoThread, Text: "The thread is gone."}
				}
				return nil
			}
			ask := func(text string, root gateway.MessageID) {
				e := h.dm(ada, text)
				e.Under = root
				h.receive(e)
				h.settled()
			}
			ask("Hello.", "")
			ask("Hello.", "root")
			ask("/status", "root")
			ask("/status", "gone")
			want(t, "threads", under, []gateway.MessageID{"", "", "root", "root", "root", "gone", ""})
			want(t, "messages of the session", len(h.transcript(h.chat(ada).Session)), 4)
		})
	}
}
