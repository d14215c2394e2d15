package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Together checks a backend that several processes use at once. open returns two handles of
// one empty store, as two processes have them; they are closed at the end of the test.
func Together(t *testing.T, open func(t *testing.T) [2]Store) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, [2]Store){
		"one of two writers of a position wins":  oneWins,
		"one of two openers of an id wins":       oneOpens,
		"an id is reserved once":                 reserveOnce,
		"one of two writers of a version wins":   testOneVersion,
		"every write of a scope is counted":      testCountedWrites,
		"titles stay different":                  testTitlesApart,
		"an owner's jobs and runs have a limit":  testLimitsTogether,
		"a row is claimed by one":                testClaimedByOne,
		"entries of the audit are linked":        testAuditTogether,
		"an outcome is known to all":             testOutcomeTogether,
		"what is erased is gone for all":         testErasedTogether,
		"what is said is found by all, at once":  testFoundTogether,
		"a text that another has erased is kept": testTextTogether,
		"an owner has one sole key":              testSoleTogether,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open(t))
		})
	}
}

// both calls a function on both handles at once, several times each.
func both(nodes [2]Store, times int, call func(st Store, n int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for _, st := range nodes {
		for range 4 {
			wg.Go(func() {
				for n := next.Add(1); n <= int64(times); n = next.Add(1) {
					call(st, int(n))
				}
			})
		}
	}
	wg.Wait()
}

// testOneVersion: two lineages of a key are written from the same version of the scope.
func testOneVersion(t *testing.T, nodes [2]Store) {
	talks := [2]*talk{newTalk(alice(), "a", "key"), newTalk(alice(), "b", "key")}
	for i := range talks {
		talks[i].say(t, nodes[i], "hello")
	}
	for range 20 {
		m := manifest(t, nodes[0], memory.Scope{Key: "key"})
		var steps [2]lineage.Step
		for i := range steps {
			steps[i] = talks[i].step(t, nodes[i], "more")
			steps[i].Version = m.Version
		}
		won := race(t, nodes, alice(), steps)
		talks[won].sessions[0], talks[won].messages = steps[won].Session, append(talks[won].messages, steps[won].Messages...)
	}
	for i := range talks {
		talks[i].check(t, nodes[1-i])
	}
}

// testCountedWrites: the version of a scope counts the writes of all handles.
func testCountedWrites(t *testing.T, nodes [2]Store) {
	const writes = 60
	both(nodes, writes, func(st Store, n int) {
		newTalk(alice(), session.ID(fmt.Sprint("s", n)), "key").say(t, st, "hello", "hi")
	})
	for _, st := range nodes {
		if got := manifest(t, st, memory.Scope{Key: "key"}).Version; got != writes {
			t.Errorf("got version %d after %d writes", got, writes)
		}
	}
}

// testTitlesApart: a taken title gets the next free number, whoever takes it.
func testTitlesApart(t *testing.T, nodes [2]Store) {
	const sessions = 30
	both(nodes, sessions, func(st Store, n int) {
		l := newTalk(alice(), session.ID(fmt.Sprint("s", n)), "")
		step := l.step(t, st, "hello")
		step.Title = "Plan"
		kind(t, "append", st.AppendTurn(t.Context(), alice(), step), "")
	})
	list, err := nodes[0].Sessions(t.Context(), alice(), session.Filter{Limit: sessions + 1})
	kind(t, "sessions", err, "")
	titles := make(map[string]bool)
	for i := range list {
		titles[list[i].Title] = true
	}
	if len(titles) != sessions || len(list) != sessions {
		t.Errorf("got %d titles of %d sessions, want %d of as many", len(titles), len(list), sessions)
	}
}

func testLimitsTogether(t *testing.T, nodes [2]Store) {
	const most, tries = 5, 24
	var jobs, runs atomic.Int64
	both(nodes, tries, func(st Store, n int) {
		j := aJob(job.ID(fmt.Sprint("job_", n)), fmt.Sprint("job ", n))
		if err := st.CreateJob(t.Context(), alice(), j, most); err == nil {
			jobs.Add(1)
		} else {
			kind(t, "one job too many", err, fault.Conflict)
		}
		_, made, err := st.CreateRun(t.Context(), alice(), aRun(fmt.Sprint("run_", n)), live.Bounds{Each: most, All: 1000})
		if made {
			runs.Add(1)
		} else {
			kind(t, "one run too many", err, fault.RateLimited)
		}
	})
	if jobs.Load() != most || runs.Load() != most {
		t.Errorf("got %d jobs and %d runs, want %d of each", jobs.Load(), runs.Load(), most)
	}
}

func testClaimedByOne(t *testing.T, nodes [2]Store) {
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRun, "slot of a job": claimsOfSlot, "work": claimsOfWork} {
		take := claim(t, nodes[0])
		var settle atomic.Pointer[func(Store) bool]
		var taken atomic.Int64
		both(nodes, 16, func(st Store, _ int) {
			if by := take(st, hour(1), hour(2)); by != nil {
				taken.Add(1)
				settle.Store(&by)
			}
		})
		if taken.Load() != 1 {
			t.Errorf("%s: got %d claims, want 1", name, taken.Load())
			continue
		}
		next := take(nodes[1], hour(3), hour(4)) // the lease is over
		if next == nil || (*settle.Load())(nodes[0]) || !next(nodes[0]) {
			t.Errorf("%s: got next claim %v, and perhaps a result under the old one", name, next != nil)
		}
	}
}

func testAuditTogether(t *testing.T, nodes [2]Store) {
	const entries = 40
	both(nodes, entries, func(st Store, n int) { kind(t, "record", st.Enter(t.Context(), alice(), entry(n, "x")), "") })
	list, err := nodes[0].Audit(t.Context(), alice(), audit.Filter{})
	kind(t, "audit", err, "")
	if got := audit.Verify(list); got.Entries != entries || got.Broken != 0 || got.First != 1 || got.Last != entries {
		t.Errorf("got %+v, want a whole chain of %d entries", got, entries)
	}
}

func testOutcomeTogether(t *testing.T, nodes [2]Store) {
	c := claim("key", "body")
	claimed(t, "before", nodes[1], alice(), c, run.Claimed{Mine: true})
	finish(t, nodes[0], alice(), "s", c)
	claimed(t, "after", nodes[1], alice(), c, run.Claimed{SameBody: true, Outcome: outcome("s")})
}

func testErasedTogether(t *testing.T, nodes [2]Store) {
	gone := rich(t, nodes[0], "gone", "key")
	gone.check(t, nodes[1])
	put(t, nodes[1], alice(), memory.Scope{Key: "key"}, pieceOf(memory.MessagePiece, &gone.messages[0], &gone.messages[1]), "gone")
	kind(t, "delete", nodes[0].DeleteLineage(t.Context(), alice(), "gone"), "")
	st := nodes[1]
	_, err := st.Tip(t.Context(), alice(), "gone")
	kind(t, "tip", err, fault.NotFound)
	same(t, "documents", len(gather(t, st, memory.Scope{Key: "key"})), 0)
	same(t, "hits", len(look(t, st, "redis")), 0)
	same(t, "pieces", len(manifest(t, st, memory.Scope{Key: "key"}).Pieces), 0)
	got, err := st.Mentions(t.Context(), alice(), mention.Of("Redis"))
	kind(t, "mentions", err, "")
	same(t, "mentions", found(got), 0)
}

func testFoundTogether(t *testing.T, nodes [2]Store) {
	for i := range 10 {
		l := newTalk(alice(), session.ID(fmt.Sprint("s", i)), "key")
		l.say(t, nodes[i%2], "a kestrel", "noted")
		same(t, "hits", len(look(t, nodes[1-i%2], "kestrels")), i+1)
	}
}

// testTextTogether: a system prompt is stored again after its last lineage was erased by
// another handle.
func testTextTogether(t *testing.T, nodes [2]Store) {
	answer := func(st Store, root session.ID, receipt string) {
		l := newTalk(alice(), root, "")
		step := l.step(t, st, "hello", "hi")
		step.Receipt = &lineage.Receipt{ID: receipt, SessionID: root, RootID: root, Seq: 1, At: epoch(), Frame: lineage.Frame{System: "the same prompt"}}
		kind(t, "append", st.AppendTurn(t.Context(), alice(), step), "")
	}
	answer(nodes[0], "a", "r_a")
	kind(t, "delete", nodes[1].DeleteLineage(t.Context(), alice(), "a"), "")
	answer(nodes[0], "b", "r_b")
	for _, st := range nodes {
		r, err := st.Receipt(t.Context(), alice(), "r_b")
		kind(t, "receipt", err, "")
		same(t, "frame", r.Frame.System, "the same prompt")
	}
}
