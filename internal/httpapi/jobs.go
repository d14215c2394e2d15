package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// jobJSON is a job on the wire. The webhook's secret is shown only when it is set.
type jobJSON struct {
	Object         string     `json:"object"`
	ID             job.ID     `json:"id"`
	Name           string     `json:"name"`
	Schedule       string     `json:"schedule"`
	Timezone       string     `json:"timezone"`
	Prompt         string     `json:"prompt"`
	SessionID      session.ID `json:"session_id"`
	SessionKey     *string    `json:"session_key"`
	Deliver        job.Target `json:"deliver"`
	Repeat         *int       `json:"repeat"`
	Fires          int        `json:"fires"`
	CatchUp        string     `json:"catch_up"`
	Model          *string    `json:"model"`
	TimeoutSeconds int        `json:"timeout_seconds"`
	Enabled        bool       `json:"enabled"`
	State          job.State  `json:"state"`
	NextRunAt      *string    `json:"next_run_at"`
	LastRunAt      *string    `json:"last_run_at"`
	LastStatus     *string    `json:"last_status"`
	CreatedAt      time.Time  `json:"created_at"`
	UpdatedAt      time.Time  `json:"updated_at"`
	WebhookSecret  string     `json:"webhook_secret,omitempty"`
}

// zones caches the time zones of one answer, because each is read from files.
type zones map[string]*time.Location

// format is a time in a zone; nil for none.
func (z zones) format(t time.Time, name string) *string {
	if t.IsZero() {
		return nil
	}
	loc, known := z[name]
	if !known {
		loc, _ = job.Zone(name) // nil if this machine no longer has the zone
		z[name] = loc
	}
	if loc != nil {
		t = t.In(loc)
	}
	text := t.Format(time.RFC3339)
	return &text
}

func jobOf(j *job.Job) jobJSON { return jobIn(j, zones{}) }

func jobIn(j *job.Job, z zones) jobJSON {
	out := jobJSON{
		Object: "hermes.job", ID: j.ID, Name: j.Name, Schedule: j.Schedule, Timezone: j.Timezone, Prompt: j.Prompt, SessionID: j.Session,
		SessionKey: optional(j.Key), Deliver: j.Deliver, Fires: j.Fires, CatchUp: string(j.CatchUp), Model: optional(j.Model),
		TimeoutSeconds: int(j.Timeout / time.Second), Enabled: j.State == job.Scheduled, State: j.State,
		NextRunAt: z.format(j.NextRunAt, j.Timezone), LastRunAt: z.format(j.LastRunAt, j.Timezone), LastStatus: optional(j.LastStatus),
		CreatedAt: j.CreatedAt, UpdatedAt: j.UpdatedAt,
	}
	if j.Repeat > 0 {
		out.Repeat = &j.Repeat
	}
	return out
}

// oneJob is the answer that holds a job.
func oneJob(j jobJSON) map[string]any { return map[string]any{"job": j} }

// jobInput is a client's description of a job; absent fields are left unchanged.
type jobInput struct {
	Name           *string      `json:"name"`
	Schedule       *string      `json:"schedule"`
	Timezone       *string      `json:"timezone"`
	Prompt         *string      `json:"prompt"`
	SessionID      *string      `json:"session_id"`
	SessionKey     *string      `json:"session_key"`
	Deliver        *job.Target  `json:"deliver"`
	Repeat         *int         `json:"repeat"`
	CatchUp        *job.CatchUp `json:"catch_up"`
	Enabled        *bool        `json:"enabled"`
	Model          *string      `json:"model"`
	TimeoutSeconds *float64     `json:"timeout_seconds"`
}

// patch validates the input and converts it to a Patch.
func (in *jobInput) patch() (*job.Patch, error) {
	p := &job.Patch{
		Name: in.Name, Schedule: in.Schedule, Timezone: in.Timezone, Prompt: in.Prompt, Model: in.Model, Deliver: in.Deliver,
		Repeat: in.Repeat, CatchUp: in.CatchUp, Enabled: in.Enabled,
	}
	if in.SessionID != nil {
		id, err := session.ParseID(*in.SessionID)
		if err != nil {
			return nil, err
		}
		p.Session = &id
	}
	if in.SessionKey != nil {
		var key session.Key // "" removes the key
		if *in.SessionKey != "" {
			var err error
			if key, err = session.ParseKey(*in.SessionKey); err != nil {
				return nil, err
			}
		}
		p.Key = &key
	}
	if in.TimeoutSeconds != nil {
		if *in.TimeoutSeconds < 1 || *in.TimeoutSeconds > 3600 {
			return nil, fault.New(fault.Invalid, "invalid_timeout_seconds",
				"\"timeout_seconds\" is how long a run may take: 1 to 3600.").At("timeout_seconds")
		}
		d := time.Duration(*in.TimeoutSeconds * float64(time.Second)).Truncate(time.Second)
		p.Timeout = &d
	}
	return p, nil
}

// value dereferences a pointer; nil gives the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// createJob answers POST /api/jobs. The session may be named in the body or in the
// headers.
func (s *server) createJob(w http.ResponseWriter, r *http.Request) error {
	headers, err := parseSessionHeaders(r)
	if err != nil {
		return err
	}
	var in jobInput
	if err := decode(r, &in); err != nil {
		return err
	}
	p, err := in.patch()
	if err != nil {
		return err
	}
	j := job.Job{
		Name: value(p.Name), Schedule: value(p.Schedule), Timezone: value(p.Timezone), Prompt: value(p.Prompt), Model: value(p.Model),
		Session: headers.id, Key: headers.key, Deliver: value(p.Deliver), Repeat: value(p.Repeat), CatchUp: value(p.CatchUp),
		Timeout: value(p.Timeout),
	}
	if p.Session != nil {
		j.Session = *p.Session
	}
	if p.Key != nil {
		j.Key = *p.Key
	}
	if p.Enabled != nil && !*p.Enabled {
		j.State = job.Paused
	}
	made, err := s.Jobs.Create(r.Context(), ownerOf(r), j)
	if err != nil {
		return err
	}
	out := jobOf(&made)
	out.WebhookSecret = made.Secret
	return writeJSON(w, http.StatusCreated, oneJob(out))
}

// listJobs answers GET /api/jobs.
func (s *server) listJobs(w http.ResponseWriter, r *http.Request) error {
	jobs, err := s.Jobs.Jobs(r.Context(), ownerOf(r))
	if err != nil {
		return err
	}
	data, z := []jobJSON{}, zones{}
	for i := range jobs {
		data = append(data, jobIn(&jobs[i], z))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func jobID(r *http.Request) job.ID { return job.ID(r.PathValue("id")) }

// answerJob answers with the job that do returns for the id in the path.
func answerJob(w http.ResponseWriter, r *http.Request, do func(context.Context, owner.Owner, job.ID) (job.Job, error)) error {
	j, err := do(r.Context(), ownerOf(r), jobID(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, oneJob(jobOf(&j)))
}

// getJob answers GET /api/jobs/{id}.
func (s *server) getJob(w http.ResponseWriter, r *http.Request) error {
	return answerJob(w, r, s.Jobs.Job)
}

// patchJob answers PATCH /api/jobs/{id}. With updated_at, only a job that was not changed since then
// is.
func (s *server) patchJob(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		jobInput
		UpdatedAt *time.Time `json:"updated_at"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	p, err := in.patch()
	if err != nil {
		return err
	}
	p.Read = in.UpdatedAt
	j, err := s.Jobs.Edit(r.Context(), ownerOf(r), jobID(r), p)
	if err != nil {
		return err
	}
	out := jobOf(&j)
	if p.Deliver != nil {
		out.WebhookSecret = j.Secret
	}
	return writeJSON(w, http.StatusOK, oneJob(out))
}

// deleteJob answers DELETE /api/jobs/{id}. The messages of its runs stay in the
// session.
func (s *server) deleteJob(w http.ResponseWriter, r *http.Request) error {
	if err := s.Jobs.DeleteJob(r.Context(), ownerOf(r), jobID(r)); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.job", "id": jobID(r), "deleted": true})
}

// pauseJob answers POST /api/jobs/{id}/pause.
func (s *server) pauseJob(w http.ResponseWriter, r *http.Request) error {
	return answerJob(w, r, s.Jobs.Pause)
}

// resumeJob answers POST /api/jobs/{id}/resume.
func (s *server) resumeJob(w http.ResponseWriter, r *http.Request) error {
	return answerJob(w, r, s.Jobs.Resume)
}
