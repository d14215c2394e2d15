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

// Planner is what people do with jobs. It is safe for concurrent use.
type Planner struct {
	Store
	targets Targets
	zone    string
	now     func() time.Time
	changed func()
}

// PlannerParts are what a Planner is made of.
type PlannerParts struct {
	Store   Store
	Targets Targets
	// Zone is the zone of jobs that name none.
	Zone string
	Now  func() time.Time
	// Changed is called when something may be due earlier than it was.
	Changed func()
}

// NewPlanner returns a Planner.
func NewPlanner(p PlannerParts) *Planner {
	return &Planner{Store: p.Store, targets: p.Targets, zone: p.Zone, now: p.Now, changed: p.Changed}
}

// moment is the time in the precision it is stored with.
func moment(now func() time.Time) time.Time { return now().UTC().Truncate(time.Millisecond) }

// Create stores a new job. What is left empty gets its default.
func (p *Planner) Create(ctx context.Context, o owner.Owner, j Job) (Job, error) {
	now := moment(p.now)
	j.ID, j.CreatedAt, j.UpdatedAt, j.Anchor = ID(newID("job_")), now, now, now
	if j.State == "" {
		j.State = Scheduled
	}
	if j.Timezone == "" {
		j.Timezone = p.zone
	}
	if err := p.settle(&j, now); err != nil {
		return Job{}, err
	}
	if err := p.CreateJob(ctx, o, j, MaxJobs); err != nil {
		return Job{}, err
	}
	p.changed()
	return j, nil
}

// settle checks a job and plans it.
func (p *Planner) settle(j *Job, now time.Time) error {
	if err := j.check(); err != nil {
		return err
	}
	if err := p.targets.check(j.Deliver); err != nil {
		return err
	}
	if kind, _ := j.Deliver.split(); kind == webhook && j.Secret == "" {
		var b [24]byte
		_, _ = rand.Read(b[:]) // never fails since Go 1.24
		j.Secret = secretPrefix + base64.StdEncoding.EncodeToString(b[:])
	}
	return j.plan(now)
}

// Patch is what is to be different of a job; nil leaves it.
type Patch struct {
	Name, Schedule, Timezone, Prompt, Model *string
	Session                                 *session.ID
	Key                                     *session.Key
	Deliver                                 *Target
	Repeat                                  *int
	CatchUp                                 *CatchUp
	Timeout                                 *time.Duration
	Enabled                                 *bool
}

// Edit changes a job and returns it as it is then. A new schedule counts from
// now on; a job that ended is begun anew by one. A new webhook gets a new secret.
func (p *Planner) Edit(ctx context.Context, o owner.Owner, id ID, c *Patch) (Job, error) {
	j, err := p.Job(ctx, o, id)
	if err != nil {
		return Job{}, err
	}
	now := moment(p.now)
	replan := c.Schedule != nil || c.Timezone != nil || c.Enabled != nil && *c.Enabled != (j.State == Scheduled)
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
	if err := p.settleEdit(&j, now, replan); err != nil {
		return Job{}, err
	}
	if !replan {
		j.NextRunAt = next
	}
	j.UpdatedAt = now
	if err := p.UpdateJob(ctx, o, j); err != nil {
		return Job{}, err
	}
	p.changed()
	return j, nil
}

// settleEdit is settle where the schedule may be one that is over.
func (p *Planner) settleEdit(j *Job, now time.Time, replan bool) error {
	if replan && j.State == Scheduled {
		return p.settle(j, now)
	}
	planned := *j
	planned.Schedule = "@daily" // not looked at
	if err := p.settle(&planned, now); err != nil {
		return err
	}
	if _, err := j.parse(); err != nil {
		return err
	}
	planned.Schedule, planned.NextRunAt = j.Schedule, time.Time{}
	*j = planned
	return nil
}

// take sets a field that is to be different.
func take[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Pause stops the fires of a job; attempts that wait are held back, too.
func (p *Planner) Pause(ctx context.Context, o owner.Owner, id ID) (Job, error) {
	off := false
	return p.Edit(ctx, o, id, &Patch{Enabled: &off})
}

// Resume lets a paused job fire again, from now on: what was due meanwhile is
// not made up for.
func (p *Planner) Resume(ctx context.Context, o owner.Owner, id ID) (Job, error) {
	on := true
	return p.Edit(ctx, o, id, &Patch{Enabled: &on})
}

// RunNow fires a job at once, beside its schedule. Conflict "job_busy" if one of
// its runs is not over.
func (p *Planner) RunNow(ctx context.Context, o owner.Owner, id ID) (Run, error) {
	now := moment(p.now)
	r := Run{ID: newID("run_"), Job: id, DueAt: now, Status: Due, Manual: true, WakeAt: now}
	if err := p.AddRun(ctx, o, r); err != nil {
		return Run{}, err
	}
	p.changed()
	return r, nil
}

// Preview returns the next due times of a schedule. An empty zone is the default.
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
