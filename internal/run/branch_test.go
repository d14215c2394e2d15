package run_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// after says something behind a message of a session.
func (h *house) after(id session.ID, seq int64, text string) told {
	h.t.Helper()
	return h.turn(&run.Request{Session: id, After: &seq, Messages: []session.Message{{Role: session.User, Content: text}}})
}

// TestAfter: a turn goes on from the message it names. Where others went on from
// there already it gets a copy, and they keep what they have.
func TestAfter(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "one", false)
	if got := h.after("s", 1, "two"); got.result.RootID != "s" || got.result.Created {
		t.Errorf("behind the newest: got %+v, want the same session", got.result)
	}
	before := words(h.transcript("s"))
	got := h.after("s", 1, "another two")
	if got.err != nil || got.result.RootID == "s" || !got.result.Created || !got.stream.Created {
		t.Fatalf("behind an older one: got %+v, %v, want a new session", got.result, got.err)
	}
	if diff := cmp.Diff([]string{"user:one", "assistant:ok", "user:another two", "assistant:ok"}, words(h.transcript(got.result.SessionID))); diff != "" {
		t.Errorf("branch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, words(h.transcript("s"))); diff != "" {
		t.Errorf("the other branch (-before +after):\n%s", diff)
	}
	h.now = h.now.Add(time.Minute)
	h.undo("s")
	again := h.after("s", 3, "three")
	if diff := cmp.Diff([]string{"user:one", "assistant:ok", "user:two", "assistant:ok", "user:three", "assistant:ok"}, words(h.transcript(again.result.SessionID))); diff != "" {
		t.Errorf("behind what was taken back (-want +got):\n%s", diff)
	}
	if got := h.after("nobody", 3, "x"); fault.KindOf(got.err) != fault.NotFound {
		t.Errorf("of no session: got %v, want that it is not found", got.err)
	}
	h.verify()
}

// TestAfterAgain: an input that was never answered and comes again is no other
// branch.
func TestAfterAgain(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "one", false)
	h.model.say(saying{err: fault.New(fault.Upstream, "down", "down")})
	if got := h.after("s", 1, "two"); got.err == nil {
		t.Fatal("got an answer, want the model's refusal")
	}
	if got := h.after("s", 1, "two"); got.err != nil || got.result.RootID != "s" {
		t.Errorf("got %+v, %v, want the same session", got.result, got.err)
	}
	if diff := cmp.Diff([]string{"user:one", "assistant:ok", "user:two", "assistant:ok"}, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// TestAfterOffRecord: what is not kept sees no more than it names, and makes no
// copy.
func TestAfterOffRecord(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "one", false)
	h.chat("s", "two", false)
	seq := int64(1)
	got := h.turn(&run.Request{Session: "s", After: &seq, OffRecord: true, Messages: []session.Message{{Role: session.User, Content: "x"}}})
	if got.err != nil {
		t.Fatal(got.err)
	}
	shown := h.model.last()
	if diff := cmp.Diff([]string{"user:one", "assistant:ok", "user:x"}, words(shown[len(shown)-3:])); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if rows, err := h.db.Sessions(t.Context(), owner.Local(), session.Filter{}); err != nil || len(rows) != 1 {
		t.Errorf("got %d sessions, %v, want one", len(rows), err)
	}
}

// TestAfterTogether: of many that go on from one message at once, one stays and
// each of the others gets a branch of its own.
func TestAfterTogether(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "one", false)
	const n = 8
	roots := make(chan session.ID, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if got := h.after("s", 1, "two"); got.err != nil {
				t.Error(got.err)
			} else {
				roots <- got.result.RootID
			}
		})
	}
	all.Wait()
	close(roots)
	seen := make(map[session.ID]int)
	for root := range roots {
		seen[root]++
		if diff := cmp.Diff([]string{"user:one", "assistant:ok", "user:two", "assistant:ok"}, words(h.transcript(root))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", root, diff)
		}
	}
	if len(seen) != n || seen["s"] != 1 {
		t.Errorf("got %v, want %d sessions, s among them", seen, n)
	}
}

// TestResultsOfOtherCalls: a result names one of the calls that are open.
func TestResultsOfOtherCalls(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.model.say(saying{calls: []run.ToolCall{{Index: 0, ID: "c1", Name: "f", Arguments: "{}"}}})
	h.chat("s", "one", false)
	result := func(id string) []session.Message {
		return []session.Message{{Role: session.Tool, ToolCallID: id, Content: "x"}}
	}
	if got := h.turn(&run.Request{Session: "s", Messages: result("c2")}); fault.CodeOf(got.err) != "tool_call_not_found" {
		t.Errorf("got %v, want that there is no such call", got.err)
	}
	if got := h.turn(&run.Request{Session: "s", Messages: result("c1")}); got.err != nil {
		t.Errorf("got %v, want an answer", got.err)
	}
}

// TestNamelessTogether: turns of one nameless chat that arrive before any of them is
// answered are branches: their client takes nothing back. The same turn once more is no
// branch.
func TestNamelessTogether(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	ask := func(text string) *run.Request {
		ms := append(user("Where shall we go this summer?"), session.Message{Role: session.Assistant, Content: "ok"}, user(text)[0])
		req, err := h.runner.Locate(t.Context(), &run.Request{Owner: owner.Local(), Nameless: true, Messages: ms})
		if err != nil {
			t.Fatal(err)
		}
		return req
	}
	first := h.turn(&run.Request{Nameless: true, Messages: user("Where shall we go this summer?")}).result.RootID
	requests := []*run.Request{ask("To Lima?"), ask("To Lima?"), ask("To Oslo?"), ask("To Rome?")}
	var roots []session.ID
	for _, req := range requests {
		roots = append(roots, h.mustTurn(req).result.RootID)
	}
	if roots[0] != first || roots[1] != first || roots[2] == first || roots[3] == first || roots[2] == roots[3] {
		t.Errorf("got the sessions %v, want %s twice, and two others", roots, first)
	}
	for i, text := range []string{"To Lima?", "", "To Oslo?", "To Rome?"} {
		want := []string{"user:Where shall we go this summer?", "assistant:ok", "user:" + text, "assistant:ok"}
		if got := words(standing(h.transcript(roots[i]))); text != "" && !cmp.Equal(want, got) {
			t.Errorf("%s: got %q, want %q", roots[i], got, want)
		}
	}
	// A client that changes its message after the answer takes the answer back.
	if h.mustTurn(ask("To Bern?")); len(h.lineages(t)) != 3 {
		t.Errorf("a changed message: got %d sessions, want 3", len(h.lineages(t)))
	}
}

// lineages are all sessions of the local owner.
func (h *house) lineages(t *testing.T) []session.Session {
	t.Helper()
	rows, err := h.db.Sessions(t.Context(), owner.Local(), session.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
