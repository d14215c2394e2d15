package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

func messageTests() []test {
	return []test{
		{"messages are read back as they were appended", testMessageFields},
		{"an answer names its input", testReplyTo},
		{"texts are stored unchanged", testMessageTexts},
		{"ranges", testRanges},
		{"a position is written once", testPlaceTaken},
		{"documents of a scope", testDocuments},
		{"quotes keep the requested order", testQuotes},
	}
}

func testMessageFields(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	step := l.step(t, st, "call a tool", "", "42", "done")
	said := epoch().Add(-20*365*24*time.Hour + 123*time.Millisecond)
	full := &step.Messages[0]
	full.Name, full.Key, full.SaidAt = "Ünal", "agent:main", said
	full.Note = "decision f_0123456789abcdef"
	full.Wire = []byte(`{"role":"user","content":[{"type":"text","text":"call a tool"}]}`)
	step.Messages[1].ToolCalls = []byte(`[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]`)
	step.Messages[1].FinishReason = "tool_calls"
	step.Messages[2].Role, step.Messages[2].ToolCallID, step.Messages[2].ToolName = session.Tool, "call_1", "f"
	step.Messages[3].FinishReason, step.Messages[3].ReplyTo = session.FinishCancelled, full.ID
	l.commit(t, st, step)
	l.check(t, st)
}

// testReplyTo: the input that an answer names is read back on every way to the message,
// and a rewrite of the answer's text leaves it.
func testReplyTo(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "N25", "N27", "A27")
	step := l.step(t, st, "A25")
	step.Messages[0].Role, step.Messages[0].ReplyTo = session.Assistant, l.messages[0].ID
	l.commit(t, st, step)
	l.check(t, st)
	answer := l.messages[3]
	for name, r := range map[string]session.Range{
		"by its id": {MessageID: answer.ID}, "with receipts": {From: 3, Receipts: true}, "the newest": {Limit: 1, Newest: true},
		"the newest with receipts": {Limit: 1, Newest: true, Receipts: true},
	} {
		ms, err := st.Messages(t.Context(), alice(), "s", r)
		kind(t, name, err, "")
		same(t, name, ms, []session.Message{answer})
	}
	answer.Content = "A."
	rewritten := curate.Rewrite{Messages: []session.Message{answer}}
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), rewritten), "")
	ms, err := st.Messages(t.Context(), alice(), "s", session.Range{From: 3})
	kind(t, "after the rewrite", err, "")
	same(t, "after the rewrite", ms, []session.Message{answer})
}

func testMessageTexts(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	for _, text := range []string{
		"'; DROP TABLE messages; --", `{"a":"b\u0000"}`, "zero \x00 byte", "tab\tand\r\nbreaks", "\u2028\u2029\u202e\ufeff",
		"emoji 👩‍👩‍👧‍👦 and z̷a̷l̷g̷o̷", "   ", strings.Repeat("long ", 200_000), "%s %d ? $1 :name @p", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 中文 العربية",
	} {
		l.say(t, st, text)
	}
	l.check(t, st)
}

func testRanges(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "0", "1", "2", "3")
	l.commit(t, st, l.fold(t, st, "child", "4", "5", "6"))
	l.say(t, st, "7", "8", "9")
	for _, c := range []struct {
		name string
		r    session.Range
		want string
	}{
		{"all", session.Range{}, "0123456789"},
		{"from", session.Range{From: 7}, "789"},
		{"to", session.Range{To: 3}, "012"},
		{"window over a compression", session.Range{From: 3, To: 6}, "345"},
		{"first of all", session.Range{Limit: 3}, "012"},
		{"first of a window", session.Range{From: 4, To: 9, Limit: 2}, "45"},
		{"newest", session.Range{Limit: 3, Newest: true}, "789"},
		{"newest of a window", session.Range{From: 1, To: 6, Limit: 2, Newest: true}, "45"},
		{"newest without a limit", session.Range{From: 8, Newest: true}, "89"},
		{"more than there is", session.Range{From: 8, Limit: 100}, "89"},
		{"up to a size", session.Range{From: 2, Bytes: 3}, "234"},
		{"the newest up to a size", session.Range{Newest: true, Bytes: 2, Limit: 5}, "89"},
		{"more than the size at once", session.Range{From: 4, Bytes: 1}, "4"},
		{"empty window", session.Range{From: 5, To: 5}, ""},
		{"beyond the end", session.Range{From: 10}, ""},
		{"turned round", session.Range{From: 6, To: 2}, ""},
	} {
		ms, err := st.Messages(t.Context(), alice(), "s", c.r)
		kind(t, c.name, err, "")
		got := ""
		for i := range ms {
			got += ms[i].Content
		}
		if got != c.want {
			t.Errorf("%s: got messages %q, want %q", c.name, got, c.want)
		}
	}
	// Messages are asked for by the root: a child's id is no root.
	ms, err := st.Messages(t.Context(), alice(), "child", session.Range{})
	kind(t, "by a child's id", err, "")
	same(t, "by a child's id", ms, []session.Message(nil))
}

func testPlaceTaken(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello", "hi")
	late := *l // another writer that has seen the same
	late.sessions = append([]session.Session(nil), l.sessions...)
	l.say(t, st, "first come")
	err := st.AppendTurn(t.Context(), alice(), late.step(t, st, "too late"))
	kind(t, "a place that is taken", err, fault.Conflict)
	err = st.AppendTurn(t.Context(), alice(), newTalk(alice(), "s", "").step(t, st, "as if new"))
	kind(t, "an id that is taken", err, fault.Conflict)
	l.check(t, st)
	l.say(t, st, "goes on")
	l.check(t, st)
}

// gather reads the documents of a scope.
func gather(t *testing.T, st Store, scope memory.Scope) []ranking.Document {
	t.Helper()
	var out []ranking.Document
	err := st.Documents(t.Context(), alice(), scope, 0, func(d ranking.Document) bool {
		out = append(out, d)
		return true
	})
	if err != nil {
		t.Fatalf("documents of %+v: %v", scope, err)
	}
	return out
}

func testDocuments(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")
	a.say(t, st, "a0", "a1")
	b.say(t, st, "b0", "b1")
	a.commit(t, st, a.fold(t, st, "a-child", "a2"))
	a.key = ""
	a.say(t, st, "a3 without a key")
	a.key = "another"
	step := a.step(t, st, "a4 under another key")
	step.Messages[0].Name = "Speaker"
	a.commit(t, st, step)

	same(t, "by lineage", gather(t, st, memory.Scope{Root: "a"}), documentsOf(a.messages[3:4]))
	same(t, "by whole lineage", gather(t, st, memory.Scope{Root: "a", Whole: true}), documentsOf(a.messages))
	underKey := append(append(documentsOf(a.messages[:2]), documentsOf(b.messages)...), documentsOf(a.messages[2:3])...)
	same(t, "by key", gather(t, st, memory.Scope{Key: "key"}), underKey)
	same(t, "the key wins", gather(t, st, memory.Scope{Root: "a", Key: "another"}), documentsOf(a.messages[4:]))
	same(t, "absent", gather(t, st, memory.Scope{Root: "none"}), []ranking.Document(nil))
	same(t, "absent key", gather(t, st, memory.Scope{Root: "a", Key: "none"}), []ranking.Document(nil))

	seen := 0
	err := st.Documents(t.Context(), alice(), memory.Scope{Root: "a", Whole: true}, 0, func(ranking.Document) bool {
		seen++
		return seen < 2
	})
	if kind(t, "stopped early", err, ""); seen != 2 {
		t.Errorf("stopped early: got %d calls, want 2", seen)
	}
}

func testQuotes(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", ""), newTalk(alice(), "b", "key")
	a.say(t, st, "a0", "a1", "a2")
	b.say(t, st, "b0", "b1")
	place := func(root session.ID, seq int64) memory.Place { return memory.Place{Root: root, Seq: seq} }
	got, err := st.Quotes(t.Context(), alice(), []memory.Place{
		place("b", 1), place("none", 0), place("a", 2), place("a", 99), place("a", 0), place("b", 1), place("a", -1),
	})
	kind(t, "quotes", err, "")
	want := documentsOf([]session.Message{b.messages[1], a.messages[2], a.messages[0], b.messages[1]})
	same(t, "quotes", got, want)
	got, err = st.Quotes(t.Context(), alice(), nil)
	kind(t, "no quotes", err, "")
	same(t, "no quotes", got, []ranking.Document(nil))
}
