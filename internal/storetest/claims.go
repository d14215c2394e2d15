package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/study"
)

// contested is the number of rows that the workers of [contend] claim.
const contested = 20

// contend has several workers claim each of the rows, and checks that exactly one of
// them gets it.
func contend(t *testing.T, claim func(i int) (bool, error)) {
	t.Helper()
	const nodes = 4
	var claimed [contested]atomic.Int32
	var wg sync.WaitGroup
	for range nodes {
		wg.Go(func() {
			for i := range contested {
				ok, err := claim(i)
				kind(t, "claim", err, "")
				if ok {
					claimed[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for i := range claimed {
		if n := claimed[i].Load(); n != 1 {
			t.Errorf("thing %d: got %d claims, want 1", i, n)
		}
	}
}

// claimer claims a row and returns a function that settles it under that claim; nil if
// the row is not available.
type claimer func(st Store, at, until time.Time) (settle func(Store) bool)

func claimsOfRun(t *testing.T, st Store) claimer {
	t.Helper()
	mustRun(t, st, alice(), aRun("run_1"))
	return func(st Store, at, until time.Time) func(Store) bool {
		r, ok, err := st.ClaimRun(t.Context(), alice(), live.Claim{ID: "run_1", At: at, Until: until})
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			done := over(r, "")
			_, ok, err := st.Advance(t.Context(), alice(), live.Step{ID: r.ID, Fence: r.Fence, Run: &done})
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
		r, ok, err := st.ClaimFire(t.Context(), alice(), job.Claim{Job: j.ID, DueAt: hour(1), At: at, Until: until})
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			r.Status, r.WakeAt, r.FinishedAt = job.Completed, time.Time{}, hour(1)
			ok, err := st.SettleFire(t.Context(), alice(), job.Settlement{Run: r})
			kind(t, "settle", err, "")
			return ok
		}
	}
}

func claimsOfDelivery(t *testing.T, st Store) claimer {
	t.Helper()
	settleJob(t, st, alice())
	return func(st Store, at, until time.Time) func(Store) bool {
		d, ok, err := st.ClaimDelivery(t.Context(), alice(), theEvent, at, until)
		kind(t, "claim", err, "")
		if !ok {
			return nil
		}
		return func(st Store) bool {
			d.State, d.WakeAt, d.DeliveredAt = job.Delivered, time.Time{}, hour(1)
			ok, err := st.SettleDelivery(t.Context(), alice(), d)
			kind(t, "settle", err, "")
			return ok
		}
	}
}

func claimsOfWork(t *testing.T, st Store) claimer {
	t.Helper()
	newTalk(alice(), "s", "").say(t, st, "told")
	wantWork(t, st, alice(), wanted("s", curate.Reading, epoch()))
	return func(st Store, at, until time.Time) func(Store) bool {
		it, ok, err := st.ClaimWork(t.Context(), alice(), study.Claim{Root: "s", Kind: curate.Reading, At: at, Until: until})
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
