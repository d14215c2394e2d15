package storetest

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func nameTests() []test {
	return []test{
		{"ids and keys are stored unchanged", testNames},
		{"ids differ by any character", testNamesApart},
	}
}

// oddNames are ids that a layer might interpret: as a path, a pattern or a piece of
// SQL.
func oddNames() []session.ID {
	return []session.ID{
		"repo:acme/backend", "../../etc/passwd", "名前:ü", "' OR 1=1 --", "%", "_", `\`, "\"", "a b  c ", "NULL", "0", "-1",
		"$1", "?", ":name", "{}", "*", "👩‍👩‍👧‍👦", "عربي", "\ufeffbom", "id;DROP TABLE sessions",
		session.ID(strings.Repeat("x", 256)), session.ID(strings.Repeat("ü", 256)), session.ID(strings.Repeat("𝔘", 256)),
	}
}

// testNames uses every odd name wherever a name is accepted.
func testNames(t *testing.T, st Store) {
	var talks []*talk
	for _, id := range oddNames() {
		l := newTalk(owner.Stored(string(id)), id, session.Key(id))
		step := l.step(t, st, "told under "+string(id), "noted")
		f := fact(memory.FactID(id), &step.Messages[0], memory.Plain)
		step.Changes = []memory.Change{{Learned: []memory.Fact{f}}}
		c := claim(string(id), "body")
		step.Finished = &lineage.Finished{Key: c, Outcome: outcome(id)}
		l.commit(t, st, step)
		l.commit(t, st, l.fold(t, st, "child of "+id, "more"))
		talks = append(talks, l)
		facts, err := factsOf(t.Context(), st, l.o, memory.Scope{Key: session.Key(id)})
		kind(t, "facts", err, "")
		same(t, "facts of "+string(id), facts, []memory.Fact{f})
		claimed(t, "request "+string(id), st, l.o, c, run.Claimed{SameBody: true, Outcome: outcome(id)})
		list, err := st.Sessions(t.Context(), l.o, session.Filter{Prefix: string(id)})
		kind(t, "list", err, "")
		same(t, "list by "+string(id), list, []session.Session{l.tip()})
	}
	for i, l := range talks {
		l.check(t, st)
		if i%2 == 0 {
			kind(t, "delete "+string(l.root()), st.DeleteLineage(t.Context(), l.o, l.root()), "")
		}
	}
	for i, l := range talks {
		if i%2 == 1 {
			l.check(t, st)
		}
	}
}

// testNamesApart: names that a careless comparison would treat as equal stay different.
func testNamesApart(t *testing.T, st Store) {
	var talks []*talk
	for _, id := range []session.ID{"s", "S", "s ", " s", "ſ", "ü", "u\u0308", "Ü", "1", "01", "1.0", "ß", "ss", "null", "NULL"} {
		l := newTalk(alice(), id, session.Key(id))
		l.say(t, st, "told under "+string(id))
		talks = append(talks, l)
	}
	for _, l := range talks {
		l.check(t, st)
		same(t, "documents of the key "+string(l.key), gather(t, st, memory.Scope{Key: l.key}), documentsOf(l.messages))
	}
}
