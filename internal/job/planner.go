package job

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Planner holds the operations that people perform on jobs. It is safe for concurrent
// use.
type Planner struct {
	Store
	targets Targets
	origin  func(context.Context, owner.Owner, *Job) (Target, error)
	zone    string
	now     func() time.Time
	changed func()
}

// PlannerParts are what a Planner is made of.
type PlannerParts struct {
	Store   Store
	Targets Targets
	// Origin names the chat that a job belongs to, for the target "origin"; nil if there are
	// no chats. It fails with Invalid "invalid_deliver".
	Origin func(context.Context, owner.Owner, *Job) (Target, error)
	// Zone is the time zone of jobs that name none.
	Zone string
	Now  func() time.Time
	// Changed is called when work may have become due earlier.
	Changed func()
}

// NewPlanner returns a Planner.
func NewPlanner(p PlannerParts) *Planner {
	return &Planner{Store: p.Store, targets: p.Targets, origin: p.Origin, zone: p.Zone, now: p.Now, changed: p.Changed}
}

// moment is the current time in the precision of the store.
func moment(now func() time.Time) time.Time { return now().UTC().Truncate(time.Millisecond) }

// Create stores a new job. Empty fields get their defaults.
func (p *Planner) Create(ctx context.Context, o owner.Owner, j Job) (Job, error) {
	now := moment(p.now)
	j.ID, j.CreatedAt, j.UpdatedAt, j.Anchor = ID(newID("job_")), now, now, now
	if j.State == "" {
		j.State = Scheduled
	}
	if j.Timezone == "" {
		j.Timezone = p.zone
	}
	if err := p.settle(ctx, o, &j, now); err != nil {
		return Job{}, err
	}
	if err := p.CreateJob(ctx, o, j, MaxJobs); err != nil {
		return Job{}, err
	}
	p.changed()
	return j, nil
}

// settle validates a job and plans it.
func (p *Planner) settle(ctx context.Context, o owner.Owner, j *Job, now time.Time) error {
	if err := j.check(); err != nil {
		return err
	}
	if j.Deliver == Origin && p.origin != nil {
		chat, err := p.origin(ctx, o, j)
		if err != nil {
			return err
		}
		j.Deliver = chat
	}
	if err := p.targets.check(ctx, o, j.Deliver); err != nil {
		return err
	}
	if kind, _ := j.Deliver.split(); kind == webhook && j.Secret == "" {
		var b [24]byte
		_, _ = rand.Read(b[:]) // never fails since Go 1.24
		j.Secret = secretPrefix + base64.StdEncoding.EncodeToString(b[:])
	}
	return j.plan(now)
}

// Patch holds the fields to change; nil leaves a field as it is.
type Patch struct {
	Name, Schedule, Timezone, Prompt, Model *string
	Session                                 *session.ID
	Key                                     *session.Key
	Deliver                                 *Target
	Repeat                                  *int
	CatchUp                                 *CatchUp
	Timeout                                 *time.Duration
	Enabled                                 *bool
	// Read is the UpdatedAt that the job must still have; nil for any.
	Read *time.Time
}

// replans reports whether a patch changes a job's next due time.
func (c *Patch) replans(j *Job) bool {
	switched := c.Enabled != nil && *c.Enabled != (j.State == Scheduled)
	return switched || c.Schedule != nil || c.Timezone != nil
}

// outdated reports whether a patch was made from another version of a job.
func (c *Patch) outdated(j *Job) bool { return c.Read != nil && !c.Read.Equal(j.UpdatedAt) }

// Edit changes a job and returns it. A new schedule counts from now and restarts a job
// that has ended. A new webhook gets a new secret. Of two edits at the same moment, one fails with
// [ErrChanged].
func (p *Planner) Edit(ctx context.Context, o owner.Owner, id ID, c *Patch) (Job, error) {
	j, err := p.Job(ctx, o, id)
	if err != nil {
		return Job{}, err
	}
	read, now := j.UpdatedAt, moment(p.now)
	if c.outdated(&j) {
		return Job{}, ErrChanged()
	}
	replan := c.replans(&j)
	take(&j.Name, c.Name)
	take(&j.Timezone, c.Timezone)
	take(&j.Prompt, c.Prompt)
	take(&j.Model, c.Model)
	take(&j.Session, c.Session)
	take(&j.Key, c.Key)
	take(&j.Repeat, c.Repeat)
	take(&j.CatchUp, c.CatchUp)
	take(&j.Timeout, c.Timeout)
	if c.Deliver != nil && *c.Deliver != j.Deliver {
		j.Deliver, j.Secret = *c.Deliver, ""
	}
	if c.Schedule != nil {
		j.Schedule, j.Anchor = strings.TrimSpace(*c.Schedule), now
		if j.State == Ended {
			j.State = Scheduled
		}
	}
	if c.Enabled != nil && j.State != Ended {
		j.State = Paused
		if *c.Enabled {
			j.State = Scheduled
		}
	}
	next := j.NextRunAt
	if err := p.settleEdit(ctx, o, &j, now, replan); err != nil {
		return Job{}, err
	}
	if !replan {
		j.NextRunAt = next
	}
	if j.UpdatedAt = now; !now.After(read) { // each edit has a time of its own
		j.UpdatedAt = read.Add(time.Millisecond)
	}
	if err := p.UpdateJob(ctx, o, j, read); err != nil {
		return Job{}, err
	}
	p.changed()
	return j, nil
}

// settleEdit is settle for a job whose schedule may have ended.
func (p *Planner) settleEdit(ctx context.Context, o owner.Owner, j *Job, now time.Time, replan bool) error {
	if replan && j.State == Scheduled {
		return p.settle(ctx, o, j, now)
	}
	planned := *j
	planned.Schedule = "@daily" // not used
	if err := p.settle(ctx, o, &planned, now); err != nil {
		return err
	}
	if _, err := j.parse(); err != nil {
		return err
	}
	planned.Schedule, planned.NextRunAt = j.Schedule, time.Time{}
	*j = planned
	return nil
}

// take sets a field if the patch has a value for it.
func take[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Pause stops the fires of a job; attempts that wait to be retried are held back, too.
func (p *Planner) Pause(ctx context.Context, o owner.Owner, id ID) (Job, error) {
	off := false
	return p.Edit(ctx, o, id, &Patch{Enabled: &off})
}

// Resume lets a paused job fire again, from now on: due times that passed meanwhile are
// not caught up.
func (p *Planner) Resume(ctx context.Context, o owner.Owner, id ID) (Job, error) {
	on := true
	return p.Edit(ctx, o, id, &Patch{Enabled: &on})
}

// RunNow fires a job at once, outside its schedule. Conflict "job_busy" if one of its
// fires is not over.
func (p *Planner) RunNow(ctx context.Context, o owner.Owner, id ID) (Fire, error) {
	now := moment(p.now)
	r := Fire{ID: newID("run_"), Job: id, DueAt: now, Status: Due, Manual: true, WakeAt: now}
	if err := p.AddFire(ctx, o, r); err != nil {
		return Fire{}, err
	}
	p.changed()
	return r, nil
}

// Preview returns the next due times of a schedule. An empty zone means the default.
func (p *Planner) Preview(schedule, zone string, n int) ([]time.Time, string, error) {
	if zone == "" {
		zone = p.zone
	}
	loc, err := Zone(zone)
	if err != nil {
		return nil, "", err
	}
	next, err := Preview(schedule, loc, moment(p.now), n)
	return next, zone, err
}
