package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
)

func fireTests() []test {
	return []test{
		{"a fire is read back as it was settled", testFireFields},
		{"a slot is opened once", testSlotOnce},
		{"one of many workers claims a slot", testOneClaimer},
		{"a worker with a lost claim settles nothing", testFence},
		{"two slots of a job never run at once", testNoOverlap},
		{"the agenda lists due slots of all owners", testAgenda},
		{"the agenda has slots of every owner", testFairAgenda},
		{"retries of a paused job wait", testPausedAttempts},
		{"a manual fire is refused while another runs", testAddFire},
		{"outputs lose forgotten content", testErasedOutputs},
	}
}

// hour is the time n hours after the epoch.
func hour(n int) time.Time { return epoch().Add(time.Duration(n) * time.Hour) }

func mustCreate(t *testing.T, st Store, o owner.Owner, id job.ID) job.Job {
	t.Helper()
	j := aJob(id, string(id))
	kind(t, "create", st.CreateJob(t.Context(), o, j, manyJobs), "")
	return j
}

func testFireFields(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	first := fire(t, st, alice(), j, hour(1))
	second := slot(j.ID, hour(2))
	second.Status, second.Reason, second.WakeAt, second.FinishedAt = job.Skipped, "the one before was running", time.Time{}, hour(2)
	third := slot(j.ID, hour(2).Add(time.Minute))
	ok, err := st.OpenSlots(t.Context(), alice(), job.Opening{Job: j.ID, Was: hour(2), Slots: []job.Fire{second, third}, State: job.Ended})
	kind(t, "open", err, "")
	if !ok {
		t.Error("open: got false")
	}
	runs, err := st.Fires(t.Context(), alice(), j.ID, time.Time{}, 10)
	kind(t, "runs", err, "")
	same(t, "runs, newest first", runs, []job.Fire{third, second, first})
	runs, err = st.Fires(t.Context(), alice(), j.ID, hour(2).Add(time.Minute), 1)
	kind(t, "runs before", err, "")
	same(t, "runs before", runs, []job.Fire{second})
	got, err := st.Job(t.Context(), alice(), j.ID)
	kind(t, "job", err, "")
	if got.Fires != 2 || got.State != job.Ended || !got.NextRunAt.IsZero() {
		t.Errorf("job: got %+v, want 2 fires and no next", got)
	}
}

func testSlotOnce(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	const nodes = 8
	var opened atomic.Int32
	var wg sync.WaitGroup
	for n := range nodes {
		wg.Go(func() {
			r := slot(j.ID, hour(1))
			r.ID = fmt.Sprintf("run_of_%d", n)
			ok, err := st.OpenSlots(t.Context(), alice(), job.Opening{Job: j.ID, Was: hour(1), Slots: []job.Fire{r}, Next: hour(2), State: job.Scheduled})
			kind(t, "open", err, "")
			if ok {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 {
		t.Errorf("got %d that opened the slot, want 1", opened.Load())
	}
	// A job whose NextRunAt was set back finds its slot in the ledger.
	kind(t, "update", st.UpdateJob(t.Context(), alice(), j, epoch()), "")
	open(t, st, alice(), j, hour(1))
	runs, err := st.Fires(t.Context(), alice(), j.ID, time.Time{}, 10)
	kind(t, "runs", err, "")
	got, err := st.Job(t.Context(), alice(), j.ID)
	kind(t, "job", err, "")
	if len(runs) != 1 || got.Fires != 1 {
		t.Errorf("got %d slots and %d fires, want one", len(runs), got.Fires)
	}
}

func testOneClaimer(t *testing.T, st Store) {
	id := func(i int) job.ID { return job.ID(fmt.Sprintf("job_%d", i)) }
	for i := range contested {
		open(t, st, alice(), mustCreate(t, st, alice(), id(i)), hour(1))
	}
	contend(t, func(i int) (bool, error) {
		_, ok, err := st.ClaimFire(t.Context(), alice(), job.Claim{Job: id(i), DueAt: hour(1), At: hour(1), Until: hour(2)})
		return ok, err
	})
}

func testFence(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	open(t, st, alice(), j, hour(1))
	claim := func(at time.Time) (job.Fire, bool) {
		r, ok, err := st.ClaimFire(t.Context(), alice(), job.Claim{Job: j.ID, DueAt: hour(1), At: at, Until: at.Add(time.Minute)})
		kind(t, "claim", err, "")
		return r, ok
	}
	if _, ok := claim(hour(1).Add(-time.Second)); ok {
		t.Error("claim before it is due: got true")
	}
	old, ok := claim(hour(1))
	if !ok || old.Attempts != 1 || !old.StartedAt.Equal(hour(1)) {
		t.Fatalf("claim: got %v, %+v", ok, old)
	}
	ok, err := st.RenewFire(t.Context(), alice(), &old, hour(1).Add(5*time.Minute))
	kind(t, "renew", err, "")
	if _, again := claim(hour(1).Add(2 * time.Minute)); again || !ok {
		t.Errorf("claim within the renewed lease: got %v, renewed %v", again, ok)
	}
	late, ok := claim(hour(1).Add(5 * time.Minute))
	if !ok || late.Attempts != 2 || late.Fence <= old.Fence || !late.StartedAt.Equal(hour(1)) {
		t.Fatalf("claim after the lease: got %v, %+v", ok, late)
	}
	old.Status, old.Output = job.Completed, "too late"
	if ok, err = st.SettleFire(t.Context(), alice(), job.Settlement{Run: old, Delivery: delivery("evt_1", &old, job.Local)}); ok || err != nil {
		t.Errorf("settle a lost claim: got %v, %v, want false", ok, err)
	}
	if ok, err = st.RenewFire(t.Context(), alice(), &old, hour(9)); ok || err != nil {
		t.Errorf("renew a lost claim: got %v, %v, want false", ok, err)
	}
	late.Status, late.WakeAt, late.Error = job.Failed, hour(2), "no"
	if ok, err = st.SettleFire(t.Context(), alice(), job.Settlement{Run: late}); !ok || err != nil {
		t.Errorf("settle: got %v, %v", ok, err)
	}
	runs, err := st.Fires(t.Context(), alice(), j.ID, time.Time{}, 10)
	kind(t, "runs", err, "")
	same(t, "runs", runs, []job.Fire{late})
}

func testNoOverlap(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	open(t, st, alice(), j, hour(1))
	open(t, st, alice(), j, hour(2))
	claim := func(due, at time.Time) bool {
		_, ok, err := st.ClaimFire(t.Context(), alice(), job.Claim{Job: j.ID, DueAt: due, At: at, Until: at.Add(time.Minute)})
		kind(t, "claim", err, "")
		return ok
	}
	if !claim(hour(1), hour(2)) || claim(hour(2), hour(2)) {
		t.Error("the second slot ran concurrently with the first")
	}
	a, err := st.Agenda(t.Context(), hour(2), 10)
	kind(t, "agenda", err, "")
	if len(a.Fires) != 0 {
		t.Errorf("agenda: got %v, want the second slot to wait", a.Fires)
	}
	if !claim(hour(2), hour(2).Add(time.Minute)) {
		t.Error("the second slot is not to be had when the first one's lease is over")
	}
}

func testAgenda(t *testing.T, st Store) {
	ctx := t.Context()
	empty, err := st.Agenda(ctx, hour(9), 10)
	kind(t, "agenda", err, "")
	same(t, "agenda of nothing", empty.Next, time.Time{})
	mine, his := mustCreate(t, st, alice(), "job_1"), mustCreate(t, st, bob(), "job_1")
	a, err := st.Agenda(ctx, hour(1).Add(-time.Millisecond), 10)
	kind(t, "agenda", err, "")
	if len(a.Jobs) != 0 || !a.Next.Equal(hour(1)) {
		t.Errorf("agenda before: got %v, next %v", a.Jobs, a.Next)
	}
	a, err = st.Agenda(ctx, hour(1), 10)
	kind(t, "agenda", err, "")
	owners := map[string]bool{}
	for _, d := range a.Jobs {
		owners[d.Owner.ID()] = true
		same(t, "job of the agenda", d.Job, mine)
	}
	if len(a.Jobs) != 2 || !owners["alice"] || !owners["bob"] || a.Jobs[0].Busy {
		t.Errorf("agenda: got %+v", a.Jobs)
	}
	open(t, st, bob(), his, hour(1))
	open(t, st, alice(), mine, hour(1))
	a, err = st.Agenda(ctx, hour(2), 1)
	kind(t, "agenda", err, "")
	if len(a.Jobs) != 1 || !a.Jobs[0].Busy || len(a.Fires) != 1 || !a.Fires[0].DueAt.Equal(hour(1)) {
		t.Errorf("agenda of one each: got %+v", a)
	}
}

func testFairAgenda(t *testing.T, st Store) {
	for i := range 5 {
		j := mustCreate(t, st, alice(), job.ID(fmt.Sprintf("job_%d", i)))
		open(t, st, alice(), j, hour(1))
	}
	j := mustCreate(t, st, bob(), "job_1")
	late := hour(1).Add(time.Minute)
	if _, err := st.OpenSlots(t.Context(), bob(), job.Opening{Job: j.ID, Was: hour(1), Slots: []job.Fire{slot(j.ID, late)}, State: job.Ended}); err != nil {
		t.Fatalf("open: %v", err)
	}
	a, err := st.Agenda(t.Context(), late, 2)
	kind(t, "agenda", err, "")
	var owners []string
	for _, d := range a.Fires {
		owners = append(owners, d.Owner.ID())
	}
	same(t, "whose runs come first", owners, []string{"alice", "bob"})
}

func testPausedAttempts(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	open(t, st, alice(), j, hour(1))
	j.State, j.NextRunAt = job.Paused, time.Time{}
	kind(t, "pause", st.UpdateJob(t.Context(), alice(), j, epoch()), "")
	a, err := st.Agenda(t.Context(), hour(1), 10)
	kind(t, "agenda", err, "")
	if len(a.Fires) != 0 || !a.Next.IsZero() {
		t.Errorf("agenda of a paused job: got %+v", a)
	}
	j.State = job.Scheduled
	kind(t, "resume", st.UpdateJob(t.Context(), alice(), j, epoch()), "")
	if a, err = st.Agenda(t.Context(), hour(1), 10); err != nil || len(a.Fires) != 1 {
		t.Errorf("agenda of a resumed job: got %+v, %v", a, err)
	}
}

func testAddFire(t *testing.T, st Store) {
	j := mustCreate(t, st, alice(), "job_1")
	by := slot(j.ID, epoch())
	by.Manual = true
	kind(t, "run by hand", st.AddFire(t.Context(), alice(), by), "")
	by.DueAt = epoch().Add(time.Second)
	kind(t, "a manual fire while another runs", st.AddFire(t.Context(), alice(), by), fault.Conflict)
	by.Job = "job_9"
	kind(t, "run an absent job", st.AddFire(t.Context(), alice(), by), fault.NotFound)
}
