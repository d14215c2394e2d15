package run_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// calls is an answer that makes several calls at once.
func calls(ids ...string) saying {
	var s saying
	for i, id := range ids {
		s.calls = append(s.calls, run.ToolCall{Index: i, ID: id, Name: "look", Arguments: "{}"})
	}
	return s
}

// results are a request with nothing but results of tools.
func (h *house) results(id session.ID, ms ...session.Message) told {
	h.t.Helper()
	return h.turn(&run.Request{Session: id, Messages: ms})
}

func (h *house) shows(t *testing.T, what string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestParallelCallsAnsweredApart: the results of calls made at once come in requests
// of their own. The model sees each result next to its call, then and in every later
// turn, and the answer that was given without all of them is not shown any more.
func TestParallelCallsAnsweredApart(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.model.say(calls("c1", "c2"), saying{text: "half"}, saying{text: "whole"})
	h.chat("s", "Look both up.", false)
	if got := h.results("s", result("c1", "one")...); got.err != nil {
		t.Fatal(got.err)
	}
	h.shows(t, "with half of the results", "user:Look both up.", "assistant: (tool_calls)", "tool:one", "tool:[This call has no result yet.]")
	if got := h.results("s", result("c2", "two")...); got.err != nil {
		t.Fatal(got.err)
	}
	h.shows(t, "with all of them", "user:Look both up.", "assistant: (tool_calls)", "tool:one", "tool:two")
	h.chat("s", "Thanks.", false)
	h.shows(t, "in the next turn", "user:Look both up.", "assistant: (tool_calls)", "tool:one", "tool:two", "assistant:whole", "user:Thanks.")
	for _, m := range h.transcript("s") {
		if m.Role == session.Tool && m.ToolName != "look" {
			t.Errorf("got the tool %q for the result %q, want its name", m.ToolName, m.Content)
		}
	}
}

// TestResultsInAnyWay: however results come, each call has its own in the prompt.
func TestResultsInAnyWay(t *testing.T) {
	t.Parallel()
	both := func(a, b []session.Message) []session.Message { return append(a, b...) }
	for name, tt := range map[string]struct {
		ids      []string
		requests [][]session.Message
		want     []string
	}{
		"the other way round": {[]string{"c1", "c2"}, [][]session.Message{both(result("c2", "two"), result("c1", "one"))},
			[]string{"tool:one", "tool:two"}},
		"twice at once": {[]string{"c1"}, [][]session.Message{both(result("c1", "one"), result("c1", "one"))}, []string{"tool:one"}},
		"twice":         {[]string{"c1"}, [][]session.Message{result("c1", "one"), result("c1", "one")}, []string{"tool:one"}},
		"mended":        {[]string{"c1"}, [][]session.Message{result("c1", "one"), result("c1", "ONE")}, []string{"tool:ONE"}},
		"no ids":        {[]string{"", ""}, [][]session.Message{both(result("", "one"), result("", "two"))}, []string{"tool:one", "tool:two"}},
		"ids of the client": {[]string{"", ""}, [][]session.Message{both(result("mine1", "one"), result("mine2", "two"))},
			[]string{"tool:one", "tool:two"}},
		"one id for both": {[]string{"c", "c"}, [][]session.Message{both(result("c", "one"), result("c", "two"))}, []string{"tool:one", "tool:two"}},
		"behind a word": {[]string{"c1"}, [][]session.Message{both(user("And quickly."), result("c1", "one"))},
			[]string{"tool:one", "user:And quickly."}},
		"before a word": {[]string{"c1", "c2"}, [][]session.Message{both(result("c1", "one"), user("Never mind the other."))},
			[]string{"tool:one", "user:Never mind the other."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t, 8000)
			h.model.say(calls(tt.ids...))
			h.chat("s", "Look.", false)
			for _, ms := range tt.requests {
				if got := h.results("s", ms...); got.err != nil {
					t.Fatal(got.err)
				}
			}
			h.shows(t, "prompt", append([]string{"user:Look.", "assistant: (tool_calls)"}, tt.want...)...)
			h.chat("s", "Next.", true)
		})
	}
}

// TestRepeatedResultsAreStoredOnce: a result that is sent again is not stored again.
func TestRepeatedResultsAreStoredOnce(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.model.say(calls("c1", "c2"), saying{text: "half"})
	h.chat("s", "Look.", false)
	h.results("s", result("c1", "one")...)
	h.results("s", append(result("c1", "one"), result("c2", "two")...)...)
	want := []string{"user:Look.", "assistant: (tool_calls)", "tool:one", "assistant:half", "tool:two", "assistant:ok"}
	if diff := cmp.Diff(want, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// TestUnknownResultIsRefused: wherever it stands in a request.
func TestUnknownResultIsRefused(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	for _, ms := range [][]session.Message{
		result("c9", "x"), append(user("hello"), result("c9", "x")...), append(result("c9", "x"), user("hello")...),
	} {
		if got := h.results("new", ms...); fault.CodeOf(got.err) != "tool_call_not_found" {
			t.Errorf("%v: got %v, want the call not found", words(ms), got.err)
		}
	}
	h.model.say(calls("c1"))
	h.chat("s", "Look.", false)
	if got := h.results("s", append(result("c1", "one"), result("c9", "x")...)...); fault.CodeOf(got.err) != "tool_call_not_found" {
		t.Errorf("got %v, want the call not found", got.err)
	}
	if got := h.results("s", result("c1", "one")...); got.err != nil {
		t.Errorf("got %v, want the call still open", got.err)
	}
}

// TestBroughtCallsArePaired: a history that a client brings may have its calls and
// results in any order. The prompt has not.
func TestBroughtCallsArePaired(t *testing.T) {
	t.Parallel()
	asks := func(ids ...string) session.Message {
		raw := "["
		for i, id := range ids {
			if i > 0 {
				raw += ","
			}
			raw += `{"id":"` + id + `","type":"function","function":{"name":"look","arguments":"{}"}}`
		}
		return session.Message{Role: session.Assistant, ToolCalls: []byte(raw + "]")}
	}
	got := func(id, text string) session.Message { return result(id, text)[0] }
	says := func(text string) session.Message { return session.Message{Role: session.Assistant, Content: text} }
	asked := user("Look.")[0]
	for name, tt := range map[string]struct {
		past []session.Message
		want []string
	}{
		"answered late": {[]session.Message{asked, asks("a", "b"), got("a", "one"), user("Well?")[0], says("Wait."), got("b", "two"), says("Done.")},
			[]string{"user:Look.", "assistant:", "tool:one", "tool:two", "user:Well?", "assistant:Wait.", "assistant:Done."}},
		"calls one by one": {[]session.Message{asked, asks("a"), asks("b"), got("a", "one"), got("b", "two"), says("Done.")},
			[]string{"user:Look.", "assistant:", "tool:one", "assistant:", "tool:two", "assistant:Done."}},
		"a word between": {[]session.Message{asked, asks("a"), says("Let me see."), got("a", "one"), says("Done.")},
			[]string{"user:Look.", "assistant:Let me see.", "assistant:", "tool:one", "assistant:Done."}},
		"the result first": {[]session.Message{asked, got("a", "one"), asks("a"), says("Done.")},
			[]string{"user:Look.", "assistant:", "tool:one", "assistant:Done."}},
		"never answered": {[]session.Message{asked, asks("a"), user("Well?")[0], says("Done.")},
			[]string{"user:Look.", "user:Well?", "assistant:Done."}},
		"never called": {[]session.Message{asked, got("a", "one"), says("Done.")},
			[]string{"user:Look.", "assistant:Done."}},
		"one id again and again": {[]session.Message{asked, asks("a"), got("a", "one"), asks("a"), got("a", "two"), says("Done.")},
			[]string{"user:Look.", "assistant:", "tool:one", "assistant:", "tool:two", "assistant:Done."}},
		"half answered": {[]session.Message{asked, asks("a", "b"), got("b", "two"), says("Done.")},
			[]string{"user:Look.", "assistant:", "tool:two", "assistant:Done."}},
	} {
		for _, way := range []string{"sent", "appended"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				h := setup(t, 8000)
				past := append([]session.Message(nil), tt.past...)
				if way == "appended" {
					h.append("s", past...)
					past = nil
				}
				if got := h.turn(&run.Request{Session: "s", Messages: append(past, user("Next.")...)}); got.err != nil {
					t.Fatal(got.err)
				}
				h.shows(t, "prompt", append(tt.want, "user:Next.")...)
				made, err := h.curator.Fork(context.Background(), &curate.Branch{Owner: owner.Local(), Session: "s"})
				if err != nil {
					t.Fatal(err)
				}
				h.chat(made.ID, "And here?", true)
			})
		}
	}
}

// TestToolsHaveNames: a result names its tool, however it came.
func TestToolsHaveNames(t *testing.T) {
	t.Parallel()
	called := session.Message{Role: session.Assistant, ToolCalls: []byte(`[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]`)}
	h := setup(t, 8000)
	h.append("apart", user("Look.")[0], called)
	h.append("apart", result("a", "one")...)
	h.append("at once", append(append(user("Look."), called), result("a", "one")...)...)
	h.turn(&run.Request{Session: "sent", Messages: append(append(append(user("Look."), called), result("a", "one")...), user("Next.")...)})
	for _, id := range []session.ID{"apart", "at once", "sent"} {
		if ms := h.transcript(id); ms[2].ToolName != "look" {
			t.Errorf("%s: got the tool %q, want its name", id, ms[2].ToolName)
		}
	}
}

// TestOlderCallsKeepTheirResults: the older form of calls, which has no ids.
func TestOlderCallsKeepTheirResults(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	called := session.Message{Role: session.Assistant, Wire: []byte(`{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{}"}}`)}
	got := session.Message{Role: session.Tool, ToolName: "look", Content: "one", Wire: []byte(`{"role":"function","name":"look","content":"one"}`)}
	says := session.Message{Role: session.Assistant, Content: "Done."}
	h.append("s", user("Look.")[0], called, got, says, user("Again.")[0], called, says)
	h.chat("s", "Thanks.", false)
	h.shows(t, "prompt", "user:Look.", "assistant:", "tool:one", "assistant:Done.", "user:Again.", "assistant:Done.", "user:Thanks.")
}
