package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/study"
)

// Succeed holds a backend that one process owns to what its next owner finds:
// whoever held a lease is gone. open returns an empty store that closes itself
// with the test, and how to get the same data as the next process does.
func Succeed(t *testing.T, open func(t *testing.T) (st Store, next func() Store)) {
	t.Helper()
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRecord, "slot of a job": claimsOfSlot, "work": claimsOfWork} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, next := open(t)
			take := claim(t, st)
			old := take(st, hour(1), hour(2))
			if old == nil || take(st, hour(1), hour(2)) != nil {
				t.Fatal("it is not claimed, or claimed twice")
			}
			st = next()
			held := take(st, hour(1), hour(2))
			if held == nil {
				t.Fatal("the lease of a process that is gone is waited for")
			}
			if old(st) {
				t.Error("a claim of the process before stores something")
			}
			if !held(st) {
				t.Error("the new claim stores nothing")
			}
			if st = next(); take(st, hour(9), hour(10)) != nil {
				t.Error("what is over was claimed again")
			}
		})
	}
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRecord, "slot of a job": claimsOfSlot} {
		t.Run(name+" that was cut off often waits", func(t *testing.T) {
			t.Parallel()
			st, next := open(t)
			take := claim(t, st)
			var before, after time.Time
			for i := range 4 { // it may be what ends processes
				before = time.Now()
				if take(st, before.Add(time.Minute), before.Add(time.Hour)) == nil {
					t.Fatalf("claim %d: it is not to be had after a minute", i)
				}
				before = time.Now()
				st = next()
				after = time.Now()
			}
			if take(st, before.Add(1900*time.Millisecond), after.Add(time.Hour)) != nil {
				t.Error("it is to be had at once")
			}
			if take(st, after.Add(2100*time.Millisecond), after.Add(time.Hour)) == nil {
				t.Error("it waits longer than two seconds")
			}
		})
	}
}

// claimer takes a thing there is one of, and returns what settles it under that
// claim; nil if it is not to be had.
type claimer func(st Store, at, until time.Time) (settle func(Store) bool)

func claimsOfRecord(t *testing.T, st Store) claimer {
	t.Helper()
	mustRecord(t, st, alice(), aRecord("run_1"))
	return func(st Store, at, until time.Time) func(Store) bool {
		r, ok, err := st.ClaimRecord(t.Context(), alice(), live.Claim{ID: "run_1", At: at, Until: until})
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			done := over(r, "")
			_, ok, err := st.Advance(t.Context(), alice(), live.Step{ID: r.ID, Fence: r.Fence, Record: &done})
			kind(t, "settle", err, "")
			return ok
		}
	}
}

func claimsOfSlot(t *testing.T, st Store) claimer {
	t.Helper()
	j := mustCreate(t, st, alice(), "job_1")
	open(t, st, alice(), j, hour(1))
	return func(st Store, at, until time.Time) func(Store) bool {
		r, ok, err := st.ClaimRun(t.Context(), alice(), job.Claim{Job: j.ID, DueAt: hour(1), At: at, Until: until})
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			r.Status, r.WakeAt, r.FinishedAt = job.Completed, time.Time{}, hour(1)
			ok, err := st.SettleRun(t.Context(), alice(), job.Settlement{Run: r})
			kind(t, "settle", err, "")
			return ok
		}
	}
}

func claimsOfWork(t *testing.T, st Store) claimer {
	t.Helper()
	newTalk(alice(), "s", "").say(t, st, "told")
	wantWork(t, st, alice(), wanted("s", run.Reading, epoch()))
	return func(st Store, at, until time.Time) func(Store) bool {
		it, ok, err := st.ClaimWork(t.Context(), alice(), study.Claim{Root: "s", Kind: run.Reading, At: at, Until: until})
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			ok, err := st.SettleWork(t.Context(), alice(), &it, true)
			kind(t, "settle", err, "")
			return ok
		}
	}
}
