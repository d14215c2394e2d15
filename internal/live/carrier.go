package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// Why a turn is cut off.
var (
	errStopped = errors.New("the run was stopped by request")
	errErased  = fmt.Errorf("%w: its lineage is erased", errStopped)
	errLeaving = errors.New("the server stops")
	errLost    = errors.New("the claim on the run was lost")
	errTooLong = errors.New("the run took longer than it may")
)

// carrier executes one claimed run.
type carrier struct {
	r      *Registry
	o      owner.Owner
	name   name
	fence  int64
	turn   context.Context
	cut    context.CancelCauseFunc // ends the turn
	done   chan struct{}           // closed when the run is over or given up
	scribe *scribe
	size   int64        // size of the stored turn in bytes
	kept   *Run         // the row as it is stored; of the scribe
	told   atomic.Int64 // the Seq of the newest stored event; more than any once the last one is stored
	over   bool         // the end of the run is stored; of carry

	mu      sync.Mutex
	rec     Run // the row as it is to be stored
	asks    []*ask
	asked   int // calls in this attempt; only the turn changes it
	leaving bool
	ended   bool // nothing more is stored
}

func newCarrier(r *Registry, o owner.Owner, rec Run, patience time.Duration) *carrier {
	c := &carrier{r: r, o: o, name: name{o.ID(), rec.ID}, fence: rec.Fence, rec: rec, size: int64(len(rec.Turn)), done: make(chan struct{})}
	if c.size > smallTurn {
		c.rec.Turn = nil // it is read again when there is room for it
	}
	row := c.rec
	row.Turn = nil
	c.kept = &row
	c.told.Store(rec.Events)
	c.turn, c.cut = context.WithCancelCause(r.work)
	c.scribe = newScribe(patience, c.store, c.cut)
	return c
}

// carry runs the turn and stores its outcome.
func (c *carrier) carry() {
	defer close(c.done)
	go recovery.Func(c.scribe.run, c.cut)()
	held, stop := claim.Hold(c.turn, lease, func(ctx context.Context) (bool, error) {
		ok, err := c.r.queue.RenewRun(ctx, c.o, c.name.id, c.fence, c.r.moment().Add(lease))
		if err == nil && !ok {
			c.cut(errLost)
		}
		return ok, err
	}, recovery.Logged(c.turn, c.r.log, "the lease of a run", "run_id", c.name.id))
	timed, cancel := context.WithTimeoutCause(held, longest, errTooLong)
	var res *run.Result
	err := recovery.Do(func() (err error) {
		res, err = c.attempt(timed)
		return err
	})
	recovery.Log(timed, c.r.log, "a run", err, "run_id", c.name.id)
	cause := context.Cause(timed)
	cancel()
	c.end(res, err, cause)
	c.scribe.close()
	stop()
	c.cut(nil)
}

// store is how the scribe writes.
func (c *carrier) store(events []Event, rec *Run) error {
	s := Step{ID: c.name.id, Fence: c.fence, Events: events, Run: rec}
	if rec != nil {
		c.kept = rec
	}
	last, ok := int64(0), false
	err := recovery.Do(func() (err error) {
		last, ok, err = c.r.queue.Advance(context.WithoutCancel(c.turn), c.o, s)
		return err
	})
	recovery.Log(c.turn, c.r.log, "the events of a run", err, "run_id", c.name.id)
	if err == nil && !ok {
		err = errLost
	}
	if err == nil {
		told := max(last, c.told.Load())
		if c.kept.State.Over() {
			told = math.MaxInt64 // no reader waits for more, wherever it is
		}
		c.told.Store(told)
		c.r.topics.hand(c.name, newsOf(events, last, c.kept))
	}
	return err
}

// change changes the run and records an event. The channel reports when both are
// stored.
func (c *carrier) change(to func(*Run), t EventType, data any) <-chan error {
	done := make(chan error, 1)
	c.alter(to, t, data, done)
	return done
}

// alter is change for a caller who does not wait, if done is nil.
func (c *carrier) alter(to func(*Run), t EventType, data any, done chan error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		if done != nil {
			done <- errLost
		}
		return
	}
	to(&c.rec)
	if !c.rec.WakeAt.IsZero() && c.rec.State != Queued {
		c.rec.WakeAt = c.r.moment().Add(lease)
	}
	rec := c.rec
	var e *Event
	if t != "" {
		e = &Event{Type: t, At: c.r.moment(), Data: encoded(data)}
	}
	c.ended = rec.State.Over() || rec.State == Queued
	c.scribe.in <- entry{event: e, record: &rec, done: done} // in the order of the changes
}

// tell records an event.
func (c *carrier) tell(t EventType, data any) {
	c.scribe.put(&Event{Type: t, At: c.r.moment(), Data: encoded(data)}, nil)
}

// attempt runs the turn, unless the run is already at its end.
func (c *carrier) attempt(ctx context.Context) (*run.Result, error) {
	c.mu.Lock()
	rec := c.rec
	c.mu.Unlock()
	switch {
	case rec.State == Stopping:
		c.cut(errStopped)
		return nil, errStopped
	case rec.Attempts > claim.MaxCuts:
		return nil, interrupted(fmt.Sprintf("The server stopped %d times while it was under way.", claim.MaxCuts))
	case rec.Attempts > 1 && rec.OnRestart == Interrupt:
		return nil, interrupted("The server stopped while it was under way.")
	}
	leave, err := c.room(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	req, err := c.read(ctx, &rec)
	if err != nil {
		return nil, err
	}
	req.Attendant, req.Patient = c, true
	if rec.OnRestart == Retry && rec.Kind == KindPlatform {
		req.Later = errLeaving
	}
	stream, err := c.r.runner.Start(ctx, req)
	if err != nil {
		if refused, ok := errors.AsType[*run.Refused](err); ok {
			c.mu.Lock()
			c.rec.Session, c.rec.Root = refused.SessionID, refused.RootID
			c.mu.Unlock()
		}
		return nil, err
	}
	defer stream.Close()
	c.alter(func(r *Run) {
		r.Session, r.Root, r.FirstSeq, r.Model = stream.SessionID, stream.RootID, stream.From, stream.Model
	}, RunStarted, Started{
		Attempt: rec.Attempts, Session: stream.SessionID, Root: stream.RootID, Created: stream.Created, Compressed: stream.Compressed,
		Responder: stream.Responder, Model: stream.Model,
	}, nil)
	var res *run.Result
	for d, err := range stream.Deltas(ctx) {
		if d.Result != nil {
			res = d.Result
		}
		if err != nil {
			return res, err
		}
		c.say(&d)
	}
	if res == nil {
		return nil, fault.New(fault.Upstream, "upstream_incomplete", "The model's answer ended without a finish.")
	}
	return res, nil
}

// room waits for room for the stored turn, and holds it until the returned function is
// called.
func (c *carrier) room(ctx context.Context) (leave func(), err error) {
	if c.size <= smallTurn {
		return func() {}, nil
	}
	size := min(c.size, ownTurns)
	if err := c.r.room.Enter(ctx, c.o.ID(), size); err != nil {
		return nil, err
	}
	return func() {
		c.sweep()
		c.r.room.Leave(c.o.ID(), size)
	}, nil
}

// sweep returns the memory of a large turn to the system once it is no longer needed.
func (c *carrier) sweep() {
	if c.size >= sweptTurn {
		debug.FreeOSMemory()
	}
}

// read calls request, for large turns one at a time, because decoding takes a multiple
// of a turn's size.
func (c *carrier) read(ctx context.Context, rec *Run) (*run.Request, error) {
	if c.size >= sweptTurn {
		c.r.reading.Lock()
		defer c.r.reading.Unlock()
	}
	req, err := c.request(ctx, rec)
	rec.Turn = nil
	c.sweep()
	return req, err
}

// request reads the turn to be run. The carrier does not keep it: the store has it
// until the run is over.
func (c *carrier) request(ctx context.Context, rec *Run) (*run.Request, error) {
	c.mu.Lock()
	c.rec.Turn = nil
	c.mu.Unlock()
	if rec.Turn == nil {
		whole, err := c.r.store.Run(ctx, c.o, rec.ID)
		if err != nil {
			return nil, err
		}
		rec.Turn = whole.Turn
	}
	return rec.request(c.o)
}

// interruption is the end of a run that is not tried again.
type interruption struct{ cause *fault.Error }

func interrupted(msg string) error {
	return interruption{fault.New(fault.Unavailable, "interrupted", msg)}
}

// Error returns the text of the fault.
func (i interruption) Error() string { return i.cause.Msg }

// Unwrap returns the fault.
func (i interruption) Unwrap() error { return i.cause }

// say records a piece of the answer.
func (c *carrier) say(d *run.Delta) {
	p := &Piece{Content: d.Content, Reasoning: d.Reasoning}
	for _, t := range d.ToolCalls {
		p.ToolCalls = append(p.ToolCalls, CallPart{Index: t.Index, ID: t.ID, Name: t.Name, Arguments: t.Arguments})
	}
	if p.Content != "" || p.Reasoning != "" || len(p.ToolCalls) > 0 {
		c.scribe.put(&Event{Type: MessageDelta, At: c.r.moment()}, p)
	}
}

// end stores the outcome of the run.
func (c *carrier) end(res *run.Result, err, cause error) {
	if res != nil {
		kept := *res
		kept.Answer.Raw = nil // its texts are stored separately
		res = &kept
	}
	state := outcome(err, cause)
	switch {
	case errors.Is(cause, errLost):
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
		c.r.log.Info("a run was erased, or another server has claimed it", "run_id", c.name.id)
		return
	case state == Queued && c.rec.OnRestart == Retry:
		c.settled(<-c.change(func(r *Run) {
			r.State, r.WakeAt, r.Approvals, r.Attempts = Queued, c.r.moment(), nil, r.Attempts-1
		}, "", nil))
		return
	case state == Queued:
		state, err = Interrupted, interrupted("The server stopped while it was under way.")
	}
	c.over = c.settled(<-c.change(func(r *Run) {
		r.State, r.Result, r.Failure, r.Approvals, r.Turn, r.WakeAt, r.FinishedAt = state, res, failureOf(err, cause), nil, nil, time.Time{},
			c.r.moment()
		if res != nil {
			r.Session, r.Root, r.Model = res.SessionID, res.RootID, res.Model
			if res.To > 0 {
				r.FirstSeq, r.EndSeq = res.From, res.To
			}
		}
	}, lastOf(state), struct{}{}))
	if err != nil && state == Failed {
		c.r.log.Info("a run failed", "run_id", c.name.id, "err", err)
	}
}

// settled reports whether the end of a run could be stored, and logs if not.
func (c *carrier) settled(err error) bool {
	if err != nil && !errors.Is(err, errLost) {
		c.r.log.Warn("the outcome of a run could not be stored; the run is retried when its lease ends", "run_id", c.name.id, "err", err)
	}
	return err == nil
}

// outcome returns the state that an attempt ends in; Queued means that another attempt
// follows.
func outcome(err, cause error) State {
	_, again := errors.AsType[interruption](err)
	switch {
	case err == nil:
		return Completed
	case again:
		return Interrupted
	case errors.Is(cause, errStopped):
		return Cancelled
	case errors.Is(cause, errLeaving):
		return Queued
	}
	return Failed
}

// codeErased is the code of a run that was stopped because its lineage is erased.
const codeErased = "erased"

// Erased reports whether a run was stopped because its lineage is erased: nothing of it is kept.
func (r *Run) Erased() bool { return r.Failure != nil && r.Failure.Code == codeErased }

// failureOf returns the Failure stored for an error; nil without one.
func failureOf(err, cause error) *Failure {
	switch {
	case err == nil:
		return nil
	case errors.Is(cause, errErased):
		return &Failure{Kind: fault.Canceled, Code: codeErased, Message: "The run was stopped, because its session is erased."}
	case errors.Is(cause, errStopped):
		return &Failure{Kind: fault.Canceled, Code: "cancelled", Message: "The run was stopped."}
	case errors.Is(cause, errTooLong):
		return &Failure{Kind: fault.Timeout, Code: "run_timeout", Message: fmt.Sprintf("The run took longer than %v.", longest)}
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return &Failure{Kind: fault.Internal, Code: "internal_error", Message: fault.MessageOf(err)}
	}
	return &Failure{Kind: f.Kind, Code: f.Code, Message: f.Msg, Foreign: f.Foreign, Param: f.Param, Status: f.Status, RetryAfter: f.RetryAfter}
}
