package run_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// undo takes the last exchange of a session back.
func (h *house) undo(id session.ID) curate.TakenBack {
	h.t.Helper()
	got, err := h.curator.Undo(context.Background(), owner.Local(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

// beliefs are the facts of a scope without what depends on their place.
func (h *house) beliefs(scope memory.Scope) []string {
	h.t.Helper()
	facts, err := h.curator.Facts(context.Background(), owner.Local(), scope)
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for i := range facts {
		f := &facts[i]
		links := 0
		for _, l := range f.Links {
			if slices.ContainsFunc(facts, func(g memory.Fact) bool { return g.ID == l.To }) {
				links++
			}
		}
		out = append(out, fmt.Sprintf("%s %q current=%v links=%d", f.Kind, f.Statement, f.Current(), links))
	}
	return out
}

// verify holds what is stored of every scope against its messages.
func (h *house) verify() {
	h.t.Helper()
	all, err := h.curator.Rebuild(context.Background(), owner.Local(), true)
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range all {
		if !all[i].Identical() {
			h.t.Errorf("scope %+v: stored %d facts (%s), its messages say %d (%s)", all[i].Scope, all[i].Stored, all[i].StoredHash[:8], all[i].Facts, all[i].Hash[:8])
		}
	}
}

// recalled are the texts that a question brings up.
func (h *house) recalled(scope memory.Scope, question string) []string {
	h.t.Helper()
	got, err := h.curator.Recall(context.Background(), owner.Local(), scope, ranking.Query{Text: question, Limit: 50})
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for i := range got {
		out = append(out, got[i].Quote.Text)
	}
	return out
}

func TestUndo(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "We use Postgres for the ledger.", false)
	h.model.say(saying{text: "Then MySQL it is."})
	h.chat("s", "We moved from Postgres to MySQL because of the licence.", true)
	got := h.undo("s")
	if got.Messages != 2 || got.Text != "We moved from Postgres to MySQL because of the licence." || got.Session.ID != "s" {
		t.Errorf("got %d messages, %q, session %s", got.Messages, got.Text, got.Session.ID)
	}
	scope := memory.Scope{Root: "s"}
	for _, text := range append(h.recalled(scope, "Which database, MySQL or Postgres?"), h.beliefs(scope)...) {
		if strings.Contains(text, "MySQL") {
			t.Errorf("memory still has %q", text)
		}
	}
	h.chat("s", "Which database do we use?", false)
	want := []string{"user:We use Postgres for the ledger.", "assistant:ok", "user:Which database do we use?"}
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
	ms := h.transcript("s")
	var standing []bool
	for i := range ms {
		standing = append(standing, ms[i].Stands())
	}
	if diff := cmp.Diff([]bool{true, true, false, false, true, true}, standing); diff != "" {
		t.Errorf("standing (-want +got):\n%s", diff)
	}
	h.verify()
	h.undo("s")
	h.undo("s")
	if got := h.undo("s"); got.Messages != 0 || got.Text != "" {
		t.Errorf("nothing left: got %+v", got)
	}
	if got := h.beliefs(scope); len(got) != 0 {
		t.Errorf("got %q, want no beliefs", got)
	}
	h.chat("s", "A fresh start.", false)
	if got := words(h.model.last()); len(got) != 1 {
		t.Errorf("got the prompt %q, want the new input alone", got)
	}
	if _, err := h.curator.Undo(context.Background(), owner.Local(), "nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an absent session: got %v", err)
	}
	h.verify()
}

// TestUndoBelowTheFold takes back what was folded into a summary already.
func TestUndoBelowTheFold(t *testing.T) {
	t.Parallel()
	h := setup(t, 600)
	for i := range 12 {
		h.chat("s", fmt.Sprintf("Step %d is to paint wall %d in a colour nobody likes, twice over and slowly.", i, i), false)
	}
	rows := h.lineage("s")
	if len(rows) < 2 || rows[len(rows)-1].Summary == "" {
		t.Fatalf("got %d sessions, want a fold", len(rows))
	}
	for range 11 {
		h.undo("s")
	}
	tip := h.lineage("s")[len(rows)-1]
	if tip.Summary != "" || tip.TailFrom != 0 {
		t.Errorf("got the tail from %d and the summary %q, want all opened again", tip.TailFrom, tip.Summary)
	}
	h.chat("s", "What now?", false)
	for _, w := range words(h.model.last()) {
		for i := 1; i < 12; i++ {
			if strings.Contains(w, fmt.Sprintf("Step %d ", i)) {
				t.Errorf("the model still sees %q", w)
			}
		}
	}
	if !slices.Contains(words(h.model.last()), "user:Step 0 is to paint wall 0 in a colour nobody likes, twice over and slowly.") {
		t.Errorf("got %q, want what stands", words(h.model.last()))
	}
	h.verify()
}

// TestUndoToTheFold takes back all that was said since a fold: what was said just
// before it is what the model sees next, word for word.
func TestUndoToTheFold(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	for i := range 10 {
		h.chat("s", fmt.Sprintf("Exchange number %d with some words in it.", i), false)
	}
	if got, err := h.curator.Compress(t.Context(), owner.Local(), "s"); err != nil || !got.Compressed {
		t.Fatalf("got %+v and %v, want a fold", got, err)
	}
	rows := h.lineage("s")
	first := rows[len(rows)-1].TailFrom
	newest := h.transcript("s")[first-2].Content
	for range (20 - first) / 2 {
		h.undo("s")
	}
	h.chat("s", "What now?", false)
	if !slices.Contains(words(h.model.last()), "user:"+newest) {
		t.Errorf("got %q, want %q among it", words(h.model.last()), newest)
	}
	h.verify()
}

// resend sends a whole history.
func (h *house) resend(id session.ID, texts ...string) {
	h.t.Helper()
	var ms []session.Message
	for i, text := range texts {
		ms = append(ms, session.Message{Role: []session.Role{session.User, session.Assistant}[i%2], Content: text})
	}
	if got := h.turn(&run.Request{Session: id, Messages: ms}); got.err != nil {
		h.t.Fatal(got.err)
	}
}

// TestEditedHistory: a client that edits an earlier message, or asks for another
// answer further up, has left the rest behind for good.
func TestEditedHistory(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.resend("s", "We use Postgres.")
	h.resend("s", "We use Postgres.", "ok", "I live in Bonn.")
	h.resend("s", "We use Postgres.", "ok", "I live in Bonn.", "ok", "My cat is called Zebra.")
	h.resend("s", "We use Postgres.", "ok", "I live in Berlin.")
	h.chat("s", "Tell me more.", false) // a turn without the history
	want := []string{"user:We use Postgres.", "assistant:ok", "user:I live in Berlin.", "assistant:ok", "user:Tell me more."}
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("prompt after an edit (-want +got):\n%s", diff)
	}
	scope := memory.Scope{Root: "s"}
	for _, b := range append(h.beliefs(scope), h.recalled(scope, "cat Zebra Bonn")...) {
		if strings.Contains(b, "Bonn") || strings.Contains(b, "Zebra") {
			t.Errorf("memory still has %q", b)
		}
	}
	h.model.say(saying{text: "Berlin is large."})
	h.resend("s", "We use Postgres.", "ok", "I live in Berlin.")
	h.chat("s", "And then?", false)
	want = []string{"user:We use Postgres.", "assistant:ok", "user:I live in Berlin.", "assistant:Berlin is large.", "user:And then?"}
	if diff := cmp.Diff(want, words(h.model.last())); diff != "" {
		t.Errorf("prompt after another answer (-want +got):\n%s", diff)
	}
	h.verify()
}

// TestEditedHistoryOfALongSession: an edit may go back to any message, also to one that a
// fold has left out of the tail long ago.
func TestEditedHistoryOfALongSession(t *testing.T) {
	t.Parallel()
	for _, cut := range []int{1, 2, 7, 30, 57, 59} {
		t.Run(strconv.Itoa(cut), func(t *testing.T) {
			t.Parallel()
			h := setup(t, 600)
			var told []string
			for i := range 60 {
				told = append(told, fmt.Sprintf("Step %d is to paint wall %d in a colour that he likes.", i, i))
				h.resend("s", told...)
				told = append(told, "ok")
			}
			told = append(told[:2*cut:2*cut], "I live in Berlin.")
			h.resend("s", told...)
			h.stands("s", append(told, "ok"))
			if cut == 1 {
				return // a single message is a new one
			}
			told = told[:2*cut-1] // another answer to an early message
			h.resend("s", told...)
			h.stands("s", append(told, "ok"))
			h.verify()
		})
	}
}

// stands fails unless the texts of a lineage are these.
func (h *house) stands(id session.ID, want []string) {
	h.t.Helper()
	var got []string
	for _, m := range h.transcript(id) {
		if m.Stands() {
			got = append(got, m.Content)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("what stands (-want +got):\n%s", diff)
	}
}

// TestUndoIsAsIfNeverSaid plays random conversations with undos, over sessions
// that share a key and one that has none, and compares memory with a house that
// was told only what stands.
func TestUndoIsAsIfNeverSaid(t *testing.T) {
	t.Parallel()
	pool := []string{
		"We use Postgres for the ledger.", "We moved from Postgres to MySQL because of the licence.", "We use MySQL.",
		"We went back to Postgres.", "I live in Bonn.", "I live in Berlin now.", "I like tea.", "I don't like tea any more.",
		"We decided to use Rust because of latency.", "Forget what I said about Rust.", "My cat is called Zebra.", "yes, do that",
		"The budget is 500 euros.", "The budget is 700 euros.", "No, that was wrong.", "How is the weather?",
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := setup(t, 4000)
		ids := []session.ID{"keyed-1", "keyed-2", "alone"}
		said := make(map[session.ID][]string)
		type line struct {
			id   session.ID
			text string
		}
		var order []line
		for range 25 {
			id := ids[rng.IntN(len(ids))]
			if rng.IntN(4) == 0 && len(said[id]) > 0 {
				h.undo(id)
				said[id] = said[id][:len(said[id])-1]
				for i := len(order) - 1; i >= 0; i-- {
					if order[i].id == id {
						order = slices.Delete(order, i, i+1)
						break
					}
				}
				continue
			}
			text := pool[rng.IntN(len(pool))]
			h.now = h.now.Add(time.Minute)
			h.turn(&run.Request{Session: id, Key: keyOf(id), Messages: []session.Message{{Role: session.User, Content: text}}})
			said[id] = append(said[id], text)
			order = append(order, line{id, text})
		}
		h.verify()
		fresh := setup(t, 4000)
		for _, l := range order {
			fresh.now = fresh.now.Add(time.Minute)
			fresh.turn(&run.Request{Session: l.id, Key: keyOf(l.id), Messages: []session.Message{{Role: session.User, Content: l.text}}})
		}
		for _, scope := range []memory.Scope{{Key: "key"}, {Root: "alone"}} {
			if _, err := h.db.Tip(t.Context(), owner.Local(), "alone"); err != nil && scope.Root != "" {
				continue
			}
			if diff := cmp.Diff(fresh.beliefs(scope), h.beliefs(scope)); diff != "" {
				t.Errorf("seed %d, scope %+v (-never said +undone):\n%s", seed, scope, diff)
			}
		}
	}
}

func keyOf(id session.ID) session.Key {
	if strings.HasPrefix(string(id), "keyed") {
		return "key"
	}
	return ""
}

func TestReset(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	said := []session.Message{{Role: session.User, Content: "We use Postgres because of the licence."}}
	s, err := h.runner.Start(t.Context(), &run.Request{Owner: owner.Local(), Session: "s", Source: session.SourceCLI, Messages: said})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.curator.Reset(ctx, owner.Local(), "s"); fault.KindOf(err) != fault.Canceled {
		t.Errorf("during a turn: got %v, want it to wait until it is cancelled", err)
	}
	for range s.Deltas(t.Context()) { // it only has to end
	}
	prompt := "Be brief."
	if _, err := h.curator.Edit(t.Context(), owner.Local(), "s", session.Patch{SystemPrompt: &prompt}, nil); err != nil {
		t.Fatal(err)
	}
	next, err := h.curator.Reset(t.Context(), owner.Local(), "s")
	if err != nil {
		t.Fatal(err)
	}
	old, err := h.db.Tip(t.Context(), owner.Local(), "s")
	if err != nil || old.EndReason != session.EndReset || old.ID != "s" || !old.Ended() {
		t.Errorf("the old session: got %+v, %v", old, err)
	}
	want := session.Session{
		ID: next.ID, RootID: next.ID, ParentID: "s", Source: session.SourceCLI, Model: "parrot", SystemPrompt: prompt,
		StartedAt: h.now, LastActive: h.now,
	}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("the new session (-want +got):\n%s", diff)
	}
	h.chat(next.ID, "Which database?", false)
	if got := words(h.model.last()); len(got) != 2 || strings.Contains(got[0], "Postgres") {
		t.Errorf("got the prompt %q, want the stored prompt and the input alone", got)
	}
	if _, err := h.curator.Reset(t.Context(), owner.Local(), "nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an absent session: got %v", err)
	}
}

func TestCompress(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.chat("s", "one exchange", false)
	compress := func() curate.Folded {
		got, err := h.curator.Compress(t.Context(), owner.Local(), "s")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := compress(); got.Compressed || got.Reason == "" || got.Session.ID != "s" {
		t.Errorf("one exchange: got %+v", got)
	}
	for i := range 9 {
		h.chat("s", fmt.Sprintf("Exchange number %d with some words in it.", i), false)
	}
	got := compress()
	if !got.Compressed || got.Session.ID == "s" || got.Session.ParentID != "s" || got.Session.Title != "One exchange #2" {
		t.Errorf("ten exchanges: got %+v", got)
	}
	h.chat("s", "and on", false)
	if last := words(h.model.last()); len(last) > 13 || len(last) < 8 {
		t.Errorf("got %d messages in the prompt, want about half of the tail", len(last))
	}
	h.verify()
	if _, err := h.curator.Compress(t.Context(), owner.Local(), "nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an absent session: got %v", err)
	}
}
