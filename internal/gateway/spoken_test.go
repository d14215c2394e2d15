package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestWhatIsSpoken: of an answer people see what the model says, and neither what it thinks before nor the mark of one
// that has nothing to say, at no time.
func TestWhatIsSpoken(t *testing.T) {
	t.Parallel()
	const empty = "⚠️ The model gave an empty answer. /retry asks again."
	long := strings.Repeat("secret ", 20)
	answers := map[string]string{
		"<think>\n" + long + "\n</think>\n\nThe answer.": "The answer.", "<Thought>" + long + "</thought>": empty, "<reasoning>" + long: empty,
		"<think>" + long + "</think>[SILENT]": "", "The tag <think>is</think> one.": "The tag <think>is</think> one.",
		"[SILENT].": "", "`[SILENT]`": "", "[silent]": "", "**\"[Silent]\"**!": "", "```\n[SILENT]\n```": "", `\[SILENT\]`: "", "[SILENT]\n": "",
		"[SILENT] night": "[SILENT] night", "Silent.": "Silent.", "[silently]": "[silently]", "…": "…",
	}
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) { h.bot.Stream = stream })
			defer h.end()
			for answer, told := range answers {
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
					for _, word := range strings.SplitAfter(answer, "n") {
						say(word)
						<-time.After(2 * time.Second)
					}
					return nil
				}
				before := len(h.wire.said())
				h.receive(h.dm(ada, "Is anybody there?"))
				for range 40 {
					pass(time.Second)
					if shown := strings.Join(h.wire.said()[before:], ""); told != empty && !strings.HasPrefix(told, shown) {
						t.Fatalf("while %q is written, the person sees %q", answer, shown)
					}
				}
				h.settled()
				var want []string
				if told != "" {
					want = []string{told}
				}
				if diff := cmp.Diff(want, h.wire.said()[before:], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("after the answer %q, streamed %t, the person sees (-want +got):\n%s", answer, stream, diff)
				}
			}
		})
	}
}

// TestThoughtsOfAFailure: an answer that broke off shows no thoughts either.
func TestThoughtsOfAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			say("<think>secret")
			return fault.New(fault.Upstream, "", "It broke.")
		}
		h.receive(h.dm(ada, "Is anybody there?"))
		h.settled()
		want(t, "messages", h.wire.said(), []string{"⚠️ It broke. /retry asks again."})
	})
}

// TestThoughtsOfAJob: the output of a job shows no thoughts.
func TestThoughtsOfAJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		h.receive(h.dm(ada, "Hello."))
		h.settled()
		for output, told := range map[string]string{"<think>secret</think>\nNews.": "News.", "<think>secret</think>": "⚠️ The job standup gave an empty answer."} {
			target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
			fire := job.Fire{Status: job.Completed, Output: output}
			if err := target.Deliver(t.Context(), h.bot.Owner, ada, &job.Event{ID: "of " + told, JobName: "standup", Run: fire}); err != nil {
				t.Fatal(err)
			}
			said := h.wire.said()
			want(t, "output", said[len(said)-1], told)
		}
	})
}
