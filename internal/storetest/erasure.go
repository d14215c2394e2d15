package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func erasureTests() []test {
	return []test{
		{"erasing a lineage erases everything derived from it", testErase},
		{"an erased id can be used again", testEraseReuse},
		{"a fact whose successor is erased is current again", testEraseSuperseding},
		{"every table of a new store is known", testKnownTables},
		{"the words that this program begins names with are no mention", testOwnWords},
		{"a program that an import names as a speaker is no mention", testOwnSpeakers},
	}
}

// rich writes a lineage with a row of every kind: three sessions, facts, a receipt and
// an answered request, all named after its root.
func rich(t *testing.T, st Store, root session.ID, key session.Key) *talk {
	t.Helper()
	l := newTalk(alice(), root, key)
	step := l.step(t, st, "I use Redis in "+string(root), "Noted.")
	step.Changes = []memory.Change{{Learned: []memory.Fact{fact(memory.FactID(root), &step.Messages[0], memory.Plain)}}}
	step.Receipt = &lineage.Receipt{ID: "r_" + string(root), SessionID: root, RootID: root, Seq: 1, At: epoch()}
	step.Finished = &lineage.Finished{Key: claim("claim "+string(root), "body"), Outcome: outcome(root)}
	l.commit(t, st, step)
	l.commit(t, st, l.fold(t, st, root+"-2", "more", "yes"))
	l.commit(t, st, l.fold(t, st, root+"-3", "still more", "yes"))
	return l
}

// testKnownTables: a certificate names what it has not searched, and that is no table of ours. What a
// new store holds is all ours.
func testKnownTables(t *testing.T, st Store) {
	traces, err := st.Mentions(t.Context(), alice(), mention.Of("Zebulon"))
	kind(t, "mentions", err, "")
	if len(traces) < 20 {
		t.Errorf("got a search of %d tables", len(traces))
	}
	for _, trace := range traces {
		if strings.Contains(trace.File, "not searched") {
			t.Errorf("got %q in a certificate: the table needs a rule, or to be named by storage.Foreign", trace.File)
		}
	}
}

func testErase(t *testing.T, st Store) {
	gone, kept := rich(t, st, "gone", "key"), rich(t, st, "kept", "key")
	err := st.DeleteLineage(t.Context(), alice(), "gone-2")
	kind(t, "a lineage is erased by its root, not by another id", err, fault.NotFound)
	gone.check(t, st)

	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	for _, id := range gone.ids() {
		_, err := st.Tip(t.Context(), alice(), id)
		kind(t, "tip of "+string(id), err, fault.NotFound)
		_, err = st.Session(t.Context(), alice(), id)
		kind(t, "session "+string(id), err, fault.NotFound)
		ms, err := st.Messages(t.Context(), alice(), id, session.Range{})
		kind(t, "messages of "+string(id), err, "")
		same(t, "messages of "+string(id), ms, []session.Message(nil))
	}
	same(t, "documents of the lineage", gather(t, st, memory.Scope{Root: "gone"}), []ranking.Document(nil))
	same(t, "documents of the key", gather(t, st, memory.Scope{Key: "key"}), documentsOf(kept.messages))
	known(t, "facts of the lineage", st, memory.Scope{Root: "gone"})
	known(t, "facts of the key", st, memory.Scope{Key: "key"}, fact("kept", &kept.messages[0], memory.Plain))
	quotes, err := st.Quotes(t.Context(), alice(), []memory.Place{{Root: "gone", Seq: 0}, {Root: "kept", Seq: 0}})
	kind(t, "quotes", err, "")
	same(t, "quotes", quotes, documentsOf(kept.messages[:1]))
	_, err = st.Receipt(t.Context(), alice(), "r_gone")
	kind(t, "receipt", err, fault.NotFound)
	claimed(t, "request", st, alice(), claim("claim gone", "body"), run.Claimed{Mine: true})
	same(t, "list", listed(t, st, session.Filter{}), []session.ID{"kept"})
	same(t, "list by prefix", listed(t, st, session.Filter{Prefix: "gone"}), []session.ID(nil))
	kind(t, "delete again", st.DeleteLineage(t.Context(), alice(), "gone"), fault.NotFound)

	kept.check(t, st)
	_, err = st.Receipt(t.Context(), alice(), "r_kept")
	kind(t, "the other's receipt", err, "")
	claimed(t, "the other's request", st, alice(), claim("claim kept", "body"), run.Claimed{SameBody: true, Outcome: outcome("kept")})
}

func testEraseReuse(t *testing.T, st Store) {
	rich(t, st, "s", "key")
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "s"), "")
	again := rich(t, st, "s-2", "") // an id that named a child before
	again.check(t, st)
	l := newTalk(alice(), "s", "")
	l.say(t, st, "a new beginning", "indeed")
	l.check(t, st)
	same(t, "documents", gather(t, st, memory.Scope{Root: "s"}), documentsOf(l.messages))
}

// testEraseSuperseding erases the middle and then the end of a chain of facts
// that replaced one another across lineages.
func testEraseSuperseding(t *testing.T, st Store) {
	replace := func(l *talk, was *memory.Fact, id memory.FactID) memory.Fact {
		step := l.step(t, st, "Now it is "+string(id))
		now := fact(id, &step.Messages[0], memory.Plain)
		change := memory.Change{Learned: []memory.Fact{now}}
		if was != nil {
			now.Links = []memory.Link{{Kind: memory.Supersedes, To: was.ID}, {Kind: memory.Perhaps, To: "one"}}
			change.Learned[0].Links = now.Links
			was.SupersededBy, was.SupersededAt = now.ID, now.SaidAt
			change.Superseded = []memory.Fact{*was}
		}
		step.Changes = []memory.Change{change}
		l.commit(t, st, step)
		return now
	}
	a, b, c := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key"), newTalk(alice(), "c", "key")
	a.now, b.now, c.now = epoch(), epoch().Add(time.Hour), epoch().Add(2*time.Hour)
	one := replace(a, nil, "one")
	two := replace(b, &one, "two")
	three := replace(b, &two, "three")
	four := replace(c, &three, "four")
	other := replace(newTalk(alice(), "d", "other key"), nil, "other")
	known(t, "before", st, memory.Scope{Key: "key"}, one, two, three, four)

	kind(t, "delete b", st.DeleteLineage(t.Context(), alice(), "b"), "")
	one.SupersededBy, one.SupersededAt = four.ID, four.SaidAt
	four.Links = []memory.Link{{Kind: memory.Perhaps, To: "one"}} // the other link led to what is erased
	known(t, "without the middle", st, memory.Scope{Key: "key"}, one, four)

	kind(t, "delete c", st.DeleteLineage(t.Context(), alice(), "c"), "")
	one.SupersededBy, one.SupersededAt = "", time.Time{}
	known(t, "without the end", st, memory.Scope{Key: "key"}, one)
	known(t, "another key", st, memory.Scope{Key: "other key"}, other)
}
