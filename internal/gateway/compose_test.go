package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/run"
)

// TestALongAnswer: the beginning of a long answer is sent as messages, and all of it as a file
// with a short text, in a message of its own.
func TestALongAnswer(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		t.Run(fmt.Sprintf("streamed %t", streamed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) { h.bot.Stream = streamed })
				defer h.end()
				var whole []string
				for i := range 120 {
					whole = append(whole, fmt.Sprintf("This is sentence number %d.", i))
				}
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
					for i, s := range whole {
						if i > 0 {
							say(" ")
						}
						say(s)
						pass(300 * time.Millisecond)
					}
					return nil
				}
				h.receive(h.dm(ada, "Tell me all."))
				pass(2 * time.Minute)
				h.settled()
				text := strings.Join(whole, " ")
				said := h.wire.said()
				messages, last := said[:len(said)-1], h.wire.shown[len(said)-1]
				want(t, "the text beside the file", last.text, "The whole answer is in this file.")
				want(t, "the file", last.file, text)
				if begins := strings.Join(messages, " "); !strings.HasPrefix(text, begins) {
					t.Errorf("the messages are no beginning of the answer: %s", begins)
				}
				if !streamed {
					want(t, "messages", len(messages), 2)
				}
				if len(messages) > 8 {
					t.Errorf("got %d messages, want 8 at most", len(messages))
				}
			})
		})
	}
}
