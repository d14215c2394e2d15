package storetest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func concurrencyTests() []test {
	return []test{
		{"many lineages are written at once", testManyWriters},
		{"one of two writers of a position wins", testOneWinner},
		{"one of two openers of an id wins", testOneOpener},
		{"an id is reserved once", testReserveAtOnce},
		{"a reader sees whole steps", testWholeSteps},
	}
}

func testManyWriters(t *testing.T, st Store) {
	const writers, turns = 32, 12
	talks := make([]*talk, writers)
	var wg sync.WaitGroup
	for i := range talks {
		o := []owner.Owner{alice(), bob()}[i%2]
		talks[i] = newTalk(o, session.ID(fmt.Sprintf("s%d", i/2)), session.Key(fmt.Sprintf("k%d", i%3)))
		wg.Go(func() {
			for turn := range turns {
				if turn == turns/2 {
					step := talks[i].fold(t, st, session.ID(fmt.Sprintf("child%d", i/2)), "question", "answer")
					talks[i].commit(t, st, step)
					continue
				}
				talks[i].say(t, st, fmt.Sprintf("question %d of %d", turn, i), "answer")
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for _, l := range talks {
		l.check(t, st)
	}
}

// race runs two steps at once, each on a handle of the store, and returns which of them was
// stored.
func race(t *testing.T, nodes [2]Store, o owner.Owner, steps [2]lineage.Step) int {
	t.Helper()
	var errs [2]error
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range steps {
		wg.Go(func() {
			<-start
			errs[i] = nodes[i].AppendTurn(t.Context(), o, steps[i])
		})
	}
	close(start)
	wg.Wait()
	for i := range errs {
		if errs[i] == nil && fault.KindOf(errs[1-i]) == fault.Conflict {
			return i
		}
	}
	t.Fatalf("got %v and %v, want one success and one Conflict", errs[0], errs[1])
	return 0
}

func testOneWinner(t *testing.T, st Store) { oneWins(t, [2]Store{st, st}) }

// oneWins has two handles of a store write to the same positions.
func oneWins(t *testing.T, nodes [2]Store) {
	t.Helper()
	st := nodes[0]
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello", "hi")
	for i := range 50 {
		var steps [2]lineage.Step
		for j := range steps {
			if i%5 == 4 {
				steps[j] = l.fold(t, st, session.ID(fmt.Sprintf("child %d of %d", i, j)), "q", "a")
			} else {
				steps[j] = l.step(t, st, fmt.Sprintf("round %d, writer %d", i, j), "a")
			}
		}
		won := steps[race(t, nodes, alice(), steps)]
		if won.Ended != nil {
			last := &l.sessions[len(l.sessions)-1]
			last.EndedAt, last.EndReason = won.Ended.EndedAt, won.Ended.EndReason
			l.sessions = append(l.sessions, won.Session)
		}
		l.sessions[len(l.sessions)-1] = won.Session
		l.messages = append(l.messages, won.Messages...)
	}
	l.check(t, st)
}

func testOneOpener(t *testing.T, st Store) { oneOpens(t, [2]Store{st, st}) }

// oneOpens has two handles of a store open sessions of the same id.
func oneOpens(t *testing.T, nodes [2]Store) {
	t.Helper()
	st := nodes[0]
	for i := range 20 {
		id := session.ID(fmt.Sprintf("s%d", i))
		talks := [2]*talk{newTalk(alice(), id, ""), newTalk(alice(), id, "")}
		steps := [2]lineage.Step{talks[0].step(t, st, "one"), talks[1].step(t, st, "two")}
		won := race(t, nodes, alice(), steps)
		talks[won].sessions[0] = steps[won].Session
		talks[won].messages = steps[won].Messages
		talks[won].check(t, st)
	}
}

func testReserveAtOnce(t *testing.T, st Store) { reserveOnce(t, [2]Store{st, st}) }

// reserveOnce reserves ids on both handles of a store at once.
func reserveOnce(t *testing.T, nodes [2]Store) {
	t.Helper()
	const callers, each = 16, 100
	got := make([][]int64, callers)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			for n := range each {
				first, err := nodes[i%2].ReserveMessageIDs(t.Context(), alice(), 1+n%3)
				if err != nil {
					t.Errorf("reserve: %v", err)
				}
				for k := range 1 + n%3 {
					got[i] = append(got[i], first+int64(k))
				}
			}
		})
	}
	wg.Wait()
	seen := make(map[int64]bool)
	for _, ids := range got {
		for _, id := range ids {
			if seen[id] {
				t.Fatalf("the id %d was given out twice", id)
			}
			seen[id] = true
		}
	}
}

// testWholeSteps reads a lineage while it is written: messages come in pairs, and the
// tip never counts a message that is not there.
func testWholeSteps(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "hello", "hi")
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for range 40 {
			l.say(t, st, "question", "answer")
		}
	})
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		tip, err := st.Tip(t.Context(), alice(), "s")
		kind(t, "tip", err, "")
		ms, err := st.Messages(t.Context(), alice(), "s", session.Range{})
		kind(t, "messages", err, "")
		if len(ms)%2 != 0 || int64(len(ms)) < tip.NextSeq {
			t.Errorf("got %d messages after a tip that counted %d, want whole pairs and no less", len(ms), tip.NextSeq)
			break
		}
	}
	wg.Wait()
	l.check(t, st)
}
