package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// under is a request under an idempotency key.
func under(key string, id session.ID, ms []session.Message) *run.Request {
	return &run.Request{Session: id, Messages: ms, Streaming: true, Idempotency: &run.Idempotency{Route: "chat", Key: key, BodyHash: []byte(key)}}
}

// cutOff runs a turn whose input is stored and whose answer is not, as a crash would
// leave it.
func (h *house) cutOff(req *run.Request) {
	h.t.Helper()
	h.store.next(false, true)
	if got := h.turn(req); !errors.Is(got.err, errBrittle) {
		h.t.Fatalf("got %v, want the answer lost", got.err)
	}
}

// TestRetryAtTheEnd: where nothing was said since, the input stays where it stands.
func TestRetryAtTheEnd(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.cutOff(under("k", "s", user("Hello.")))
	if got := h.turn(under("k", "s", user("Hello."))); got.err != nil {
		t.Fatal(got.err)
	}
	if diff := cmp.Diff([]string{"user:Hello.", "assistant:ok"}, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// overtaken is a session in which a retry was answered behind another turn.
func overtaken(h *house) {
	h.t.Helper()
	h.cutOff(under("25", "s", user("N25")))
	h.model.say(saying{text: "A27"})
	h.chat("s", "N27", false)
	h.model.say(saying{text: "A25"})
	h.mustTurn(under("25", "s", user("N25")))
	want := []string{"user:N25", "user:N27", "assistant:A27", "assistant:A25"}
	if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
		h.t.Fatalf("transcript (-want +got):\n%s", diff)
	}
}

// TestRetryBehindAnotherTurn: the answer names its input, and every later prompt shows
// it there.
func TestRetryBehindAnotherTurn(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	overtaken(h)
	ms := h.transcript("s")
	if got := []int64{ms[0].ReplyTo, ms[1].ReplyTo, ms[2].ReplyTo, ms[3].ReplyTo}; !slices.Equal(got, []int64{0, 0, 0, ms[0].ID}) {
		t.Errorf("got reply_to %v, want the id %d in the last message alone", got, ms[0].ID)
	}
	h.chat("s", "N28", false)
	h.shows(t, "prompt", "user:N25", "assistant:A25", "user:N27", "assistant:A27", "user:N28")
	made, err := h.curator.Fork(context.Background(), &curate.Branch{Owner: owner.Local(), Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	copied := h.transcript(made.ID)
	if copied[3].ReplyTo != copied[0].ID || copied[0].ID == ms[0].ID {
		t.Errorf("fork: got reply_to %d, want the copy %d", copied[3].ReplyTo, copied[0].ID)
	}
	h.chat(made.ID, "N29", false)
	h.shows(t, "prompt of the fork", "user:N25", "assistant:A25", "user:N27", "assistant:A27", "user:N28", "assistant:ok", "user:N29")
}

// TestTwoRetries: each answer goes to its own input, in whatever order they come. An
// input that another turn overtook stays where it stands until then.
func TestTwoRetries(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.cutOff(under("25", "s", user("N25")))
	h.cutOff(under("27", "s", user("N27")))
	h.model.say(saying{text: "A28"})
	h.chat("s", "N28", true)
	h.shows(t, "prompt of N28", "user:N25", "user:N27", "user:N28")
	h.model.say(saying{text: "A25"}, saying{text: "A27"})
	h.mustTurn(under("25", "s", user("N25")))
	h.mustTurn(under("27", "s", user("N27")))
	h.shows(t, "prompt of the second retry", "user:N25", "assistant:A25", "user:N27")
	h.chat("s", "N29", false)
	h.shows(t, "prompt", "user:N25", "assistant:A25", "user:N27", "assistant:A27", "user:N28", "assistant:A28", "user:N29")
}

// TestRetryWithoutKeyBehindARetry: an input that is sent again without a key is known,
// though an answer to another input stands behind it.
func TestRetryWithoutKeyBehindARetry(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.cutOff(under("25", "s", user("N25")))
	h.cutOff(under("27", "s", user("N27")))
	h.model.say(saying{text: "A25"}, saying{text: "A27"})
	h.mustTurn(under("25", "s", user("N25")))
	h.chat("s", "N27", false)
	h.shows(t, "prompt", "user:N25", "assistant:A25", "user:N27")
	if diff := cmp.Diff([]string{"user:N25", "user:N27", "assistant:A25", "assistant:A27"}, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	h.chat("s", "N28", false)
	h.shows(t, "next prompt", "user:N25", "assistant:A25", "user:N27", "assistant:A27", "user:N28")
}

// TestHistoryOfExchanges: a client that sends its history in the order of the exchanges
// takes nothing back.
func TestHistoryOfExchanges(t *testing.T) {
	t.Parallel()
	says := func(text string) session.Message { return session.Message{Role: session.Assistant, Content: text} }
	ask := func(text string) session.Message { return user(text)[0] }
	for name, sent := range map[string][]session.Message{
		"all of it":   {ask("N25"), says("A25"), ask("N27"), says("A27"), ask("N28")},
		"one of both": {ask("N25"), says("A25"), ask("N28")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			overtaken(h)
			h.mustTurn(&run.Request{Session: "s", Messages: sent})
			h.shows(t, "prompt", "user:N25", "assistant:A25", "user:N27", "assistant:A27", "user:N28")
			for _, m := range h.transcript("s") {
				if !m.Stands() {
					t.Errorf("%s was taken back", m.Content)
				}
			}
		})
	}
}

// TestCallsOfARetry: the answer to a retry calls tools of the client, and so may the
// turn that came between. Each result is answered with its own exchange at the end.
func TestCallsOfARetry(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) *house {
		t.Helper()
		h := setup(t, 8000)
		h.cutOff(under("25", "s", user("N25")))
		h.model.say(calls("c27"))
		h.chat("s", "N27", false)
		h.model.say(calls("c25"))
		h.mustTurn(under("25", "s", user("N25")))
		h.model.say(saying{text: "first"}, saying{text: "second"})
		return h
	}
	t.Run("first its own", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		h.results("s", result("c25", "r25")...)
		h.shows(t, "prompt of r25", "user:N27", "user:N25", "assistant: (tool_calls)", "tool:r25")
		h.results("s", result("c27", "r27")...)
		h.shows(t, "prompt of r27", "user:N25", "assistant: (tool_calls)", "tool:r25", "assistant:first", "user:N27", "assistant: (tool_calls)", "tool:r27")
		h.chat("s", "N28", false)
		h.shows(t, "prompt", "user:N25", "assistant: (tool_calls)", "tool:r25", "assistant:first",
			"user:N27", "assistant: (tool_calls)", "tool:r27", "assistant:second", "user:N28")
	})
	t.Run("first the other's", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		h.results("s", result("c27", "r27")...)
		h.shows(t, "prompt of r27", "user:N25", "user:N27", "assistant: (tool_calls)", "tool:r27")
		h.results("s", result("c25", "r25")...)
		h.shows(t, "prompt of r25", "user:N27", "assistant: (tool_calls)", "tool:r27", "assistant:first", "user:N25", "assistant: (tool_calls)", "tool:r25")
		h.chat("s", "N28", false)
		h.shows(t, "prompt", "user:N25", "assistant: (tool_calls)", "tool:r25", "assistant:second",
			"user:N27", "assistant: (tool_calls)", "tool:r27", "assistant:first", "user:N28")
	})
	t.Run("its own once more", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		h.cutOff(under("r", "s", result("c25", "r25")))
		h.results("s", result("c25", "r25")...)
		h.shows(t, "prompt", "user:N27", "user:N25", "assistant: (tool_calls)", "tool:r25")
		if got := len(h.transcript("s")); got != 6 {
			t.Errorf("got %d messages, want the result once: %q", got, words(h.transcript("s")))
		}
	})
}

// TestUndoOfARetry takes the answer back with its input.
func TestUndoOfARetry(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.chat("s", "N1", false)
	overtakenIn := func() {
		h.cutOff(under("25", "s", user("N25")))
		h.chat("s", "N27", false)
		h.mustTurn(under("25", "s", user("N25")))
	}
	overtakenIn()
	if got := h.undo("s"); got.Messages != 4 || got.Text != "N27" {
		t.Errorf("got %d messages, %q, want both exchanges", got.Messages, got.Text)
	}
	h.chat("s", "N28", false)
	h.shows(t, "prompt", "user:N1", "assistant:ok", "user:N28")
	h.verify()
}

// TestRetryBeyondTheBudget: an exchange that has no room in the prompt is quoted from
// memory, though its answer is the newest message of the transcript.
func TestRetryBeyondTheBudget(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.cutOff(under("25", "s", user("Tell me of the launch.")))
	h.chat("s", "Never mind the weather.", false)
	const answer = "The code word of the launch is tangerine."
	h.model.say(saying{text: answer + strings.Repeat(" And so on, for a while.", 450)})
	h.mustTurn(under("25", "s", user("Tell me of the launch.")))
	h.chat("s", "What is the code word of the launch?", false)
	shown := words(h.model.last())
	if slices.ContainsFunc(shown, func(w string) bool { return strings.HasPrefix(w, "assistant:"+answer) }) {
		t.Fatalf("got %q, want no room for the answer", shown)
	}
	if !slices.ContainsFunc(shown, func(w string) bool { return strings.HasPrefix(w, "user:[Memory:") && strings.Contains(w, "tangerine") }) ||
		!slices.Contains(shown, "user:Never mind the weather.") {
		t.Errorf("got %q, want the answer quoted in front of the newest exchange", shown)
	}
}
