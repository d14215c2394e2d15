package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

func pastTests() []test {
	return []test{{"a past state lacks messages recorded later", testPast}}
}

// testPast reads past states. The time of recording counts, not the time at which
// something was said.
func testPast(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	var facts []memory.Fact
	for i := range 4 {
		step := l.step(t, st, "question", "answer")
		for j := range step.Messages { // said in the opposite order
			step.Messages[j].SaidAt = epoch().Add(-time.Duration(i) * time.Hour)
		}
		f := fact(memory.FactID(rune('a'+i)), &step.Messages[0], memory.Plain)
		step.Changes = []memory.Change{{Learned: []memory.Fact{f}}}
		facts = append(facts, f)
		l.commit(t, st, step)
	}
	for _, c := range []struct {
		name  string
		at    time.Time
		turns int
	}{
		{"now", time.Time{}, 4},
		{"before all", epoch(), 0},
		{"at the first turn", l.messages[0].RecordedAt, 1},
		{"just before the third", l.messages[4].RecordedAt.Add(-time.Millisecond), 2},
		{"at the third", l.messages[4].RecordedAt, 3},
		{"long after", epoch().Add(time.Hour), 4},
	} {
		want := l.messages[:2*c.turns]
		got, err := st.Messages(t.Context(), alice(), "s", session.Range{Until: c.at})
		kind(t, c.name, err, "")
		same(t, c.name+": messages", got, want)
		got, err = st.Messages(t.Context(), alice(), "s", session.Range{Until: c.at, Newest: true, Limit: 2})
		kind(t, c.name, err, "")
		same(t, c.name+": newest messages", got, want[max(0, len(want)-2):])
		for _, scope := range []memory.Scope{{Root: "s", Whole: true, AsOf: c.at}, {Key: "key", AsOf: c.at}} {
			same(t, c.name+": documents", gather(t, st, scope), documentsOf(want))
			known(t, c.name+": facts", st, scope, facts[:c.turns]...)
		}
	}
}
