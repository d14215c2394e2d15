package httpapi

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/session"
)

// namedFire is a fire in the ledger of all jobs.
type namedFire struct {
	JobName *string `json:"job_name"`
	fireJSON
}

// listAllRuns answers GET /api/jobs/runs: the ledger of all jobs, newest first.
func (s *server) listAllRuns(w http.ResponseWriter, r *http.Request) error {
	f, err := fireFilter(r.URL.Query())
	if err != nil {
		return err
	}
	limit := f.Limit
	f.Limit++
	fires, err := s.Fires.AllFires(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	jobs, err := s.Jobs.Jobs(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	names := make(map[job.ID]string, len(jobs))
	for i := range jobs {
		names[jobs[i].ID] = jobs[i].Name
	}
	fires, next := cutPage(fires, limit, func(last *job.Fire) string {
		return formatCursor(session.Cursor{LastActive: last.DueAt, ID: session.ID(last.Job)})
	})
	return writeJSON(w, http.StatusOK, pageOf(fires, next, func(f *job.Fire) namedFire {
		return namedFire{optional(names[f.Job]), fireOf(f)}
	}))
}

// fireFilter reads the query of the ledger of all jobs.
func fireFilter(q url.Values) (job.FireFilter, error) {
	f := job.FireFilter{Status: job.Status(q.Get("status"))}
	known := []job.Status{"", job.Due, job.Running, job.Completed, job.Failed, job.Skipped, job.Lost}
	if !slices.Contains(known, f.Status) {
		return f, fault.New(fault.Invalid, "invalid_status", "\"status\" is due, running, completed, failed, skipped or lost.").At("status")
	}
	var err error
	if f.Limit, err = number(q.Get("limit"), "limit", 20, 200); err != nil {
		return f, err
	}
	if f.Since, err = instant(q.Get("since"), "since", "invalid_time", bound.DayStart); err != nil {
		return f, err
	}
	if f.Before, err = instant(q.Get("before"), "before", "invalid_before", bound.DayStart); err != nil {
		return f, err
	}
	if text := q.Get("cursor"); text != "" {
		at, err := parseCursor(text)
		if err != nil {
			return f, err
		}
		f.Before, f.Beyond = at.LastActive, job.ID(at.ID)
	}
	return f, nil
}
