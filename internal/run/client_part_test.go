package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// agentPrompt is a system prompt of about n tokens, as coding agents bring one.
func agentPrompt(n int) []session.Message {
	return []session.Message{{Role: session.System, Content: strings.TrimSpace(strings.Repeat("rule ", n))}}
}

// TestClientPartIsNeverCut: a system prompt and a tool result beyond the budget are sent
// whole, and memory comes along within its floor.
func TestClientPartIsNeverCut(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.chat("s", "The launch codeword is kingfisher.", false)
	for i := range 30 {
		h.chat("s", long(i), false)
	}
	h.model.say(call("c1", `{"path":"log.txt"}`))
	ask := func(ms []session.Message) told {
		t.Helper()
		got := h.turn(&run.Request{Session: "s", System: agentPrompt(8400), Tools: strings.Repeat("tool ", 900), Messages: ms})
		if got.err != nil {
			t.Fatal(got.err)
		}
		return got
	}
	check := func(got told, least int) {
		t.Helper()
		c := got.result.Context
		if added := c.Sent - c.Client; c.Client < least || added > runtest.Floor || added < runtest.Floor/4 {
			t.Errorf("got the account %+v, want at least %d tokens of the client and some by memory, at most %d", c, least, runtest.Floor)
		}
		if text := strings.Join(words(h.model.last()), "\n"); !strings.Contains(text, "kingfisher") {
			t.Error("memory did not come along")
		}
	}
	check(ask(user("What is the launch codeword? Look in the log.")), 9000)
	log := strings.Repeat("line ", 44_000)
	check(ask(result("c1", log)), 53_000)
	if ms := h.model.last(); ms[len(ms)-1].Content != log {
		t.Error("the tool result was changed")
	}
	if got := h.chat("s", "Thanks.", false); got.result.Context.Sent > 8000 {
		t.Errorf("got the account %+v after the loop, want the budget kept again", got.result.Context)
	}
}

// TestMemoryStaysBounded: over a thousand turns of a client with a large system prompt, what
// memory adds never exceeds the floor, and what a client with a small one gets never the
// budget.
func TestMemoryStaysBounded(t *testing.T) {
	t.Parallel()
	const turns = 1000
	for _, tt := range []struct{ prompt, most int }{{8400, runtest.Floor}, {10, 8000}} {
		t.Run(fmt.Sprint(tt.prompt), func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			system, largest := agentPrompt(tt.prompt), 0
			for i := range turns {
				text := fmt.Sprintf("In step %d we moved table %d to node %d because of load. %s", i, i*7%101, i*13%17, strings.Repeat("And so on. ", i%40))
				got := h.turn(&run.Request{Session: "s", System: system, Messages: user(text)})
				if got.err != nil {
					t.Fatal(got.err)
				}
				c := got.result.Context
				largest = max(largest, c.Sent-c.Client)
			}
			if largest > tt.most || largest < tt.most/2 {
				t.Errorf("memory added %d tokens at most, want at most %d, and its share used", largest, tt.most)
			}
		})
	}
}

// TestLoopStaysWhole: all results of the work on one message of the user are sent,
// though together they exceed the budget.
func TestLoopStaysWhole(t *testing.T) {
	t.Parallel()
	const rounds = 12
	h := setup(t, 2000)
	h.chat("s", long(1), false)
	text := func(i int) string { return fmt.Sprintf("result %d %s", i, strings.Repeat("word ", 400)) }
	h.model.say(call("c0", "{}"))
	h.chat("s", "Read all files.", false)
	for i := range rounds {
		if i < rounds-1 {
			h.model.say(call(fmt.Sprintf("c%d", i+1), "{}"))
		}
		if got := h.turn(&run.Request{Session: "s", Messages: result(fmt.Sprintf("c%d", i), text(i))}); got.err != nil {
			t.Fatal(got.err)
		}
		sent := words(h.model.last())
		for k := range i + 1 {
			if !slices.Contains(sent, "tool:"+text(k)) {
				t.Fatalf("round %d: result %d was not sent", i, k)
			}
		}
		if !slices.Contains(sent, "user:Read all files.") {
			t.Fatalf("round %d: the user's message was not sent", i)
		}
	}
	if n := len(h.transcript("s")); n != 2+1+2*rounds+1 {
		t.Errorf("got %d messages, want each once", n)
	}
}

// TestWindow: only the model's window ends what a client can bring. Memory leaves room
// for the answer.
func TestWindow(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	for i := range 40 {
		h.chat("s", long(i), false)
	}
	h.runner = h.runs(run.Config{Budgets: compression.Budgets{Default: 8000}, Window: window(2000)}, nil)
	if c := h.chat("s", "And now?", false).result.Context; c.Sent > 1750 || c.Sent < 500 {
		t.Errorf("got the account %+v, want most of the window used, and an eighth left to the answer", c)
	}
	got := h.turn(&run.Request{Session: "s", Messages: user(strings.Repeat("word ", 1900))})
	if got.err != nil || got.result.Context.Sent != got.result.Context.Client {
		t.Errorf("got %v, %+v; want the client's part alone", got.err, got.result)
	}
	before := len(h.transcript("s"))
	got = h.turn(&run.Request{Session: "s", Messages: user(strings.Repeat("word ", 2100))})
	if fault.CodeOf(got.err) != "context_length_exceeded" || !strings.Contains(got.err.Error(), "2000 tokens that the model takes (the test)") {
		t.Errorf("got %v, want a refusal that names the window and its source", got.err)
	}
	if n := len(h.transcript("s")); n != before {
		t.Errorf("the refused turn stored %d messages", n-before)
	}
}

// TestEmptyAnswer: an answer without content is not sent again: model servers refuse it,
// and would refuse every later turn of the session.
func TestEmptyAnswer(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.model.say(saying{text: ""})
	h.chat("s", "Hello.", false)
	h.chat("s", "Are you there?", false)
	h.shows(t, "prompt", "user:Hello.", "user:Are you there?")
}
