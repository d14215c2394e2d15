package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func undoneTests() []test {
	return []test{
		{"undone messages stay in the archive", testUndone},
		{"a range in the middle is undone", testUndoneMiddle},
		{"undone facts are removed, and the others are relinked", testUndoneFacts},
		{"messages take the place of undone ones", testUndoneReplaced},
		{"undone messages are not found", testUndoneSearch},
		{"an import keeps its ids", testAdoptIDs},
		{"ids reveal nothing about other owners", testIDsTellNothing},
		{"a message is found by its id", testMessageByID},
		{"copies keep times and receipts", testCopies},
	}
}

// undone undoes the end of a lineage, an hour after it was said.
func undone(root session.ID, from int64) curate.Rewrite {
	return curate.Rewrite{Undone: []curate.Undone{{Root: root, From: from, At: epoch().Add(time.Hour)}}}
}

// resetStep is a step that ends one session and opens another.
func resetStep(ended *session.Session, next session.Session) lineage.Step {
	return lineage.Step{Ended: ended, Opened: true, Session: next}
}

func testUndone(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", "key"), newTalk(alice(), "other", "key")
	l.say(t, st, "0", "1", "2")
	l.commit(t, st, l.fold(t, st, "child", "3", "4"))
	other.say(t, st, "elsewhere", "there")
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 3)), "")
	at := epoch().Add(time.Hour)
	l.messages[3].UndoneAt, l.messages[4].UndoneAt = at, at
	l.say(t, st, "5", "6")
	l.check(t, st)
	other.check(t, st)
	standing := append(l.messages[:3:3], l.messages[5:]...)
	check := func(what string, r session.Range, want []session.Message) {
		t.Helper()
		got, err := st.Messages(t.Context(), alice(), "s", r)
		kind(t, what, err, "")
		same(t, what, got, want)
	}
	check("what stands", session.Range{Standing: true}, standing)
	check("the newest that stand", session.Range{Standing: true, Newest: true, Limit: 3}, standing[2:])
	check("a window", session.Range{Standing: true, From: 1, To: 6}, standing[1:4])
	roots, err := st.RootsOfKey(t.Context(), alice(), "key")
	kind(t, "lineages of the key", err, "")
	same(t, "lineages of the key", roots, []session.ID{"other", "s"})
	same(t, "documents of the lineage", gather(t, st, memory.Scope{Root: "s", Whole: true}), documentsOf(standing))
	same(t, "documents of the key", len(gather(t, st, memory.Scope{Key: "key"})), 7)
	past := memory.Scope{Root: "s", Whole: true, AsOf: at.Add(-time.Minute)}
	same(t, "not in the past either", gather(t, st, past), documentsOf(standing))
	quotes, err := st.Quotes(t.Context(), alice(), []memory.Place{{Root: "s", Seq: 3}})
	kind(t, "quotes", err, "")
	same(t, "it can still be read by its place", quotes, documentsOf(l.messages[3:4]))

	later := curate.Rewrite{Undone: []curate.Undone{{Root: "s", From: 2, At: at.Add(time.Hour)}}}
	kind(t, "undo more", st.Rewrite(t.Context(), alice(), later), "")
	for _, i := range []int{2, 5, 6} {
		l.messages[i].UndoneAt = at.Add(time.Hour)
	}
	l.check(t, st)
}

// testUndoneMiddle: an undo can have an end.
func testUndoneMiddle(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "0", "1", "2", "3")
	at := epoch().Add(time.Hour)
	middle := curate.Rewrite{Undone: []curate.Undone{{Root: "s", From: 1, To: 3, At: at}}}
	kind(t, "undo", st.Rewrite(t.Context(), alice(), middle), "")
	l.messages[1].UndoneAt, l.messages[2].UndoneAt = at, at
	l.check(t, st)
	same(t, "documents", gather(t, st, memory.Scope{Root: "s", Whole: true}), documentsOf([]session.Message{l.messages[0], l.messages[3]}))
}

func testUndoneFacts(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "We use Postgres.", "Noted.")
	was := fact("was", &step.Messages[0], memory.Decision)
	step.Changes = []memory.Change{{Learned: []memory.Fact{was}}}
	l.commit(t, st, step)
	step = l.step(t, st, "We use MySQL now.", "Noted.")
	now := fact("now", &step.Messages[0], memory.Decision)
	now.Links = []memory.Link{{Kind: memory.Supersedes, To: "was"}}
	was.SupersededBy, was.SupersededAt = "now", epoch()
	step.Changes = []memory.Change{{Learned: []memory.Fact{now}, Superseded: []memory.Fact{was}}}
	l.commit(t, st, step)
	known(t, "before", st, memory.Scope{Key: "key"}, was, now)

	was.SupersededBy, was.SupersededAt = "", time.Time{}
	was.Links = []memory.Link{{Kind: memory.Perhaps, To: "was"}}
	w := undone("s", 2)
	w.Relinked = []memory.Fact{was}
	tip := l.tip()
	tip.Title, tip.Summary, tip.TailFrom, tip.LineageTokens = "T", "- said", 1, 5
	w.Sessions = []session.Session{tip}
	kind(t, "undo", st.Rewrite(t.Context(), alice(), w), "")
	known(t, "after", st, memory.Scope{Key: "key"}, was)
	known(t, "seen from the lineage", st, memory.Scope{Root: "s", Whole: true}, was)
	l.sessions[0] = tip
	l.messages[2].UndoneAt, l.messages[3].UndoneAt = epoch().Add(time.Hour), epoch().Add(time.Hour)
	l.check(t, st)
}

// testUndoneReplaced: one transaction undoes messages and stores others in their place, with what was learnt from them.
func testUndoneReplaced(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "Lives in Rome.", "Likes tea.")
	stays := fact("stays", &step.Messages[0], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{stays}}, {Learned: []memory.Fact{fact("goes", &step.Messages[1], memory.Plain)}}}
	step.Origin = originOf("c", "first")
	l.commit(t, st, step)

	step = l.step(t, st, "Likes coffee.", "Has a zebra.")
	now, more := fact("now", &step.Messages[0], memory.Plain), fact("more", &step.Messages[1], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{now}}, {Learned: []memory.Fact{more}}}
	step.Session.LineageTokens = 7
	step.Origin = originOf("c", "second")
	step.Origin.NextSeq = 4
	w := undone("s", 1)
	w.Sessions, w.Step = []session.Session{step.Session}, &step
	failing := w
	stray := fact("stray", &session.Message{RootID: "s", Seq: 9}, memory.Plain)
	failing.Scopes = []curate.ScopeFacts{{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{stray}}}
	kind(t, "a fact of no message", st.Rewrite(t.Context(), alice(), failing), fault.Conflict)
	l.check(t, st)
	originIs(t, "after a failure", st, alice(), originOf("c", "first"))

	kind(t, "replace", st.Rewrite(t.Context(), alice(), w), "")
	l.hold(step)
	l.messages[1].UndoneAt = epoch().Add(time.Hour)
	l.check(t, st)
	known(t, "facts", st, memory.Scope{Key: "key"}, stays, now, more)
	originIs(t, "afterwards", st, alice(), step.Origin)
	if hits := look(t, st, "zebra"); len(hits) != 1 {
		t.Errorf("got %+v, want the new message", hits)
	}

	again := w // its places are taken
	again.Undone = []curate.Undone{{Root: "s", From: 3, At: epoch().Add(time.Hour)}}
	kind(t, "replace again", st.Rewrite(t.Context(), alice(), again), fault.Conflict)
	l.check(t, st)

	step = l.step(t, st, "Has a horse.")
	first := fact("first", &step.Messages[0], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{first}}}
	w = undone("s", 1)
	w.Sessions, w.Step = []session.Session{step.Session}, &step
	w.Scopes = []curate.ScopeFacts{{Scope: memory.Scope{Key: "key"}, Facts: []memory.Fact{stays}}}
	kind(t, "replace with the other facts", st.Rewrite(t.Context(), alice(), w), "")
	known(t, "facts that were replaced", st, memory.Scope{Key: "key"}, stays, first)
}

func testCopies(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	step := l.step(t, st, "first", "answer", "second")
	for i := range step.Messages {
		step.Messages[i].RecordedAt = epoch().Add(time.Duration(i-9) * time.Hour)
	}
	step.Messages[1].ReceiptID, step.Messages[1].Receipt = "r_1", []byte(`{"id":"r_1","model":"m"}`)
	step.Messages[2].UndoneAt = epoch()
	step.Changes = []memory.Change{
		{Learned: []memory.Fact{fact("one", &step.Messages[0], memory.Plain)}},
		{Learned: []memory.Fact{fact("two", &step.Messages[1], memory.Plain)}},
	}
	l.commit(t, st, step)
	got, err := st.Messages(t.Context(), alice(), "s", session.Range{Receipts: true})
	kind(t, "messages", err, "")
	same(t, "messages with receipts", got, l.messages)
	newest, err := st.Messages(t.Context(), alice(), "s", session.Range{Receipts: true, Newest: true, Limit: 2})
	kind(t, "messages", err, "")
	same(t, "the newest with receipts", newest, l.messages[1:])
	receipt, err := st.Receipt(t.Context(), alice(), "r_1")
	kind(t, "receipt", err, "")
	same(t, "receipt", receipt.Model, "m")
	scope := memory.Scope{Root: "s", AsOf: epoch().Add(-8*time.Hour - time.Minute)}
	known(t, "facts as they were known then", st, scope, fact("one", &l.messages[0], memory.Plain))
	l.messages[1].ReceiptID, l.messages[1].Receipt = "", nil // unless they are asked for
	l.check(t, st)

	stray := l.step(t, st, "third")
	stray.Changes = []memory.Change{{Learned: []memory.Fact{fact("stray", &l.messages[0], memory.Plain)}}}
	if err := st.AppendTurn(t.Context(), alice(), stray); err == nil {
		t.Error("a fact of a message of another step: got no error")
	}
}

// testAdoptIDs: an import keeps its ids unless they are in use or reserved. Ids are
// written here relative to the owner's first one.
func testAdoptIDs(t *testing.T, st Store) {
	first, err := st.ReserveMessageIDs(t.Context(), alice(), 1)
	kind(t, "reserve", err, "")
	zero := first - 1
	adopt := func(want bool, ids ...int64) {
		t.Helper()
		got, err := st.AdoptMessageIDs(t.Context(), alice(), ids)
		kind(t, "adopt", err, "")
		var wanted []int64
		for _, id := range ids {
			wanted = append(wanted, zero+id)
		}
		if (got != nil) != want || want && !slices.Equal(got, wanted) {
			t.Errorf("adopt %v: got %v, want %v", ids, got, want)
		}
	}
	adopt(true)
	adopt(true, 5, 9, 100)
	adopt(true, 2, 3, 7) // never given out: the ids above them were adopted
	adopt(false, 1, 3)   // given out, and perhaps about to be stored
	adopt(false, 0, 3)
	adopt(false, -1)
	adopt(false, 4, 4)
	adopt(false, 8, 6)
	adopt(false, 1<<33-1) // it would leave few ids to come
	next, err := st.ReserveMessageIDs(t.Context(), alice(), 10)
	kind(t, "reserve", err, "")
	same(t, "reserved after what was adopted", next, zero+101)
	adopt(false, 98, 101) // given out
	adopt(false, 110)
	adopt(true, 98, 111)
	l := newTalk(alice(), "s", "")
	step := l.step(t, st, "one", "two")
	step.Messages[0].ID, step.Messages[1].ID = zero+50, zero+51
	l.commit(t, st, step)
	adopt(false, 49, 51) // in use
	adopt(true, 49, 52)

	theirs, err := st.AdoptMessageIDs(t.Context(), bob(), []int64{zero + 49, zero + 51})
	kind(t, "adopt another owner's ids", err, "")
	if len(theirs) != 2 || theirs[1]-theirs[0] != 2 || theirs[0] == zero+49 {
		t.Errorf("adopt alice's ids for bob: got %v, want two of bob's, in the same distance", theirs)
	}
}

// testIDsTellNothing: an owner's ids count only the owner's messages.
func testIDsTellNothing(t *testing.T, st Store) {
	reserve := func(o owner.Owner, n int) int64 {
		t.Helper()
		first, err := st.ReserveMessageIDs(t.Context(), o, n)
		kind(t, "reserve", err, "")
		return first
	}
	a := reserve(alice(), 1)
	b := reserve(bob(), 1)
	for n := range int64(5) {
		same(t, "alice's next", reserve(alice(), 2), a+1+2*n)
		same(t, "bob's next", reserve(bob(), 100), b+1+100*n)
	}
	same(t, "the local owner's first", reserve(owner.Local(), 1), int64(1))
	for _, first := range []int64{a, b} {
		if first < 1 || first >= 1<<53 {
			t.Errorf("got the id %d, want one that every client can read: from 1 to 2^53", first)
		}
	}
}

func testMessageByID(t *testing.T, st Store) {
	l, other := newTalk(alice(), "s", ""), newTalk(alice(), "other", "")
	l.say(t, st, "0", "1", "2")
	other.say(t, st, "elsewhere")
	for i, id := range []int64{l.messages[1].ID, other.messages[0].ID, 1 << 40} {
		got, err := st.Messages(t.Context(), alice(), "s", session.Range{MessageID: id})
		kind(t, "messages", err, "")
		var want []session.Message
		if i == 0 {
			want = l.messages[1:2]
		}
		same(t, "message by its id", got, want)
	}
}

func testUndoneSearch(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "a quetzal", "a bird", "another quetzal", "green")
	if hits := look(t, st, "quetzal"); len(hits) != 1 || hits[0].MatchCount != 2 {
		t.Fatalf("got %+v, want both messages", hits)
	}
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 2)), "")
	if hits := look(t, st, "quetzal"); len(hits) != 1 || hits[0].MatchCount != 1 {
		t.Errorf("got %+v, want the one that stands", hits)
	}
	kind(t, "undo", st.Rewrite(t.Context(), alice(), undone("s", 0)), "")
	if hits := look(t, st, "quetzal"); len(hits) != 0 {
		t.Errorf("got %+v, want none", hits)
	}
}
