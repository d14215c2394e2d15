package run_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// fork branches a session off.
func (h *house) fork(id session.ID, message int64) session.Session {
	h.t.Helper()
	got, err := h.curator.Fork(context.Background(), &curate.Branch{Owner: owner.Local(), Session: id, MessageID: message})
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

func TestFork(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	for i, text := range []string{"We use Postgres for the ledger.", "I like tea.", "We moved from Postgres to MySQL because of the licence."} {
		h.now = h.now.Add(time.Duration(i) * time.Hour)
		h.chat("s", text, false)
	}
	h.undo("s") // MySQL was a mistake
	h.chat("s", "We stay with Postgres.", false)
	facts, err := h.curator.Facts(t.Context(), owner.Local(), memory.Scope{Root: "s"})
	if err != nil || len(facts) == 0 {
		t.Fatalf("got %d facts, %v", len(facts), err)
	}
	if _, err := h.curator.Remember(t.Context(), &curate.Note{Owner: owner.Local(), Session: "s", Text: "We use Postgres 17 for the ledger.", Replaces: facts[0].ID}); err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(time.Hour)
	whole := h.fork("s", 0)
	if whole.ParentID != "s" || whole.RootID != whole.ID || whole.Ended() || whole.Title != "We use Postgres for the ledger #2" {
		t.Errorf("got %+v", whole)
	}
	source, copied := standing(h.transcript("s")), h.transcript(whole.ID)
	if diff := cmp.Diff(words(source), words(copied)); diff != "" {
		t.Errorf("transcript (-source +copy):\n%s", diff)
	}
	for i := range copied {
		if m := &copied[i]; m.Seq != int64(i) || !m.SaidAt.Equal(source[i].SaidAt) || !m.RecordedAt.Equal(source[i].RecordedAt) {
			t.Errorf("message %d: got place %d, said %s, want its own time", i, m.Seq, m.SaidAt)
		}
	}
	if diff := cmp.Diff(h.beliefs(memory.Scope{Root: "s"}), h.beliefs(memory.Scope{Root: whole.ID})); diff != "" {
		t.Errorf("beliefs (-source +copy):\n%s", diff)
	}
	h.verify()

	early := h.fork("s", source[1].ID)
	if diff := cmp.Diff(words(source[:2]), words(h.transcript(early.ID))); diff != "" {
		t.Errorf("up to a message (-source +copy):\n%s", diff)
	}
	h.chat(early.ID, "We moved to MySQL instead.", false)
	for _, b := range h.beliefs(memory.Scope{Root: "s"}) {
		if got := h.beliefs(memory.Scope{Root: "s"}); len(got) == 0 {
			t.Errorf("the source lost %q", b)
		}
	}
	if tip, err := h.db.Tip(t.Context(), owner.Local(), "s"); err != nil || tip.Ended() {
		t.Errorf("the source: got %+v, %v, want it to live on", tip, err)
	}
	h.verify()
}

// standing are the messages that were not taken back.
func standing(ms []session.Message) []session.Message {
	var out []session.Message
	for i := range ms {
		if ms[i].Stands() {
			out = append(out, ms[i])
		}
	}
	return out
}

// TestForkOfAnAbandonedBranch: what was taken back can be had again.
func TestForkOfAnAbandonedBranch(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	for _, text := range []string{"one", "two", "three"} {
		h.now = h.now.Add(time.Minute)
		h.chat("s", text, false)
	}
	last := h.transcript("s")[5]
	h.now = h.now.Add(time.Minute)
	h.resend("s", "one", "ok", "two, edited")
	branch := h.fork("s", last.ID)
	want := []string{"user:one", "assistant:ok", "user:two", "assistant:ok", "user:three", "assistant:ok"}
	if diff := cmp.Diff(want, words(h.transcript(branch.ID))); diff != "" {
		t.Errorf("the branch (-want +got):\n%s", diff)
	}
	h.verify()
}

// TestForkOfAKey: copies are not under the key, which remembers the originals.
func TestForkOfAKey(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.turn(&run.Request{Session: "s", Key: "key", Messages: []session.Message{{Role: session.User, Content: "We use Postgres for the ledger."}}})
	before := h.beliefs(memory.Scope{Key: "key"})
	branch := h.fork("s", 0)
	if branch.Key != "key" {
		t.Errorf("got the key %q, want the source's", branch.Key)
	}
	if diff := cmp.Diff(before, h.beliefs(memory.Scope{Key: "key"})); diff != "" || len(before) == 0 {
		t.Errorf("beliefs of the key (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before, h.beliefs(memory.Scope{Root: branch.ID})); diff != "" {
		t.Errorf("beliefs of the branch (-want +got):\n%s", diff)
	}
	h.verify()

	// A turn of the branch is one of its key: a person goes on in a copy with the same memory.
	h.chat(branch.ID, "I like tea.", false)
	learnt := h.beliefs(memory.Scope{Key: "key"})
	if len(learnt) != len(before)+1 {
		t.Errorf("got the beliefs %q of the key, want one more than %q", learnt, before)
	}
	h.turn(&run.Request{Session: branch.ID, Key: "other", Messages: []session.Message{{Role: session.User, Content: "I like coffee."}}})
	if diff := cmp.Diff(learnt, h.beliefs(memory.Scope{Key: "key"})); diff != "" || len(h.beliefs(memory.Scope{Key: "other"})) != 1 {
		t.Errorf("after a turn with another key (-before +after):\n%s, and the other key has %q", diff, h.beliefs(memory.Scope{Key: "other"}))
	}
	h.verify()
}

// TestForkWithoutKey: what is said in a copy of a session without a key is learnt there alone.
func TestForkWithoutKey(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	h.chat("s", "We use Postgres for the ledger.", false)
	before := h.beliefs(memory.Scope{Root: "s"})
	branch := h.fork("s", 0)
	h.chat(branch.ID, "I like tea.", false)
	if diff := cmp.Diff(before, h.beliefs(memory.Scope{Root: "s"})); diff != "" || len(before) == 0 {
		t.Errorf("beliefs of the source (-before +after):\n%s", diff)
	}
	if got := h.beliefs(memory.Scope{Root: branch.ID}); len(got) != len(before)+1 {
		t.Errorf("got the beliefs %q of the copy, want one more than %q", got, before)
	}
	h.verify()
}

// TestForkBreaksOff: half a copy is none.
func TestForkBreaksOff(t *testing.T) {
	t.Parallel()
	h := setup(t, 4000)
	for i := range 3 {
		h.chat("s", fmt.Sprintf("Number %d", i), false)
	}
	h.store.next(false, true) // the session is made, its messages are not
	if _, err := h.curator.Fork(t.Context(), &curate.Branch{Owner: owner.Local(), Session: "s"}); err == nil {
		t.Error("got no error, want that of the store")
	}
	list, err := h.db.Sessions(t.Context(), owner.Local(), session.Filter{})
	if err != nil || len(list) != 1 {
		t.Errorf("got %d sessions, %v, want the source alone", len(list), err)
	}
	for _, b := range []curate.Branch{{Session: "nobody"}, {Session: "s", MessageID: 1 << 40}} {
		b.Owner = owner.Local()
		if _, err := h.curator.Fork(t.Context(), &b); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%+v: got %v, want not found", b, err)
		}
	}
}
