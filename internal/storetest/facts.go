package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func factTests() []test {
	return []test{
		{"a fact is read back with all its fields", testFactFields},
		{"facts keep the order in which they were learnt", testFactOrder},
		{"a newer fact supersedes", testFactSuperseded},
		{"a scope sees its own facts", testFactScopes},
	}
}

// fact is a bare fact that quotes the whole of a message.
func fact(id memory.FactID, m *session.Message, k memory.Kind) memory.Fact {
	return memory.Fact{
		ID: "f_" + id, Kind: k, Quote: m.Content, Statement: m.Content, SaidAt: m.SaidAt,
		Source: memory.Source{
			MessageID: m.ID, SessionID: m.SessionID, Root: m.RootID, Seq: m.Seq, End: len(m.Content), Role: m.Role,
		},
	}
}

// known checks the facts of a scope.
func known(t *testing.T, what string, st Store, scope memory.Scope, want ...memory.Fact) {
	t.Helper()
	got, err := factsOf(t.Context(), st, alice(), scope)
	kind(t, what, err, "")
	same(t, what, got, want)
}

// factsOf returns the facts of a scope.
func factsOf(ctx context.Context, st Store, o owner.Owner, scope memory.Scope) ([]memory.Fact, error) {
	var out []memory.Fact
	err := st.Facts(ctx, o, scope, func(f *memory.StoredFact) bool {
		out = append(out, f.Fact)
		return true
	})
	return out, err
}

func testFactFields(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "We chose Rust because it's fast – since May 2025; O'Brien said \"so\".")
	m := &step.Messages[0]
	full := fact("0123456789abcdef", m, memory.Decision)
	full.Source.Speaker, full.Source.Start, full.Source.End = "Ünal", 3, 40
	full.Quote = m.Content[3:40]
	full.Statement = "The speaker chose Rust"
	full.Subject, full.Attribute, full.Value, full.Because = "user", "language", "Rust", "it's fast"
	full.When = memory.Interval{From: epoch().AddDate(-1, 0, 0), To: epoch().AddDate(-1, 1, 0)}
	full.SupersededBy, full.SupersededAt = "f_2", epoch().Add(time.Minute)
	full.Links = []memory.Link{{Kind: memory.Answers, To: "f_9"}, {Kind: memory.Supersedes, To: "f_8"}}
	bare := fact("bare", m, memory.Question)
	ancient := fact("ancient", m, memory.Event)
	ancient.When.From = time.Date(1815, time.June, 18, 11, 35, 0, 0, time.UTC) // open-ended, before 1970
	step.Changes = []memory.Change{{Learned: []memory.Fact{full, bare, ancient}}}
	l.commit(t, st, step)
	known(t, "facts", st, memory.Scope{Root: "s", Whole: true}, full, bare, ancient)
	known(t, "facts by key", st, memory.Scope{Key: "key"}, full, bare, ancient)
}

func testFactOrder(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")
	var want []memory.Fact
	for i := range 10 {
		l := []*talk{a, b}[i%2]
		step := l.step(t, st, "told")
		// Neither ids nor positions give the order.
		one := fact(memory.FactID(strings.Repeat("z", 10-i)), &step.Messages[0], memory.Plain)
		two := fact(memory.FactID(strings.Repeat("a", i+1)), &step.Messages[0], memory.Plain)
		step.Changes = []memory.Change{{Learned: []memory.Fact{one}}, {Learned: []memory.Fact{two}}}
		want = append(want, one, two)
		l.commit(t, st, step)
	}
	known(t, "facts of a key", st, memory.Scope{Key: "key"}, want...)
}

func testFactSuperseded(t *testing.T, st Store) {
	a, b := newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")
	step := a.step(t, st, "I use Redis.")
	was := fact("was", &step.Messages[0], memory.Plain)
	kept := fact("kept", &step.Messages[0], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{was, kept}}}
	a.commit(t, st, step)

	// Said in another lineage of the same key. The change carries the whole old fact,
	// of which SupersededBy and the links may be new.
	step = b.step(t, st, "I use Valkey now.")
	now := fact("now", &step.Messages[0], memory.Plain)
	now.Links = []memory.Link{{Kind: memory.Supersedes, To: was.ID}}
	was.SupersededBy, was.SupersededAt = now.ID, step.Messages[0].SaidAt
	step.Changes = []memory.Change{{Learned: []memory.Fact{now}, Superseded: []memory.Fact{was}}}
	b.commit(t, st, step)
	known(t, "facts of the key", st, memory.Scope{Key: "key"}, was, kept, now)
	known(t, "facts of the lineage", st, memory.Scope{Root: "a", Whole: true}, was, kept)

	// Undone: the old fact is current again.
	step = b.step(t, st, "No, that was wrong.")
	was.SupersededBy, was.SupersededAt = "", time.Time{}
	now.SupersededBy, now.SupersededAt = "f_back", step.Messages[0].SaidAt
	back := fact("back", &step.Messages[0], memory.Retraction)
	step.Changes = []memory.Change{{Learned: []memory.Fact{back}, Superseded: []memory.Fact{was, now}}}
	b.commit(t, st, step)
	known(t, "facts after a retraction", st, memory.Scope{Key: "key"}, was, kept, now, back)

	// Said before a fact, and stored behind it: that fact has a new link, and stands.
	step = a.step(t, st, "I used Memcached.")
	former := fact("former", &step.Messages[0], memory.Plain)
	former.SupersededBy, former.SupersededAt = kept.ID, kept.SaidAt
	kept.Links = []memory.Link{{Kind: memory.Supersedes, To: former.ID}}
	step.Changes = []memory.Change{{Learned: []memory.Fact{former}, Superseded: []memory.Fact{kept}}}
	a.commit(t, st, step)
	known(t, "a fact that was said before another", st, memory.Scope{Key: "key"}, was, kept, now, back, former)

	// Told again by another program: an older fact has ended it already. Without that one it holds.
	step = a.step(t, st, "Uses Redis.")
	again := fact("again", &step.Messages[0], memory.Plain)
	again.SupersededBy, again.SupersededAt = now.ID, now.SaidAt
	step.Changes = []memory.Change{{Learned: []memory.Fact{again}}}
	a.commit(t, st, step)
	known(t, "a fact that is ended already", st, memory.Scope{Key: "key"}, was, kept, now, back, former, again)
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "b"), "")
	again.SupersededBy, again.SupersededAt = "", time.Time{}
	known(t, "without the fact that ended it", st, memory.Scope{Key: "key"}, was, kept, former, again)
}

func testFactScopes(t *testing.T, st Store) {
	tell := func(l *talk, id memory.FactID) memory.Fact {
		step := l.step(t, st, "told "+string(id))
		f := fact(id, &step.Messages[0], memory.Plain)
		step.Changes = []memory.Change{{Learned: []memory.Fact{f}}}
		l.commit(t, st, step)
		return f
	}
	a, b := newTalk(alice(), "a", ""), newTalk(alice(), "b", "key")
	alone := tell(a, "alone")
	shared := tell(b, "shared")
	a.key = "key"
	joined := tell(a, "joined")
	b.key = "other"
	apart := tell(b, "apart")
	known(t, "by lineage, without a key", st, memory.Scope{Root: "a"}, alone)
	known(t, "by lineage, with and without a key", st, memory.Scope{Root: "a", Whole: true}, alone, joined)
	known(t, "by key, over lineages", st, memory.Scope{Key: "key"}, shared, joined)
	known(t, "the key wins", st, memory.Scope{Root: "a", Key: "other"}, apart)
	known(t, "an absent key", st, memory.Scope{Root: "a", Key: "none"})
	known(t, "an absent lineage", st, memory.Scope{Root: "none"})
	known(t, "wildcards are data", st, memory.Scope{Key: "%"})
}
