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

// TestWrittenAgainByTheNextServer: a server stops when all of an answer is shown, and the next one shows the answer as it is
// written again. At the end people see the whole text, although the message was stored with that text.
func TestWrittenAgainByTheNextServer(t *testing.T) {
	t.Parallel()
	const words, end = "The kettle is on, and the tea is in the pot. ", "It is done."
	synctest.Test(t, func(t *testing.T) {
		lives := 0
		h := setup(t, func(h *house) {
			h.model.script = func(ctx context.Context, _ *run.Prompt, say func(string)) error {
				if lives++; lives == 1 {
					say(words + end)
					<-ctx.Done()
					return ctx.Err()
				}
				say(words)
				<-time.After(20 * time.Second)
				say(end)
				return nil
			}
		})
		h.receive(h.dm(ada, "Is there tea?"))
		pass(5 * time.Second)
		want(t, "what people see first", h.wire.said(), []string{words + end})
		h.end()
		h.begin()
		defer h.end()
		pass(10 * time.Second)
		want(t, "what people see meanwhile", h.wire.said(), []string{strings.TrimSpace(words)})
		h.settled()
		pass(time.Minute)
		want(t, "what people see", h.wire.said(), []string{words + end})
	})
}
