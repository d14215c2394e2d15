package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/run"
)

// TestUndoOfAGatheredTurn: messages that were gathered into one turn are taken back together, and asked
// again together. A message that was kept without a turn before them stays.
func TestUndoOfAGatheredTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.model.script = func(ctx context.Context, _ *run.Prompt, _ func(string)) error { <-ctx.Done(); return ctx.Err() }
		h.receive(h.dm(ada, "My hen is Ida."))
		pass(3 * time.Second)
		h.receive(h.dm(ada, "/stop"))
		h.settled()
		h.model.script = nil
		three := []string{"My cat is Tom.", "My dog is Rex.", "My cow is Moo."}
		gather := func() {
			for _, text := range three {
				h.receive(h.dm(ada, text))
				pass(100 * time.Millisecond)
			}
			h.settled()
		}
		gather()
		say := func(command string) string {
			h.receive(h.dm(ada, command))
			h.settled()
			said := h.wire.said()
			return said[len(said)-1]
		}
		want(t, "undo", say("/undo"), "Taken back, and no longer remembered: “My cat is Tom.”, “My dog is Rex.”, “My cow is Moo.”")
		want(t, "left", h.transcript(h.chat(ada).Session), []string{"user: My hen is Ida."})
		gather()
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error { say("Other words."); return nil }
		want(t, "retry", say("/retry"), "Other words.")
		want(t, "asked again", h.transcript(h.chat(ada).Session), []string{
			"user: My hen is Ida.", "user: My cat is Tom.", "user: My dog is Rex.", "user: My cow is Moo.", "assistant: Other words.",
		})
		want(t, "undo of the retry", say("/undo"), "Taken back, and no longer remembered: “My cat is Tom.”, “My dog is Rex.”, “My cow is Moo.”")
	})
}
