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

// TestAnswerThatShowsNothing: an answer that a platform shows nothing of is an empty one, also while it is written, and on a
// platform that refuses an empty message.
func TestAnswerThatShowsNothing(t *testing.T) {
	t.Parallel()
	const empty = "⚠️ The model gave an empty answer. /retry asks again."
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) {
				h.bot.Stream = stream
				h.wire.refuse = func(o *gateway.Out) error {
					if strings.Trim(o.Text, " \n\u200b\u2060\ufeff") == "" {
						return &gateway.SendError{Reason: gateway.Refused, Text: "the message is empty"}
					}
					return nil
				}
			})
			defer h.end()
			for answer, told := range map[string]string{
				"```\n\n```": empty, "# ": empty, "> ": empty, "[]()": empty, "| |\n|-|": empty, "\u200b\u2060": empty, "&#8203;": empty, "1.": "1.", "👍": "👍",
			} {
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
					say(answer)
					<-time.After(5 * time.Second)
					return nil
				}
				before := len(h.wire.said())
				h.receive(h.dm(ada, "Is anybody there?"))
				h.settled()
				if diff := cmp.Diff([]string{told}, h.wire.said()[before:]); diff != "" {
					t.Errorf("after the answer %q, streamed %t, the person sees (-want +got):\n%s", answer, stream, diff)
				}
			}
		})
	}
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

// TestForeignReason: a chat is told in words of ours that the model server refused, and not in those of that server.
func TestForeignReason(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, nil)
		defer h.end()
		for kind, told := range map[fault.Kind]string{
			fault.RateLimited: "The model server has too many requests.", fault.Upstream: "The model server has failed.",
		} {
			h.model.refuse = func(*run.Prompt) error {
				return &fault.Error{Kind: kind, Status: 418, Msg: "org-4711: <b>canary</b>", Foreign: true}
			}
			h.receive(h.dm(ada, "Is anybody there?"))
			h.settled()
			said := h.wire.said()
			want(t, "answer", said[len(said)-1], "⚠️ "+told+" /retry asks again.")
		}
	})
}

// TestCutAnswers: an answer that the model did not write to its end says so in a line behind it: once, in the last
// message, outside of code, within the length of a message.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	const note = "✂️ The model has reached its limit here, so this answer is not complete."
	long := strings.Repeat("It is a long story. ", 20)
	for name, c := range map[string]struct {
		answer string
		stream bool
		want   []string
	}{
		"short":     {"It is a long", true, []string{"It is a long\n\n" + note}},
		"whole":     {"It is a long", false, []string{"It is a long\n\n" + note}},
		"code":      {"Run this:\n\n```go\nfunc main(", true, []string{"Run this:\n\nfunc main(\n\n" + note}},
		"two parts": {strings.TrimSpace(long), true, []string{strings.TrimSpace(long), note}},
		"a file":    {strings.Repeat(long, 10), false, []string{"", "", "The whole answer is in this file.\n\n" + note}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) { h.bot.Stream = c.stream })
				defer h.end()
				h.model.finish = "length"
				h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
					for _, piece := range strings.SplitAfter(c.answer, " ") {
						say(piece)
						pass(20 * time.Millisecond)
					}
					return nil
				}
				h.receive(h.dm(ada, "Tell me."))
				h.settled()
				h.settled()
				said := h.wire.said()
				if len(said) != len(c.want) || strings.Count(strings.Join(said, ""), "✂️") != 1 {
					t.Fatalf("got %q, want %d messages and one note", said, len(c.want))
				}
				for i, text := range c.want {
					if len([]rune(said[i])) > 400 || text != "" && said[i] != text {
						t.Errorf("message %d: got %q, want %q", i, said[i], text)
					}
				}
				for _, s := range h.wire.shown {
					if s.file != "" && strings.Contains(s.file, "✂️") {
						t.Errorf("the file has the note, too")
					}
				}
			})
		})
	}
}

// TestCutOutputs: the output of a job that the model did not write to its end says so in the chat as an answer does.
func TestCutOutputs(t *testing.T) {
	t.Parallel()
	const note = "✂️ The model has reached its limit here, so this answer is not complete."
	long := strings.TrimSpace(strings.Repeat("It is a long story. ", 20))
	for name, c := range map[string]struct {
		run  job.Fire
		want []string
	}{
		"short":     {job.Fire{Status: job.Completed, Output: "It is a long", Reason: job.ReasonCut}, []string{"It is a long\n\n" + note}},
		"code":      {job.Fire{Status: job.Completed, Output: "```go\nfunc main(", Reason: job.ReasonCut}, []string{"func main(\n\n" + note}},
		"two parts": {job.Fire{Status: job.Completed, Output: long, Reason: job.ReasonCut}, []string{long, note}},
		"complete":  {job.Fire{Status: job.Completed, Output: "It is short."}, []string{"It is short."}},
		"empty":     {job.Fire{Status: job.Completed, Reason: job.ReasonCut}, []string{"⚠️ The job news gave an empty answer.\n\n" + note}},
		"failed":    {job.Fire{Status: job.Failed, Error: "No.", Reason: job.ReasonCut}, []string{"⚠️ The job news failed: No."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, nil)
				defer h.end()
				h.receive(h.dm(ada, "Hello."))
				h.settled()
				target := gateway.NewTarget(gateway.Telegram, func() *gateway.Gateway { return h.gateway })
				for range 2 { // a second attempt finds the messages of the first
					if err := target.Deliver(t.Context(), h.bot.Owner, ada, &job.Event{ID: "evt_1", JobName: "news", Run: c.run}); err != nil {
						t.Fatal(err)
					}
				}
				want(t, "messages", h.wire.said()[1:], c.want)
			})
		})
	}
}

// TestRefusedOnce: a message whose turn the model refuses is stored once, also if its time is finer than what is stored, as
// the times of Slack and Discord are.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) {
			h.model.refuse = func(*run.Prompt) error { return fault.New(fault.Invalid, "", "no") }
		})
		defer h.end()
		e := h.dm(ada, "Hello.")
		e.At = e.At.Add(123456)
		h.receive(e)
		h.settled()
		want(t, "what was said", strings.Count(h.spoken(), "Hello."), 1)
	})
}
