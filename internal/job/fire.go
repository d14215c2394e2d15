package job

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/trail"
)

// route is the name under which the turns of fires are kept from being doubled.
const route = "jobs"

// fire carries a claimed slot out and stores what came of it.
func (s *Scheduler) fire(ctx context.Context, o owner.Owner, r *Run) {
	j, err := s.store.Job(ctx, o, r.Job)
	if err != nil {
		s.log.Warn("a job is gone, or cannot be read", "job_id", r.Job, "err", err)
		return
	}
	ctx = trail.With(ctx, trail.Trail{RequestID: trail.NewID(), Actor: trail.Job})
	ctx, told := s.observe(ctx, r)
	defer func() { told(r.Status) }()
	set := Settlement{}
	if r.Attempts > claim.MaxCuts {
		r.Status, r.Error = Lost, fmt.Sprintf("It was cut off %d times.", claim.MaxCuts)
	} else {
		var turn context.Context
		var stop func()
		turn, stop = s.hold(ctx, o, r, j.Timeout)
		set.Seen, err = s.turn(turn, o, &j, r)
		timedOut := errors.Is(context.Cause(turn), context.DeadlineExceeded)
		stop()
		if ctx.Err() != nil { // the server stops: the next one goes on
			err = s.putBack(ctx, o, r)
			if err != nil {
				s.log.Warn("a run that was cut off waits for the end of its lease", "job_id", r.Job, "err", err)
			}
			return
		}
		s.judge(r, err, timedOut)
	}
	r.FinishedAt = moment(s.now)
	set.Run, set.Delivery = *r, deliveryOf(&j, r)
	if _, err := s.ledger.SettleRun(context.WithoutCancel(ctx), o, set); err != nil {
		s.log.Warn("the outcome of a run could not be stored; it is taken up again", "job_id", r.Job, "err", err)
	}
}

// hold is the time a turn has: its timeout, as long as the lease can be kept.
func (s *Scheduler) hold(ctx context.Context, o owner.Owner, r *Run, timeout time.Duration) (turn context.Context, stop func()) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	row := *r
	turn, release := claim.Hold(timed, lease, func(ctx context.Context) (bool, error) {
		return s.ledger.RenewRun(ctx, o, &row, moment(s.now).Add(lease))
	})
	return turn, func() {
		cancel()
		release()
	}
}

// putBack gives up a slot that the end of the server cut off.
func (s *Scheduler) putBack(ctx context.Context, o owner.Owner, r *Run) error {
	back := *r
	back.Status, back.WakeAt, back.Output = Due, moment(s.now), ""
	_, err := s.ledger.SettleRun(context.WithoutCancel(ctx), o, Settlement{Run: back})
	return err
}

// turn is the fire as a turn of its session.
func (s *Scheduler) turn(ctx context.Context, o owner.Owner, j *Job, r *Run) (*Seen, error) {
	scope, facts, err := s.facts(ctx, o, j)
	if err != nil {
		return nil, err
	}
	stream, err := s.runner.Start(ctx, request(o, j, r, briefing(j, r, facts, scope.Root)))
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	r.Session = stream.SessionID
	var res *run.Result
	for d, err := range stream.Deltas(ctx) {
		if err != nil {
			return nil, err
		}
		if d.Result != nil {
			res = d.Result
		}
	}
	if res == nil {
		return nil, fault.New(fault.Upstream, "upstream_incomplete", "The model's answer ended without a finish.")
	}
	r.Output, r.Responder, r.InputTokens, r.OutputTokens = res.Answer.Content, string(res.Responder), res.InputTokens, res.OutputTokens
	return s.seen(ctx, o, j, facts, res)
}

// facts are those a job's scope has now. A session that is not there yet has
// none of its own.
func (s *Scheduler) facts(ctx context.Context, o owner.Owner, j *Job) (memory.Scope, []memory.Fact, error) {
	scope, err := s.runner.Scope(ctx, o, j.Session, j.Key)
	if fault.KindOf(err) == fault.NotFound {
		return scope, nil, nil
	}
	if err != nil {
		return scope, nil, err
	}
	facts, err := s.runner.Facts(ctx, o, scope)
	return scope, facts, err
}

// seen is how far memory has come with a turn that was shown facts.
func (s *Scheduler) seen(ctx context.Context, o owner.Owner, j *Job, facts []memory.Fact, res *run.Result) (*Seen, error) {
	learned := make(map[memory.FactID]bool)
	for _, l := range res.Learned {
		learned[l.ID] = true
	}
	_, after, err := s.facts(context.WithoutCancel(ctx), o, j)
	if err != nil {
		return nil, err
	}
	return seenWith(facts, res.RootID, after, learned), nil
}

// request is a fire as a run. A slot is one request, however often it is tried:
// its prompt is stored once, and its answer is made once.
func request(o owner.Owner, j *Job, r *Run, brief string) *run.Request {
	slot := fmt.Sprintf("%s/%d", j.ID, r.DueAt.UnixMilli())
	sum := sha256.Sum256([]byte(slot))
	body, _ := json.Marshal(map[string]any{ // texts only: cannot fail
		"model": j.Model, "messages": []map[string]string{{"role": string(session.User), "content": j.Prompt}},
	})
	return &run.Request{
		Owner: o, Session: j.Session, Key: j.Key, Source: session.SourceCron, Model: j.Model, Body: body,
		System:     []session.Message{{Role: session.System, Content: brief}},
		Messages:   []session.Message{{Role: session.User, Content: j.Prompt}},
		NoFallback: r.Attempts < maxAttempts, Patient: true,
		Idempotency: &run.Idempotency{Route: route, Key: slot, BodyHash: sum[:]},
	}
}

// retryAfter is how long a failed attempt is followed by none.
func retryAfter(attempts int) time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute}[min(attempts, maxAttempts-1)-1]
}

// judge says what became of an attempt, and when there is another.
func (s *Scheduler) judge(r *Run, err error, timedOut bool) {
	r.WakeAt = time.Time{}
	if err == nil {
		r.Status, r.Error = Completed, ""
		return
	}
	r.Status, r.Error = Failed, fault.MessageOf(err)
	if timedOut {
		r.Error = "The run took longer than it may."
	}
	if refused, ok := errors.AsType[*run.Refused](err); ok {
		r.Session = refused.SessionID
	}
	s.log.Info("a run failed", "job_id", r.Job, "attempt", r.Attempts, "err", err)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.TooLarge:
		return // it would be refused again
	}
	if r.Attempts < maxAttempts {
		wait := retryAfter(r.Attempts)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			wait = max(wait, min(f.RetryAfter, time.Hour))
		}
		r.WakeAt = moment(s.now).Add(wait)
	}
}

// deliveryOf is the delivery of a run that is over; nil for none.
func deliveryOf(j *Job, r *Run) *Delivery {
	if !r.WakeAt.IsZero() {
		return nil
	}
	d := &Delivery{ID: newID("evt_"), Job: r.Job, DueAt: r.DueAt, Target: j.Deliver, State: Pending, CreatedAt: r.FinishedAt}
	switch {
	case j.Deliver == Local:
		d.State = Stored
	case r.Status == Completed && strings.HasPrefix(strings.TrimSpace(r.Output), silent):
		d.State = Silent
	default:
		d.WakeAt = r.FinishedAt
	}
	return d
}
