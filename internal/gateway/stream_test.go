package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/run"
)

// TestAnswerEndsWhileAPartBegins: an answer is complete and stored while one of its parts is about
// to be stored with the text that it had before. The whole text is shown.
func TestAnswerEndsWhileAPartBegins(t *testing.T) {
	t.Parallel()
	const words = "The kettle is on, and the tea is in the pot. "
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
				say(words)
				<-time.After(time.Second)
				say("It is done.")
				return nil
			}
			h.begins = func() { <-time.After(5 * time.Second) }
		})
		defer h.end()
		h.receive(h.dm(ada, "Is there tea?"))
		h.settled()
		want(t, "what people see", h.wire.said(), []string{strings.TrimSpace(words) + " It is done."})
	})
}
