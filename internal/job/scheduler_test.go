package job_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestMemoryOfAJob: the second fire of a bound job sees the session's facts, its
// own first report, and what changed since; it is not told its own words as news
// (J4, J5, J15).
func TestMemoryOfAJob(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.say("repo", "We use Rust because of latency.")
	j := h.create(job.Job{Schedule: "@hourly", Session: "repo"})
	h.set(time.Hour)
	h.pass()
	h.say("repo", "We moved from Rust to Go because of hiring.")
	h.set(2 * time.Hour)
	h.pass()
	h.set(3 * time.Hour)
	h.pass()
	if diff := cmp.Diff("10:00 completed\n11:00 completed\n12:00 completed", h.ledger(j.ID)); diff != "" {
		t.Fatalf("ledger (-want +got):\n%s", diff)
	}
	shown := h.model.prompts() // the first and third are those of the turns
	first, second, third := shown[1], shown[3], shown[4]
	if system, _, _ := strings.Cut(second, "\nuser: "); strings.Contains(system, "Go") || strings.Contains(system, "hiring") {
		t.Errorf("second fire: recalled words in the message of the system: %s", system)
	}
	if !strings.Contains(first, "latency") || strings.Contains(first, "since the last run") || !strings.Contains(first, `the job "report", due Monday, 2 March 2026 10:00 UTC`) {
		t.Errorf("first fire: got %s", first)
	}
	if !strings.Contains(second, "What has changed in memory since the last run:\n- 2026-03-02: ") || !strings.Contains(second, "hiring") || !strings.Contains(second, "assistant: Report 2.") {
		t.Errorf("second fire: got %s", second)
	}
	if !strings.Contains(third, "Nothing has changed in memory since the last run.") {
		t.Errorf("third fire: got %s", third)
	}
	if got, err := h.db.Tip(t.Context(), alice(), "repo"); err != nil || got.MessageCount != 10 {
		t.Errorf("session: got %d messages, %v, want 10", got.MessageCount, err)
	}
}

// TestUnboundJob accumulates in a session of its own, whose source is cron.
func TestUnboundJob(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.say("repo", "We use Rust because of latency.")
	j := h.create(job.Job{Name: "weekly", Schedule: "@hourly"})
	h.set(time.Hour)
	h.pass()
	s, err := h.db.Tip(t.Context(), alice(), "job:weekly")
	if err != nil || s.Source != session.SourceCron {
		t.Errorf("session: got %+v, %v", s, err)
	}
	if last := h.model.prompts()[1]; strings.Contains(last, "latency") {
		t.Errorf("got another session's facts: %s", last)
	}
	r := h.runs(j.ID)[0]
	if r.Output != "Report 2." || r.Session != "job:weekly" || r.Responder != "upstream" || r.Delivery == nil || r.Delivery.State != job.Stored {
		t.Errorf("run: got %+v, %+v", r, r.Delivery)
	}
	if got := h.job(j.ID); got.LastStatus != job.Completed || !got.NextRunAt.Equal(nine(2*time.Hour)) || got.Fires != 1 {
		t.Errorf("job: got %+v", got)
	}
}

// TestMissed: slots that were due while no server ran are in the ledger, handled by
// the job's policy (J13).
func TestMissed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy job.CatchUp
		want   string
	}{
		{job.CatchUpOnce, `10:00 skipped (missed: the newest of 3 due times was fired in its place)
11:00 skipped (missed: the newest of 3 due times was fired in its place)
12:00 completed late 31m0s`},
		{job.CatchUpSkip, `10:00 skipped (missed: no server was running)
11:00 skipped (missed: no server was running)
12:00 skipped (missed: no server was running)`},
		{job.CatchUpAll, `10:00 completed late 2h31m0s
11:00 completed late 1h31m0s
12:00 completed late 31m0s`},
	} {
		t.Run(string(tt.policy), func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			j := h.create(job.Job{Schedule: "@hourly", CatchUp: tt.policy})
			h.set(3*time.Hour + 31*time.Minute)
			h.pass()
			if diff := cmp.Diff(tt.want, h.ledger(j.ID)); diff != "" {
				t.Errorf("ledger (-want +got):\n%s", diff)
			}
			if next := h.job(j.ID).NextRunAt; !next.Equal(nine(4 * time.Hour)) {
				t.Errorf("next: got %v", next)
			}
		})
	}
}

// TestMissedByAMoment stops the server just before a due time and starts it just
// after: who wants nothing made up for gets nothing, however short it was away.
func TestMissedByAMoment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy job.CatchUp
		away   time.Duration
		want   string
	}{
		{job.CatchUpSkip, time.Second, "10:00 skipped (missed: no server was running)"},
		{job.CatchUpSkip, 59 * time.Second, "10:00 skipped (missed: no server was running)"},
		{job.CatchUpOnce, 3 * time.Second, "10:00 completed late 3s"},
		{job.CatchUpAll, 3 * time.Second, "10:00 completed late 3s"},
	} {
		t.Run(fmt.Sprint(tt.policy, " ", tt.away), func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			j := h.create(job.Job{Schedule: "@hourly", CatchUp: tt.policy})
			h.set(59 * time.Minute)
			h.close()
			h.set(time.Hour + tt.away)
			h.open()
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- h.scheduler.Run(ctx) }()
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for end := time.Now().Add(time.Minute); h.ledger(j.ID) != tt.want; <-tick.C {
				if time.Now().After(end) {
					t.Fatalf("ledger: got %s, want %s", h.ledger(j.ID), tt.want)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			h.set(2 * time.Hour)
			h.pass()
			if got := h.ledger(j.ID); !strings.HasSuffix(got, "11:00 completed") {
				t.Errorf("the next one: got %s", got)
			}
		})
	}
}

// TestSleptThrough: a machine that slept over a due time was not there, either.
func TestSleptThrough(t *testing.T) {
	t.Parallel()
	h := setup(t)
	j := h.create(job.Job{Schedule: "@hourly", CatchUp: job.CatchUpSkip})
	h.set(time.Hour + 30*time.Second)
	h.pass()
	if got := h.ledger(j.ID); !strings.HasPrefix(got, "10:00 skipped") {
		t.Errorf("got %s", got)
	}
}

// TestManyMissed: a year of minutes does not fill the ledger.
func TestManyMissed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	j := h.create(job.Job{Schedule: "* * * * *", Repeat: 2})
	h.set(365 * 24 * time.Hour)
	h.pass()
	runs := h.runs(j.ID)
	if len(runs) != 100 || runs[0].Status != job.Completed || !strings.HasSuffix(runs[99].Reason, "(525500 due times before it were missed, too)") {
		t.Errorf("got %d runs, %v, the oldest %q", len(runs), runs[0].Status, runs[len(runs)-1].Reason)
	}
	h.set(365*24*time.Hour + 10*time.Minute)
	h.pass()
	if got := h.job(j.ID); got.State != job.Ended || got.Fires != 2 || !got.NextRunAt.IsZero() {
		t.Errorf("got %+v, want it to end after its second fire", got)
	}
}

// TestFailure: a failing upstream leaves a failed run with its error and the next
// attempt's time; the last attempt may fall back to memory (J16).
func TestFailure(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.model.answer = func(n int, _ context.Context) (string, error) {
		if n < 3 {
			return "", &fault.Error{Kind: fault.Upstream, Code: "upstream_error", Msg: "The model's server answered 500.", Status: 500}
		}
		return "At last.", nil
	}
	j := h.create(job.Job{Schedule: "in 1h"})
	h.set(time.Hour)
	h.pass()
	r := h.runs(j.ID)[0]
	if r.Status != job.Failed || r.Error != "The model's server answered 500." || r.Attempts != 1 || r.WakeAt.Sub(nine(time.Hour)).Truncate(time.Second) != time.Minute || r.Delivery != nil {
		t.Errorf("after the first attempt: got %+v", r)
	}
	if got := h.job(j.ID); got.LastStatus != job.Failed {
		t.Errorf("job: got %v", got.LastStatus)
	}
	h.set(time.Hour + 61*time.Second)
	h.pass()
	h.set(time.Hour + 10*time.Minute)
	h.pass()
	r = h.runs(j.ID)[0]
	if r.Status != job.Completed || r.Output != "At last." || r.Attempts != 3 || r.Error != "" {
		t.Errorf("after the third attempt: got %+v", r)
	}
	ms, err := h.db.Messages(t.Context(), alice(), "job:report", session.Range{})
	if err != nil || len(ms) != 2 {
		t.Errorf("got %d messages, %v, want the prompt and the answer once", len(ms), err)
	}
}

// TestRefused: what would be refused again is not tried again.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.model.answer = func(int, context.Context) (string, error) {
		return "", &fault.Error{Kind: fault.Unauthenticated, Msg: "The model's server refused the key.", Status: 401}
	}
	j := h.create(job.Job{Schedule: "in 1h"})
	h.set(time.Hour)
	h.pass()
	if r := h.runs(j.ID)[0]; r.Status != job.Failed || !r.WakeAt.IsZero() || r.Error != "The model's server refused the key." {
		t.Errorf("got %+v", r)
	}
}

// TestUnreachable: no person waits for a fire, so it is retried before memory answers
// in place of the model.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.model.answer = func(int, context.Context) (string, error) {
		return "", fault.New(fault.Unavailable, "upstream_unreachable", "The model's server cannot be reached.")
	}
	j := h.create(job.Job{Schedule: "in 1h"})
	h.set(time.Hour)
	h.pass()
	if r := h.runs(j.ID)[0]; r.Status != job.Failed || r.WakeAt.IsZero() {
		t.Errorf("first attempt: got %+v", r)
	}
	h.set(3 * time.Hour)
	h.pass()
	h.set(5 * time.Hour)
	h.pass()
	if r := h.runs(j.ID)[0]; r.Status != job.Completed || r.Responder != "recall" {
		t.Errorf("last attempt: got %+v", r)
	}
}

// TestCrash: a fire that was cut off after its turn was stored, but before the
// ledger knew, makes no second turn.
func TestCrash(t *testing.T) {
	t.Parallel()
	h := setup(t)
	j := h.create(job.Job{Schedule: "in 1h"})
	h.set(time.Hour)
	h.pass()
	r := h.runs(j.ID)[0]
	set(t, h, `UPDATE job_runs SET status = 'running', wake_at = due_at, output = NULL`)
	h.set(2 * time.Hour)
	h.pass()
	again := h.runs(j.ID)[0]
	if again.Status != job.Completed || again.Output != r.Output || again.Attempts != 2 || len(h.model.prompts()) != 1 {
		t.Errorf("got %+v after %d calls of the model, want the same answer", again, len(h.model.prompts()))
	}
	set(t, h, `UPDATE job_runs SET status = 'running', wake_at = due_at, attempts = 19, output = NULL`)
	h.set(3 * time.Hour)
	h.pass()
	if last := h.runs(j.ID)[0]; last.Status != job.Completed || last.Output != r.Output {
		t.Errorf("cut off often: got %+v", last)
	}
	set(t, h, `UPDATE job_runs SET status = 'running', wake_at = due_at, attempts = 20, output = NULL`)
	h.set(4 * time.Hour)
	h.pass()
	if lost := h.runs(j.ID)[0]; lost.Status != job.Lost || lost.Error == "" {
		t.Errorf("cut off too often: got %+v", lost)
	}
}

// TestSilent: an answer that begins with [SILENT], perhaps behind what the model thinks, is kept and goes nowhere.
func TestSilent(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{" [SILENT] Nothing new.", "<think>Is there news?</think>\n[SILENT] Nothing new."} {
		h := setup(t)
		h.model.answer = func(int, context.Context) (string, error) { return answer, nil }
		h.targets["webhook"] = &mailbox{}
		j := h.create(job.Job{Schedule: "in 1h", Deliver: "webhook:https://example.org/hook"})
		h.set(time.Hour)
		h.pass()
		if r := h.runs(j.ID)[0]; r.Delivery == nil || r.Delivery.State != job.Silent || !strings.Contains(r.Output, "Nothing new") {
			t.Errorf("%q: got %+v, %+v", answer, r, r.Delivery)
		}
	}
}

// TestPauseAndRun: a paused job does not fire, is run by hand all the same, and
// goes on from when it is resumed.
func TestPauseAndRun(t *testing.T) {
	t.Parallel()
	h := setup(t)
	j := h.create(job.Job{Schedule: "@hourly"})
	if got, err := h.planner.Pause(t.Context(), alice(), j.ID); err != nil || got.State != job.Paused || !got.NextRunAt.IsZero() {
		t.Fatalf("pause: got %+v, %v", got, err)
	}
	h.set(3 * time.Hour)
	h.pass()
	if _, err := h.planner.RunNow(t.Context(), alice(), j.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.planner.RunNow(t.Context(), alice(), j.ID); fault.CodeOf(err) != "job_busy" {
		t.Errorf("run twice: got %v", err)
	}
	h.pass()
	if got, err := h.planner.Resume(t.Context(), alice(), j.ID); err != nil || !got.NextRunAt.Equal(nine(4*time.Hour)) {
		t.Errorf("resume: got %+v, %v", got, err)
	}
	if runs := h.runs(j.ID); len(runs) != 1 || !runs[0].Manual || runs[0].Status != job.Completed {
		t.Errorf("got %+v, want one run by hand", runs)
	}
}

// TestOnTime: the scheduler wakes when something is due, not every minute; a fire
// that outlasts the next due time makes that one skipped (J3, J14).
func TestOnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t)
		h.close() // it is opened again with the clock of the bubble
		h.now = time.Now
		h.open()
		var running, most atomic.Int32
		h.model.answer = func(n int, ctx context.Context) (string, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			if n == 2 {
				<-time.After(90 * time.Second) // on the clock of the bubble
			}
			return "ok", ctx.Err()
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.scheduler.Run(ctx) }()
		begun := time.Now()
		once := h.create(job.Job{Name: "once", Schedule: "in 3s"})
		j := h.create(job.Job{Schedule: "every 1m"})
		<-time.After(4*time.Minute + time.Second) // on the clock of the bubble
		if r := h.runs(once.ID)[0]; !r.StartedAt.Equal(begun.Add(3*time.Second).UTC().Truncate(time.Millisecond)) || r.Late() != 0 {
			t.Errorf("one-shot: got it begun %v late", r.Late())
		}
		var got []string
		for _, r := range h.runs(j.ID) {
			got = append(got, string(r.Status))
		}
		if diff := cmp.Diff([]string{"completed", "completed", "skipped", "completed"}, got); diff != "" {
			t.Errorf("runs, newest first (-want +got):\n%s", diff)
		}
		if most.Load() != 1 {
			t.Errorf("got %d fires at once, want 1", most.Load())
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		h.close()
		h.db = reopened(t, h.path)
	})
}

// TestTogether: many jobs of several owners that are due in the same moment fire
// once each, 32 at a time.
func TestTogether(t *testing.T) {
	t.Parallel()
	const owners, each = 4, 25
	h := setup(t)
	var running, most atomic.Int32
	h.model.answer = func(int, context.Context) (string, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for now := most.Load(); n > now && !most.CompareAndSwap(now, n); now = most.Load() {
		}
		return "ok", nil
	}
	for i := range owners * each {
		o := owner.Stored(fmt.Sprintf("owner%d", i%owners))
		if _, err := h.planner.Create(t.Context(), o, job.Job{Name: fmt.Sprintf("job %d", i), Prompt: "Hello?", Schedule: "0 10 * * *"}); err != nil {
			t.Fatal(err)
		}
	}
	h.set(time.Hour)
	h.pass()
	fired := 0
	for i := range owners {
		o := owner.Stored(fmt.Sprintf("owner%d", i))
		jobs, err := h.db.Jobs(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			runs, err := h.db.Fires(t.Context(), o, j.ID, time.Time{}, 10)
			if err != nil || len(runs) != 1 || runs[0].Status != job.Completed || runs[0].Attempts != 1 {
				t.Errorf("%s of %s: got %+v, %v, want one completed run", j.Name, o.ID(), runs, err)
			}
			fired += len(runs)
		}
	}
	if n := len(h.model.prompts()); fired != owners*each || n != fired || most.Load() > 32 {
		t.Errorf("got %d runs, %d calls of the model, %d at once", fired, n, most.Load())
	}
}
