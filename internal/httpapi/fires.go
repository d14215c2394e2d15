package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/job"
)

// fireJSON is a fire of a job on the wire.
type fireJSON struct {
	Object        string        `json:"object"`
	ID            string        `json:"id"`
	JobID         job.ID        `json:"job_id"`
	DueAt         time.Time     `json:"due_at"`
	StartedAt     *time.Time    `json:"started_at"`
	FinishedAt    *time.Time    `json:"finished_at"`
	LateSeconds   float64       `json:"late_seconds"`
	Status        job.Status    `json:"status"`
	Reason        *string       `json:"reason"`
	Manual        bool          `json:"manual"`
	Attempts      int           `json:"attempts"`
	NextAttemptAt *time.Time    `json:"next_attempt_at"`
	SessionID     *string       `json:"session_id"`
	Responder     *string       `json:"responder"`
	Output        *string       `json:"output"`
	Error         *string       `json:"error"`
	Usage         *jobUsageJSON `json:"usage"`
	Delivery      *deliveryJSON `json:"delivery"`
}

type jobUsageJSON struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// deliveryJSON is the delivery of a run's output on the wire.
type deliveryJSON struct {
	EventID       string            `json:"event_id"`
	Target        job.Target        `json:"target"`
	State         job.DeliveryState `json:"state"`
	Attempts      int               `json:"attempts"`
	NextAttemptAt *time.Time        `json:"next_attempt_at"`
	DeliveredAt   *time.Time        `json:"delivered_at"`
	Error         *string           `json:"error"`
}

func fireOf(r *job.Fire) fireJSON {
	out := fireJSON{
		Object: "hermes.job_run", ID: r.ID, JobID: r.Job, DueAt: r.DueAt, StartedAt: optionalTime(r.StartedAt),
		FinishedAt:  optionalTime(r.FinishedAt),
		LateSeconds: r.Late().Seconds(), Status: r.Status, Reason: optional(r.Reason), Manual: r.Manual, Attempts: r.Attempts,
		SessionID: optional(r.Session), Responder: optional(r.Responder), Output: optional(r.Output), Error: optional(r.Error),
	}
	if r.Status != job.Running {
		out.NextAttemptAt = optionalTime(r.WakeAt)
	}
	if r.InputTokens+r.OutputTokens > 0 {
		out.Usage = &jobUsageJSON{r.InputTokens, r.OutputTokens, r.InputTokens + r.OutputTokens}
	}
	if d := r.Delivery; d != nil {
		out.Delivery = &deliveryJSON{
			EventID: d.ID, Target: d.Target, State: d.State, Attempts: d.Attempts, NextAttemptAt: optionalTime(d.WakeAt),
			DeliveredAt: optionalTime(d.DeliveredAt), Error: optional(d.Error),
		}
	}
	return out
}

// runJob answers POST /api/jobs/{id}/run: the job is fired at once, outside its
// schedule. The outcome is listed with its fires.
func (s *server) runJob(w http.ResponseWriter, r *http.Request) error {
	run, err := s.Jobs.RunNow(r.Context(), ownerOf(r), jobID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, map[string]any{"run": fireOf(&run)})
}

// listRuns answers GET /api/jobs/{id}/runs, newest first.
func (s *server) listRuns(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q.Get("limit"), "limit", 20, 200)
	if err != nil {
		return err
	}
	before, err := instant(q.Get("before"), "before", "invalid_before", bound.DayStart) // the due_at of the last run seen
	if err != nil {
		return err
	}
	if _, err := s.Jobs.Job(r.Context(), ownerOf(r), jobID(r)); err != nil {
		return err
	}
	runs, err := s.Jobs.Fires(r.Context(), ownerOf(r), jobID(r), before, limit+1)
	if err != nil {
		return err
	}
	more := len(runs) > limit
	runs = runs[:min(limit, len(runs))]
	data := []fireJSON{}
	for i := range runs {
		data = append(data, fireOf(&runs[i]))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data, "has_more": more})
}

// previewJob answers GET /api/jobs/preview: when a schedule would fire.
func (s *server) previewJob(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	count, err := number(q.Get("count"), "count", 5, 100)
	if err != nil {
		return err
	}
	next, zone, err := s.Jobs.Preview(q.Get("schedule"), q.Get("timezone"), count)
	if err != nil {
		return err
	}
	times := []string{}
	for _, at := range next {
		times = append(times, at.Format(time.RFC3339))
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"object": "hermes.job_preview", "schedule": q.Get("schedule"), "timezone": zone, "next": times,
	})
}
