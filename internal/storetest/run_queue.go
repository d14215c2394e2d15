package storetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/session"
)

func recordLedgerTests() []test {
	return []test{
		{"one of many workers claims a run", testRunClaimers},
		{"a worker with a lost claim writes nothing", testRunFence},
		{"due runs include runs of every owner", testRunsDue},
		{"deleting a session deletes its runs", testRunsOfSession},
		{"runs lose forgotten content", testRunsForgotten},
	}
}

func testRunClaimers(t *testing.T, st Store) {
	id := func(i int) string { return fmt.Sprintf("run_%d", i) }
	for i := range contested {
		mustRun(t, st, alice(), aRun(id(i)))
	}
	contend(t, func(i int) (bool, error) {
		_, ok, err := st.ClaimRun(t.Context(), alice(), live.Claim{ID: id(i), At: epoch(), Until: hour(1)})
		return ok, err
	})
}

func testRunFence(t *testing.T, st Store) {
	mustRun(t, st, alice(), aRun("run_1"))
	old := mustClaim(t, st, alice(), "run_1")
	ok, err := st.RenewRun(t.Context(), alice(), old.ID, old.Fence, hour(2))
	kind(t, "renew", err, "")
	if _, again, _ := st.ClaimRun(t.Context(), alice(), live.Claim{ID: old.ID, At: hour(1), Until: hour(3)}); again || !ok {
		t.Errorf("claim within the renewed lease: got %v, renewed %v", again, ok)
	}
	late, ok, err := st.ClaimRun(t.Context(), alice(), live.Claim{ID: old.ID, At: hour(2), Until: hour(3)})
	if err != nil || !ok || late.Attempts != 2 || late.Fence <= old.Fence || !late.StartedAt.Equal(old.StartedAt) {
		t.Fatalf("claim after the lease: got %v, %v, %+v", ok, err, late)
	}
	changed := over(old, "too late")
	if _, ok, err := st.Advance(t.Context(), alice(), live.Step{ID: old.ID, Fence: old.Fence, Run: &changed, Events: []live.Event{told("late")}}); ok || err != nil {
		t.Errorf("advance a lost claim: got %v, %v", ok, err)
	}
	if ok, err := st.RenewRun(t.Context(), alice(), old.ID, old.Fence, hour(9)); ok || err != nil {
		t.Errorf("renew a lost claim: got %v, %v", ok, err)
	}
	same(t, "record", runOf(t, st, alice(), old.ID), late)
	back := late
	back.State, back.WakeAt = live.Queued, hour(2)
	mustAdvance(t, st, alice(), late, &back)
	if _, ok, err := st.Advance(t.Context(), alice(), live.Step{ID: old.ID, Fence: late.Fence, Events: []live.Event{told("late")}}); ok || err != nil {
		t.Errorf("advance a record that was put back: got %v, %v", ok, err)
	}
}

func testRunsDue(t *testing.T, st Store) {
	due, next, err := st.DueRuns(t.Context(), hour(1), 10)
	kind(t, "due", err, "")
	if len(due) != 0 || !next.IsZero() {
		t.Errorf("got %v and %v of nothing", due, next)
	}
	for i := range 5 {
		mustRun(t, st, alice(), aRun(fmt.Sprintf("run_%d", i)))
	}
	r := aRun("run_1")
	r.WakeAt = hour(1)
	mustRun(t, st, bob(), r)
	due, next, err = st.DueRuns(t.Context(), epoch(), 2)
	kind(t, "due", err, "")
	if len(due) != 2 || due[0].Owner.ID() != "alice" || due[1].Owner.ID() != "alice" || !next.Equal(hour(1)) {
		t.Errorf("got %v, then %v", due, next)
	}
	due, _, err = st.DueRuns(t.Context(), hour(1), 2)
	kind(t, "due", err, "")
	if len(due) != 2 || due[0].Owner.ID() != "alice" || due[1].Owner.ID() != "bob" {
		t.Errorf("got %v, want one of each", due)
	}
}

func testRunsOfSession(t *testing.T, st Store) {
	l := newTalk(alice(), "s", "")
	l.say(t, st, "a question", "an answer")
	l.commit(t, st, l.fold(t, st, "child", "more", "yes"))
	for id, named := range map[string]session.ID{"run_root": "s", "run_child": "child", "run_other": "other"} {
		r := aRun(id)
		r.Session = named
		mustRun(t, st, alice(), r)
	}
	c := mustClaim(t, st, alice(), "run_other")
	mustAdvance(t, st, alice(), c, nil, told("kept"))
	c = mustClaim(t, st, alice(), "run_child")
	mustAdvance(t, st, alice(), c, nil, told("gone"))
	kind(t, "delete session", st.DeleteLineage(t.Context(), alice(), "s"), "")
	for id, want := range map[string]fault.Kind{"run_root": fault.NotFound, "run_child": fault.NotFound, "run_other": ""} {
		_, err := st.Run(t.Context(), alice(), id)
		kind(t, id, err, want)
	}
	if _, ok, err := st.Advance(t.Context(), alice(), live.Step{ID: c.ID, Fence: c.Fence, Events: []live.Event{told("again")}}); ok || err != nil {
		t.Errorf("advance an erased record: got %v, %v", ok, err)
	}
	hits(t, st, "gone", 0)
}

// hits looks for a text in the store's own files.
func hits(t *testing.T, st Store, text string, want int) {
	t.Helper()
	if n := traces(t, st, text); n != want {
		t.Errorf("got %q %d times in the files, want %d", text, n, want)
	}
}

func testRunsForgotten(t *testing.T, st Store) {
	for id, fill := range map[string]func(*live.Run) []live.Event{
		"asked": func(r *live.Run) []live.Event {
			r.Turn = json.RawMessage(`{"messages":[{"content":"of Zebra\u00c9 & more"}]}`)
			return nil
		},
		"kept":      func(*live.Run) []live.Event { return []live.Event{told("of a horse")} },
		"in pieces": func(*live.Run) []live.Event { return []live.Event{told("of ZEB"), told("raé & mo"), told("re")} },
		"in request": func(r *live.Run) []live.Event {
			r.Request = json.RawMessage(`{"metadata":{"x":"zebraé & more"}}`)
			return nil
		},
	} {
		r := aRun(id)
		events := fill(&r)
		mustRun(t, st, alice(), r)
		mustAdvance(t, st, alice(), mustClaim(t, st, alice(), id), nil, events...)
	}
	c := mustClaimNew(t, st, "answered")
	done := over(c, "the zebraé & more")
	mustAdvance(t, st, alice(), c, &done)
	forget(t, st, bob(), "zebraé & more")
	list, err := st.Runs(t.Context(), alice(), live.Filter{Limit: 10})
	if err != nil || len(list) != 5 {
		t.Errorf("after another owner forgot: got %d, %v", len(list), err)
	}
	forget(t, st, alice(), "zebraé & more")
	if list, err = st.Runs(t.Context(), alice(), live.Filter{Limit: 10}); err != nil || len(list) != 1 || list[0].ID != "kept" {
		t.Errorf("after it was forgotten: got %+v, %v", list, err)
	}
	hits(t, st, "zeb", 0)
}

func mustClaimNew(t *testing.T, st Store, id string) live.Run {
	t.Helper()
	mustRun(t, st, alice(), aRun(id))
	return mustClaim(t, st, alice(), id)
}
