package run_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func call(id, arguments string) saying {
	return saying{calls: []run.ToolCall{{ID: id, Name: "look", Arguments: arguments}}}
}

func result(id, text string) []session.Message {
	return []session.Message{{Role: session.Tool, ToolCallID: id, Content: text}}
}

// TestCallStaysWithItsResult: however small the budget, a result is never shown
// without the call it answers.
func TestCallStaysWithItsResult(t *testing.T) {
	t.Parallel()
	h := setup(t, 400)
	h.chat("s", long(1), false)
	h.model.say(call("c1", `{"text":"`+strings.Repeat("word ", 200)+`"}`))
	h.chat("s", "Look it up.", false)
	got := h.turn(&run.Request{Session: "s", Messages: result("c1", "found")})
	if got.err != nil {
		t.Fatal(got.err)
	}
	ms := h.model.last()
	if n := len(ms); n < 2 || len(ms[n-2].ToolCalls) == 0 || ms[n-1].ToolCallID != "c1" {
		t.Errorf("got the prompt %v, want the call before its result", words(ms))
	}
	// What the model cannot take together is refused, not parted.
	h.model.say(call("c2", `{"text":"`+strings.Repeat("word ", 500)+`"}`))
	h.chat("s", "And this.", false)
	h.runner = h.runs(run.Config{Budgets: compression.Budgets{Default: 400}, Window: window(500)}, nil)
	got = h.turn(&run.Request{Session: "s", Messages: result("c2", "found, too")})
	if fault.CodeOf(got.err) != "context_length_exceeded" {
		t.Errorf("got %v, want the context's length exceeded", got.err)
	}
}

// window is a model's window of n tokens.
func window(n int) func(context.Context, string) run.Window {
	return func(context.Context, string) run.Window { return run.Window{Tokens: n, Source: "the test"} }
}

// TestUnansweredCallIsNotShown: a client that drops a call and says something
// else has left a call no result will ever follow: models refuse to see one.
func TestUnansweredCallIsNotShown(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.model.say(call("c1", "{}"))
	h.chat("s", "Look it up.", false)
	h.model.say(saying{text: "Wait.", calls: []run.ToolCall{{ID: "c2", Name: "look", Arguments: "{}"}}})
	h.chat("s", "Never mind.", true)
	h.chat("s", "How are you?", false)
	want := []string{"user:Look it up.", "user:Never mind.", "assistant:Wait. (tool_calls)", "user:How are you?"}
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
	for _, m := range h.model.last() {
		if len(m.ToolCalls) > 0 {
			t.Errorf("got the calls %s, want none", m.ToolCalls)
		}
	}
	if ms := h.transcript("s"); len(ms) != 6 || len(ms[1].ToolCalls) == 0 {
		t.Errorf("got the transcript %v, want all of it", words(ms))
	}
	// A result that comes late after all has no call to answer.
	if got := h.turn(&run.Request{Session: "s", Messages: result("c1", "late")}); fault.CodeOf(got.err) != "tool_call_not_found" {
		t.Errorf("got %v, want the call not found", got.err)
	}
}

// TestReplacedAnswersAreNotShown: of answers to the same message the last one
// stands.
func TestReplacedAnswersAreNotShown(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.chat("s", "one", false)
	h.model.say(saying{text: "first"}, saying{text: "second"})
	h.chat("s", "two", false)
	again := append(user("one"), session.Message{Role: session.Assistant, Content: "ok"})
	again = append(again, user("two")...)
	if got := h.turn(&run.Request{Session: "s", Messages: again}); got.err != nil {
		t.Fatal(got.err)
	}
	h.chat("s", "three", false)
	want := []string{"user:one", "assistant:ok", "user:two", "assistant:second", "user:three"}
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
	// Two messages of an imported transcript are two messages.
	h.turn(&run.Request{Session: "import", Messages: []session.Message{
		{Role: session.User, Content: "a"}, {Role: session.Assistant, Content: "b"}, {Role: session.Assistant, Content: "c"}, {Role: session.User, Content: "d"},
	}})
	if diff := cmp.Diff([]string{"user:a", "assistant:b", "assistant:c", "user:d"}, words(h.model.last())); diff != "" {
		t.Errorf("prompt of an import (-want +got):\n%s", diff)
	}
}
