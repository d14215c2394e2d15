package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Jobs shows jobs and their fires.
type Jobs interface {
	// Jobs returns all jobs of an owner.
	Jobs(ctx context.Context, o owner.Owner) ([]job.Job, error)
	// Fires returns the newest fires of a job before a time, newest first; a zero time sets
	// no bound.
	Fires(ctx context.Context, o owner.Owner, id job.ID, before time.Time, limit int) ([]job.Fire, error)
}

// WorkGuard is the Guard of the runs and the jobs of a server.
type WorkGuard struct {
	sessions session.Store
	runs     *live.Registry
	jobs     Jobs
}

var _ Guard = (*WorkGuard)(nil)

// NewGuard returns a WorkGuard.
func NewGuard(s session.Store, runs *live.Registry, jobs Jobs) *WorkGuard {
	return &WorkGuard{s, runs, jobs}
}

// newestRuns is how many runs of an owner are looked at before a reset. A run that is not over
// is among the newest, because it ends within hours.
const newestRuns = 200

// Busy implements Guard: a run of the session's lineage is not over, or one of its jobs is due
// or fires.
func (g *WorkGuard) Busy(ctx context.Context, o owner.Owner, at session.ID) (bool, error) {
	tip, err := g.sessions.Tip(ctx, o, at)
	if err != nil {
		return false, fmt.Errorf("find session: %w", err)
	}
	runs, err := g.runs.Runs(ctx, o, live.Filter{Limit: newestRuns})
	if err != nil {
		return false, fmt.Errorf("list runs: %w", err)
	}
	for i := range runs {
		if r := &runs[i]; r.Root == tip.RootID && !r.State.Over() {
			return true, nil
		}
	}
	return g.fires(ctx, o, &tip)
}

// fires reports whether a job of the session is due or fires.
func (g *WorkGuard) fires(ctx context.Context, o owner.Owner, tip *session.Session) (bool, error) {
	jobs, err := g.jobs.Jobs(ctx, o)
	if err != nil {
		return false, fmt.Errorf("list jobs: %w", err)
	}
	for i := range jobs {
		if of, err := g.of(ctx, o, &jobs[i], tip); err != nil || !of {
			if err != nil {
				return false, err
			}
			continue
		}
		fires, err := g.jobs.Fires(ctx, o, jobs[i].ID, time.Time{}, 1)
		if err != nil {
			return false, fmt.Errorf("list fires: %w", err)
		}
		if slices.ContainsFunc(fires, func(f job.Fire) bool { return f.Status == job.Due || f.Status == job.Running }) {
			return true, nil
		}
	}
	return false, nil
}

// of reports whether a job fires in a lineage. A job keeps the session that it was made in,
// and the lineage may have gone on since.
func (g *WorkGuard) of(ctx context.Context, o owner.Owner, j *job.Job, tip *session.Session) (bool, error) {
	if j.Session == "" {
		return false, nil
	}
	own, err := g.sessions.Tip(ctx, o, j.Session)
	if fault.KindOf(err) == fault.NotFound { // the job has not fired yet
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find the session of a job: %w", err)
	}
	return own.RootID == tip.RootID, nil
}
