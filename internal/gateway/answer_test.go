package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestNoLook: neither a message that comes alone nor its answer is read from the store, which has just got them.
// What comes with another one is.
func TestNoLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.bot.Stream = false })
		defer h.end()
		for n, text := range []string{"Good morning.", "How are you?"} {
			before := h.looks.Load()
			h.receive(h.dm(ada, text))
			h.settled()
			if got := h.looks.Load() - before; got != 0 || len(h.wire.said()) != n+1 {
				t.Errorf("%q: got %d looks, and %q was sent, want no look", text, got, h.wire.said())
			}
		}
		before := h.looks.Load()
		h.receive(h.dm(ada, "One."))
		pass(100 * time.Millisecond)
		h.receive(h.dm(ada, "Two."))
		h.settled()
		if h.looks.Load() == before || len(h.wire.said()) != 3 {
			t.Errorf("got %d looks, and %q was sent, want some and one answer more", h.looks.Load()-before, h.wire.said())
		}
	})
}

// TestEmptyAnswer: a model that answers nothing has failed, and the person is told. One that has
// nothing to say says so.
func TestEmptyAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for answer, want := range map[string][]string{"": {"⚠️ The model gave an empty answer. /retry asks again."}, " \n": {
			"⚠️ The model gave an empty answer. /retry asks again.",
		}, "[SILENT]": nil} {
			h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
				say(answer)
				return nil
			}
			before := len(h.wire.said())
			h.receive(h.dm(ada, "Is anybody there?"))
			h.settled()
			if diff := cmp.Diff(want, h.wire.said()[before:], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("after the answer %q the person sees (-want +got):\n%s", answer, diff)
			}
		}
	})
}

// TestReasonEnds: the reason of a failure ends as a sentence, before the next one begins.
func TestReasonEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for reason, told := range map[string]string{"model exploded": "model exploded.", "Model exploded.": "Model exploded.", "Why?": "Why?"} {
			h.model.refuse = func(*run.Prompt) error { return fault.New(fault.Invalid, "", reason) }
			h.receive(h.dm(ada, "Is anybody there?"))
			h.settled()
			said := h.wire.said()
			want(t, "answer", said[len(said)-1], "⚠️ "+told+" /retry asks again.")
		}
	})
}
