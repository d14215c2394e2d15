package storetest

import (
	"fmt"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func turnTests() []test {
	return []test{
		{"a failing step changes nothing", testStepAtomic},
		{"a parent has one child", testOneChild},
		{"a step without messages", testEmptyStep},
		{"receipts are read back as they were stored", testReceipt},
		{"costs are summed in order", testCosts},
		{"message ids are reserved once", testReserve},
	}
}

// testStepAtomic fails steps in every possible way, each with as much content as a step
// can have, and looks for traces.
func testStepAtomic(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "key")
	first := l.step(t, st, "I use Redis.", "Noted.")
	old := fact("old", &first.Messages[0], memory.Plain)
	first.Changes = []memory.Change{{Learned: []memory.Fact{old}}}
	l.commit(t, st, first)
	for _, c := range []struct {
		name  string
		spoil func(*lineage.Step)
		want  fault.Kind
	}{
		{"the last message's place is taken", func(s *lineage.Step) { s.Messages[len(s.Messages)-1].Seq = 0 }, fault.Conflict},
		{"the child's id is taken", func(s *lineage.Step) { s.Session.ID = "s" }, fault.Conflict},
		{"the child's generation is taken", func(s *lineage.Step) { s.Session.Generation = 0 }, fault.Conflict},
		{"a session that is not there", func(s *lineage.Step) { s.Opened = false }, fault.NotFound},
	} {
		late := *l
		late.sessions = append([]session.Session(nil), l.sessions...)
		step := late.fold(t, st, "child", "I use Valkey now.", "Noted, too.")
		replaced := old
		replaced.SupersededBy, replaced.SupersededAt = "f_new", epoch()
		step.Changes = []memory.Change{{
			Learned: []memory.Fact{fact("new", &step.Messages[0], memory.Plain)}, Superseded: []memory.Fact{replaced},
		}}
		step.Receipt = &lineage.Receipt{ID: "r_1", SessionID: "child", RootID: "s", Seq: step.Messages[1].Seq, At: epoch()}
		step.Finished = &lineage.Finished{Key: claim("k-1", "body"), Outcome: outcome("s")}
		c.spoil(&step)
		kind(t, c.name, st.AppendTurn(t.Context(), alice(), step), c.want)
		l.check(t, st)
		facts, err := factsOf(t.Context(), st, alice(), memory.Scope{Root: "s", Whole: true})
		kind(t, c.name, err, "")
		same(t, c.name+": facts", facts, []memory.Fact{old})
		_, err = st.Receipt(t.Context(), alice(), "r_1")
		kind(t, c.name+": receipt", err, fault.NotFound)
		got, err := st.ClaimRequest(t.Context(), alice(), claim("k-1", "body"))
		kind(t, c.name+": claim", err, "")
		same(t, c.name+": claim", got, run.Claimed{Mine: true})
		_, err = st.Session(t.Context(), alice(), "child")
		kind(t, c.name+": child", err, fault.NotFound)
	}
}

func testOneChild(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello", "hi")
	late := *l
	late.sessions = append([]session.Session(nil), l.sessions...)
	l.commit(t, st, l.fold(t, st, "child-1", "more"))
	err := st.AppendTurn(t.Context(), alice(), late.fold(t, st, "child-2", "more"))
	kind(t, "a second child", err, fault.Conflict)
	// Without messages only the generation can show the conflict.
	err = st.AppendTurn(t.Context(), alice(), late.fold(t, st, "child-2"))
	kind(t, "a second child without messages", err, fault.Conflict)
	l.check(t, st)
	_, err = st.Session(t.Context(), alice(), "child-2")
	kind(t, "a second child", err, fault.NotFound)
}

func testEmptyStep(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello", "hi")
	l.commit(t, st, l.fold(t, st, "child"))
	l.check(t, st)
	l.say(t, st, "more")
	l.check(t, st)
}

func testReceipt(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	step := l.step(t, st, "hello", "hi")
	want := lineage.Receipt{
		ID: "r_01", SessionID: "s", RootID: "s", Seq: 1, At: epoch(), Model: "model-1", Responder: lineage.ByUpstream,
		Facts: []memory.FactID{"f_1", "f_2"}, TailFrom: 0, InputTo: 1, Recalled: []memory.Place{{Root: "other", Seq: 7}},
		Context: lineage.Context{Sent: 10, Budget: 8000, Naive: 12, System: 1, Memory: 2, Tail: 3, Input: 4},
	}
	step.Receipt = &want
	l.commit(t, st, step)
	got, err := st.Receipt(t.Context(), alice(), "r_01")
	kind(t, "receipt", err, "")
	same(t, "receipt", got, want)
	for _, id := range []string{"", "r_02", "%", "r_0_"} {
		_, err = st.Receipt(t.Context(), alice(), id)
		kind(t, fmt.Sprintf("receipt %q", id), err, fault.NotFound)
	}
	l.check(t, st)
}

func testReserve(t *testing.T, st Store) {
	next := int64(0)
	for i, n := range []int{1, 3, 1, 100, 2} {
		first, err := st.ReserveMessageIDs(t.Context(), alice(), n)
		kind(t, "reserve", err, "")
		if i > 0 && first < next {
			t.Errorf("reserve %d: got ids from %d on, want at least %d", n, first, next)
		}
		if first < 1 {
			t.Errorf("reserve %d: got ids from %d on, want positive ones", n, first)
		}
		next = first + int64(n)
	}
}
