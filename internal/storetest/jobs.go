package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func jobTests() []test {
	return []test{
		{"a job is read back as it was created", testJobFields},
		{"a name is unique", testJobNames},
		{"the number of jobs is limited", testJobLimit},
		{"an update keeps the scheduler's fields", testJobUpdate},
		{"deleting a job deletes its fires and deliveries", testJobDelete},
	}
}

const (
	theJob   = job.ID("job_the-job")
	theEvent = "evt_the-event"
)

// aJob is a job that is due an hour after the epoch.
func aJob(id job.ID, name string) job.Job {
	return job.Job{
		ID: id, Name: name, Schedule: "0 * * * *", Timezone: "Europe/Berlin", Prompt: "What is new?", Session: session.ID("job:" + name),
		Deliver: job.Local, CatchUp: job.CatchUpOnce, Timeout: time.Minute, State: job.Scheduled,
		Anchor: epoch(), NextRunAt: epoch().Add(time.Hour), CreatedAt: epoch(), UpdatedAt: epoch(),
	}
}

func slot(id job.ID, due time.Time) job.Fire {
	return job.Fire{ID: fmt.Sprintf("run_%d", due.Unix()), Job: id, DueAt: due, Status: job.Due, WakeAt: due}
}

// manyJobs is a limit that these tests never reach.
const manyJobs = 1000

func testJobFields(t *testing.T, st Store) {
	none, err := st.Jobs(t.Context(), alice())
	kind(t, "no jobs", err, "")
	same(t, "no jobs", none, []job.Job(nil))
	full := aJob("job_2", "名前: \"quoted\"; --")
	full.Key, full.Deliver, full.Secret, full.Repeat, full.Model = "key", "webhook:https://example.org", "whsec_x", 3, "model-1"
	full.CatchUp, full.State, full.Timeout, full.CreatedAt = job.CatchUpAll, job.Paused, time.Hour, epoch().Add(time.Minute)
	full.NextRunAt = time.Time{}
	plain := aJob("job_1", "plain")
	for _, j := range []job.Job{full, plain} {
		kind(t, "create", st.CreateJob(t.Context(), alice(), j, manyJobs), "")
		got, err := st.Job(t.Context(), alice(), j.ID)
		kind(t, "job", err, "")
		same(t, "job", got, j)
	}
	all, err := st.Jobs(t.Context(), alice())
	kind(t, "jobs", err, "")
	same(t, "jobs, oldest first", all, []job.Job{plain, full})
	_, err = st.Job(t.Context(), alice(), "job_3")
	kind(t, "absent job", err, fault.NotFound)
}

func testJobNames(t *testing.T, st Store) {
	kind(t, "create", st.CreateJob(t.Context(), alice(), aJob("job_1", "report"), manyJobs), "")
	err := st.CreateJob(t.Context(), alice(), aJob("job_2", "report"), manyJobs)
	kind(t, "another of the name", err, fault.Conflict)
	kind(t, "another owner's", st.CreateJob(t.Context(), bob(), aJob("job_1", "report"), manyJobs), "")
	kind(t, "create", st.CreateJob(t.Context(), alice(), aJob("job_2", "other"), manyJobs), "")
	kind(t, "rename to a name that is taken", st.UpdateJob(t.Context(), alice(), aJob("job_2", "report"), epoch()), fault.Conflict)
	kind(t, "rename to its own", st.UpdateJob(t.Context(), alice(), aJob("job_1", "report"), epoch()), "")
}

func testJobLimit(t *testing.T, st Store) {
	for i := range 3 {
		want := fault.Kind("")
		if i == 2 {
			want = fault.Conflict
		}
		id := job.ID(fmt.Sprintf("job_%d", i))
		kind(t, "create", st.CreateJob(t.Context(), alice(), aJob(id, string(id)), 2), want)
	}
	kind(t, "another owner's", st.CreateJob(t.Context(), bob(), aJob("job_0", "job"), 2), "")
}

func testJobUpdate(t *testing.T, st Store) {
	j := aJob("job_1", "report")
	kind(t, "create", st.CreateJob(t.Context(), alice(), j, manyJobs), "")
	due := j.NextRunAt
	fire(t, st, alice(), j, due)
	got, err := st.Job(t.Context(), alice(), j.ID)
	kind(t, "job", err, "")
	j.Name, j.Prompt, j.State, j.NextRunAt, j.UpdatedAt = "renamed", "Anything?", job.Paused, time.Time{}, due
	kind(t, "update", st.UpdateJob(t.Context(), alice(), j, epoch()), "")
	j.Fires, j.LastRunAt, j.LastStatus, j.Seen = 1, due, job.Completed, &job.Seen{Own: 7, Others: 9}
	same(t, "what the scheduler wrote", got.Seen, j.Seen)
	got, err = st.Job(t.Context(), alice(), j.ID)
	kind(t, "job", err, "")
	same(t, "job", got, j)
	kind(t, "update an absent one", st.UpdateJob(t.Context(), alice(), aJob("job_9", "absent"), epoch()), fault.NotFound)
	again := j
	again.Prompt = "Anything else?"
	kind(t, "update what was changed since", st.UpdateJob(t.Context(), alice(), again, epoch()), fault.Stale)
	got, err = st.Job(t.Context(), alice(), j.ID)
	kind(t, "job", err, "")
	same(t, "job after that", got, j)
}

// fire opens a job's slot, claims it, and settles it with a delivery.
func fire(t *testing.T, st Store, o owner.Owner, j job.Job, due time.Time) job.Fire {
	t.Helper()
	open(t, st, o, j, due)
	r, ok, err := st.ClaimFire(t.Context(), o, job.Claim{Job: j.ID, DueAt: due, At: due, Until: due.Add(time.Minute)})
	kind(t, "claim", err, "")
	if !ok {
		t.Fatalf("claim %v: got false", due)
	}
	r.Status, r.WakeAt, r.FinishedAt, r.Output, r.Session = job.Completed, time.Time{}, due.Add(time.Second), "All is well.", j.Session
	r.Responder, r.InputTokens, r.OutputTokens = "upstream", 12, 3
	ok, err = st.SettleFire(t.Context(), o, job.Settlement{Run: r, Seen: &job.Seen{Own: 7, Others: 9}})
	kind(t, "settle", err, "")
	if !ok {
		t.Fatal("settle: got false")
	}
	return r
}

// open opens one slot and advances the job by an hour.
func open(t *testing.T, st Store, o owner.Owner, j job.Job, due time.Time) {
	t.Helper()
	ok, err := st.OpenSlots(t.Context(), o, job.Opening{Job: j.ID, Was: due, Slots: []job.Fire{slot(j.ID, due)}, Next: due.Add(time.Hour), State: job.Scheduled})
	kind(t, "open", err, "")
	if !ok {
		t.Fatalf("open %v: got false", due)
	}
}

func testJobDelete(t *testing.T, st Store) {
	j := aJob("job_1", "report")
	for _, o := range []owner.Owner{alice(), bob()} {
		kind(t, "create", st.CreateJob(t.Context(), o, j, manyJobs), "")
		fire(t, st, o, j, j.NextRunAt)
	}
	kind(t, "delete", st.DeleteJob(t.Context(), alice(), j.ID), "")
	kind(t, "delete again", st.DeleteJob(t.Context(), alice(), j.ID), fault.NotFound)
	for o, want := range map[string]int{"alice": 0, "bob": 1} {
		runs, err := st.Fires(t.Context(), owner.Stored(o), j.ID, time.Time{}, 10)
		kind(t, "runs", err, "")
		if len(runs) != want {
			t.Errorf("runs of %s: got %d, want %d", o, len(runs), want)
		}
	}
	if traces(t, st, "all is well") == 0 {
		t.Error("traces: got none of bob's output")
	}
}

// settleJob stores a job with a completed fire, a pending delivery, and a due slot.
// Every text holds the owner's mark.
func settleJob(t *testing.T, st Store, o owner.Owner) {
	t.Helper()
	j := aJob(theJob, markOf(o))
	j.Prompt, j.Model, j.Key, j.Secret, j.Deliver = markOf(o), markOf(o), theKey, markOf(o), job.Target("webhook:"+markOf(o))
	kind(t, "create job", st.CreateJob(t.Context(), o, j, manyJobs), "")
	open(t, st, o, j, j.NextRunAt)
	r, ok, err := st.ClaimFire(t.Context(), o, job.Claim{Job: theJob, DueAt: j.NextRunAt, At: j.NextRunAt, Until: j.NextRunAt.Add(time.Minute)})
	if err != nil || !ok {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	r.Status, r.WakeAt, r.Output, r.Error = job.Completed, time.Time{}, markOf(o), markOf(o)
	_, err = st.SettleFire(t.Context(), o, job.Settlement{Run: r, Delivery: delivery(theEvent, &r, j.Deliver)})
	kind(t, "settle", err, "")
	open(t, st, o, j, j.NextRunAt.Add(time.Hour))
}

func delivery(id string, r *job.Fire, target job.Target) *job.Delivery {
	return &job.Delivery{ID: id, Job: r.Job, DueAt: r.DueAt, Target: target, State: job.Pending, WakeAt: r.DueAt, CreatedAt: r.DueAt}
}

// later is the due time of the slot of settleJob.
func later() time.Time { return epoch().Add(2 * time.Hour) }

func jobReadingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Job":  {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) { return st.Job(ctx, o, theJob) }},
		"Jobs": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) { return st.Jobs(ctx, o) }},
		"AllFires": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			runs, err := st.AllFires(ctx, o, job.FireFilter{Limit: 10})
			var all []any
			for i := range runs {
				all = append(all, runs[i], runs[i].Delivery)
			}
			return all, err
		}},
		"Fires": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			runs, err := st.Fires(ctx, o, theJob, time.Time{}, 10)
			var all []any
			for i := range runs {
				all = append(all, runs[i], runs[i].Delivery)
			}
			return all, err
		}},
	}
}

func jobWritingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"CreateJob": {makes: true, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.CreateJob(ctx, o, aJob("job_another", "another"), manyJobs)
		}},
		"UpdateJob": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.UpdateJob(ctx, o, aJob(theJob, "changed"), epoch())
		}},
		"DeleteJob": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DeleteJob(ctx, o, theJob)
		}},
		"AddFire": {silent: true, stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			err := st.AddFire(ctx, o, slot(theJob, later().Add(time.Minute)))
			if o.ID() == bob().ID() && fault.KindOf(err) == fault.Conflict {
				return nil, nil // his own is busy
			}
			return nil, err
		}},
		"OpenSlots": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			due := later().Add(time.Hour)
			return st.OpenSlots(ctx, o, job.Opening{Job: theJob, Was: due, Slots: []job.Fire{slot(theJob, due)}, State: job.Ended})
		}},
		"ClaimFire": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			r, _, err := st.ClaimFire(ctx, o, job.Claim{Job: theJob, DueAt: later(), At: later(), Until: later().Add(time.Hour)})
			return r, err
		}},
		"RenewFire": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			for fence := range int64(4) {
				if _, err := st.RenewFire(ctx, o, &job.Fire{Job: theJob, DueAt: later(), Fence: fence}, later().Add(time.Hour)); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}},
		"SettleFire": {silent: true, call: settleAny},
		"ClaimDelivery": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			d, _, err := st.ClaimDelivery(ctx, o, theEvent, later(), later().Add(time.Hour))
			return d, err
		}},
		"SettleDelivery": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.SettleDelivery(ctx, o, job.Delivery{ID: theEvent, State: job.Delivered})
		}},
		"ReopenDelivery": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ReopenDelivery(ctx, o, theEvent, later())
		}},
	}
}

// settleAny claims the due slot, and settles it.
func settleAny(ctx context.Context, st Store, o owner.Owner) (any, error) {
	if _, _, err := st.ClaimFire(ctx, o, job.Claim{Job: theJob, DueAt: later(), At: later(), Until: later().Add(time.Hour)}); err != nil {
		return nil, err
	}
	r := job.Fire{Job: theJob, DueAt: later(), Fence: 1, Status: job.Failed, Error: "changed", StartedAt: later()}
	return st.SettleFire(ctx, o, job.Settlement{Run: r, Delivery: delivery("evt_changed", &r, job.Local)})
}

// testErasedOutputs: no output of a fire has forgotten content.
func testErasedOutputs(t *testing.T, st Store) {
	j := aJob("job_1", "report")
	kind(t, "create", st.CreateJob(t.Context(), alice(), j, manyJobs), "")
	l := newTalk(alice(), j.Session, "")
	l.say(t, st, "What is new?", "All is well.")
	fire(t, st, alice(), j, j.NextRunAt)
	fire(t, st, alice(), j, j.NextRunAt.Add(time.Hour))
	forget(t, st, bob(), "all is")
	if got := outputs(t, st, j.ID); got != "All is well.All is well." {
		t.Errorf("outputs after another owner forgot: got %q", got)
	}
	forget(t, st, alice(), "all is")
	if got := outputs(t, st, j.ID); got != "" {
		t.Errorf("outputs after it was forgotten: got %q", got)
	}
	fire(t, st, alice(), j, j.NextRunAt.Add(2*time.Hour))
	kind(t, "delete session", st.DeleteLineage(t.Context(), alice(), j.Session), "")
	if got := outputs(t, st, j.ID); got != "" {
		t.Errorf("outputs after the session was deleted: got %q", got)
	}
}

func outputs(t *testing.T, st Store, id job.ID) (all string) {
	t.Helper()
	runs, err := st.Fires(t.Context(), alice(), id, time.Time{}, 10)
	kind(t, "runs", err, "")
	for i := range runs {
		all += runs[i].Output
	}
	return all
}
