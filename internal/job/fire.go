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
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/trail"
)

// route is the idempotency route that keeps the turns of fires from running twice.
const route = "jobs"

// fire runs a claimed slot and stores the outcome.
func (s *Scheduler) fire(ctx context.Context, o owner.Owner, r *Fire) {
	j, err := s.store.Job(ctx, o, r.Job)
	if err != nil {
		s.log.Warn("a job was deleted or could not be read", "job_id", r.Job, "err", err)
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
		err = recovery.Do(func() (err error) {
			set.Seen, err = s.turn(turn, o, &j, r)
			return err
		})
		recovery.Log(turn, s.log, "the turn of a job", err, "job_id", r.Job)
		timedOut := errors.Is(context.Cause(turn), context.DeadlineExceeded)
		stop()
		if ctx.Err() != nil { // shutdown: the next server continues it
			err = s.putBack(ctx, o, r)
			if err != nil {
				s.log.Warn("an interrupted run could not be released; it is retried when its lease ends", "job_id", r.Job, "err", err)
			}
			return
		}
		s.judge(r, err, timedOut)
	}
	r.FinishedAt = moment(s.now)
	set.Run, set.Delivery = *r, deliveryOf(&j, r)
	if _, err := s.ledger.SettleFire(context.WithoutCancel(ctx), o, set); err != nil {
		s.log.Warn("the outcome of a run could not be stored; the run is retried", "job_id", r.Job, "err", err)
	}
}

// hold returns a context for a turn: it ends at the timeout, or when the lease is lost.
func (s *Scheduler) hold(ctx context.Context, o owner.Owner, r *Fire, timeout time.Duration) (turn context.Context, stop func()) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	row := *r
	turn, release := claim.Hold(timed, lease, func(ctx context.Context) (bool, error) {
		return s.ledger.RenewFire(ctx, o, &row, moment(s.now).Add(lease))
	}, recovery.Logged(ctx, s.log, "the lease of a fire", "job_id", r.Job))
	return turn, func() {
		cancel()
		release()
	}
}

// putBack releases a slot that a shutdown interrupted.
func (s *Scheduler) putBack(ctx context.Context, o owner.Owner, r *Fire) error {
	back := *r
	back.Status, back.WakeAt, back.Output = Due, moment(s.now), ""
	back.Reason = ""
	_, err := s.ledger.SettleFire(context.WithoutCancel(ctx), o, Settlement{Run: back})
	return err
}

// turn runs a fire as a turn of its session.
func (s *Scheduler) turn(ctx context.Context, o owner.Owner, j *Job, r *Fire) (*Seen, error) {
	scope, facts, err := s.facts(ctx, o, j)
	if err != nil {
		return nil, err
	}
	brief, news := briefing(j, r, facts, scope.Root)
	stream, err := s.runner.Start(ctx, request(o, j, r, brief, news))
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
	if r.Reason = ""; res.Answer.FinishReason == "length" {
		r.Reason = ReasonCut
	}
	return s.seen(ctx, o, j, facts, res)
}

// facts returns the current facts of a job's scope; none if its session does not exist
// yet.
func (s *Scheduler) facts(ctx context.Context, o owner.Owner, j *Job) (memory.Scope, []memory.Fact, error) {
	scope, err := s.curator.Scope(ctx, o, j.Session, j.Key)
	if fault.KindOf(err) == fault.NotFound {
		return scope, nil, nil
	}
	if err != nil {
		return scope, nil, err
	}
	facts, err := s.curator.Facts(ctx, o, scope)
	return scope, facts, err
}

// seen returns how far memory has come after a turn that was shown facts.
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

// request builds the run of a fire. A slot is one idempotent request: retries store its
// prompt once and produce one answer.
func request(o owner.Owner, j *Job, r *Fire, brief string, news *run.News) *run.Request {
	slot := fmt.Sprintf("%s/%d", j.ID, r.DueAt.UnixMilli())
	sum := sha256.Sum256([]byte(slot))
	body, _ := json.Marshal(map[string]any{ // texts only: cannot fail
		"model": j.Model, "messages": []map[string]string{{"role": string(session.User), "content": j.Prompt}},
	})
	return &run.Request{
		Owner: o, Session: j.Session, Key: j.Key, Source: session.SourceCron, Model: j.Model, Body: body,
		System:     []session.Message{{Role: session.System, Content: brief}},
		Messages:   []session.Message{{Role: session.User, Content: j.Prompt}},
		News:       news,
		NoFallback: r.Attempts < maxAttempts, Patient: true,
		Idempotency: &run.Idempotency{Route: route, Key: slot, BodyHash: sum[:]},
	}
}

// retryAfter is the backoff after a failed attempt.
func retryAfter(attempts int) time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute}[min(attempts, maxAttempts-1)-1]
}

// judge sets the outcome of an attempt and the time of the next, if there is one.
func (s *Scheduler) judge(r *Fire, err error, timedOut bool) {
	r.WakeAt = time.Time{}
	if err == nil {
		r.Status, r.Error = Completed, ""
		return
	}
	r.Status, r.Error = Failed, fault.MessageOf(err)
	if timedOut {
		r.Error = "The run exceeded its timeout."
	}
	if refused, ok := errors.AsType[*run.Refused](err); ok {
		r.Session = refused.SessionID
	}
	s.log.Info("a run failed", "job_id", r.Job, "attempt", r.Attempts, "err", err)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.TooLarge:
		return // a retry would be refused too
	}
	if r.Attempts < maxAttempts {
		wait := retryAfter(r.Attempts)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			wait = max(wait, min(f.RetryAfter, time.Hour))
		}
		r.WakeAt = moment(s.now).Add(wait)
	}
}

// isSilent reports whether the answer says, behind what the model thinks, that it is not to be delivered.
func (r *Fire) isSilent() bool {
	answer, _ := session.AfterThoughts(r.Output)
	return strings.HasPrefix(strings.TrimSpace(answer), silent)
}

// deliveryOf returns the delivery of a finished fire; nil for none.
func deliveryOf(j *Job, r *Fire) *Delivery {
	if !r.WakeAt.IsZero() {
		return nil
	}
	d := &Delivery{ID: newID("evt_"), Job: r.Job, DueAt: r.DueAt, Target: j.Deliver, State: Pending, CreatedAt: r.FinishedAt}
	switch {
	case j.Deliver == Local:
		d.State = Stored
	case r.Status == Completed && r.isSilent():
		d.State = Silent
	default:
		d.WakeAt = r.FinishedAt
	}
	return d
}
