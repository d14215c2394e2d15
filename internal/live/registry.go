package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// How runs are carried out.
const (
	lease = 30 * time.Second
	// longest is how long a run may take, including the wait for approvals.
	longest = 2 * time.Hour
	// keysFor is how long a client's Idempotency-Key counts.
	keysFor = 24 * time.Hour
	// again is the pause after a failed poll of the queue.
	again = time.Minute
)

// Bounds on the bytes of stored turns that run at once. Small turns are not counted;
// the others share the room, in all and per owner, and wait when it is full.
const (
	smallTurn          = 64 << 10
	allTurns, ownTurns = 64 << 20, 32 << 20
	// sweptTurn is the size from which a turn's working memory is returned to the
	// system at once: the garbage collector is tuned for turns of usual size.
	sweptTurn = 4 << 20
)

// Limits bound concurrent runs; zero fields mean the defaults.
type Limits struct {
	Running, OwnersRunning int // turns at once, in all and per owner
	Open, OwnersOpen       int // runs that are not over
}

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		at    *int
		usual int
	}{{&l.Running, 64}, {&l.OwnersRunning, 16}, {&l.Open, 4096}, {&l.OwnersOpen, 256}} {
		if *f.at <= 0 {
			*f.at = f.usual
		}
	}
	return l
}

// Parts are what a Registry is made of.
type Parts struct {
	Store  Store
	Queue  Queue
	Runner *run.Runner
	Limits Limits
	// Shared is set if other processes use the store, too.
	Shared Shared
	// Approval is how long a call waits for approval.
	Approval time.Duration
	// Grace is how long a shutdown waits for turns under way.
	Grace time.Duration
	Now   func() time.Time
	Log   *slog.Logger
}

// Registry starts runs, executes them and publishes their events. It is safe for
// concurrent use.
type Registry struct {
	store    Store
	queue    Queue
	runner   *run.Runner
	shared   Shared // nil for a process that owns its store alone
	limits   Limits
	approval time.Duration
	grace    time.Duration
	now      func() time.Time
	log      *slog.Logger

	bell    *claim.Bell
	permits *claim.Permits
	room    *claim.Room
	topics  topics
	working sync.WaitGroup
	// reading is held while a large turn is read.
	reading sync.Mutex
	// crowded says that runs wait for a permit: new ones queue after them.
	crowded atomic.Bool
	// awaited says that the end of a run may let another one begin: runs wait for a permit, or it is
	// being found out whether they do.
	awaited atomic.Bool

	mu     sync.Mutex
	work   context.Context // of the turns; nil while none are taken
	active map[name]*carrier
	begun  chan struct{} // closed when runs are taken
	left   chan struct{} // closed when no more are
}

// name identifies a run: its owner and its id.
type name struct{ owner, id string }

// New returns a Registry. Runs are only queued until Serve is called.
func New(p Parts) *Registry {
	l := p.Limits.withDefaults()
	r := &Registry{
		store: p.Store, queue: p.Queue, runner: p.Runner, shared: p.Shared,
		limits: l, approval: p.Approval, grace: p.Grace, now: p.Now, log: p.Log,
		bell: claim.NewBell(p.Now), permits: claim.NewPermits(l.Running, l.OwnersRunning), room: claim.NewRoom(allTurns, ownTurns),
		topics: topics{by: make(map[name]*topic)},
		active: make(map[name]*carrier), begun: make(chan struct{}), left: make(chan struct{}),
	}
	r.hear()
	return r
}

// moment is now in the precision of the store.
func (r *Registry) moment() time.Time { return r.now().UTC().Truncate(time.Millisecond) }

// Start stores a run and begins it, or queues it if too many are under way. It does not
// wait for the turn, and the returned run has no Turn. A returned run with another id
// than the spec's was made by an earlier request with the same ClientKey.
//
// It fails with RateLimited "too_many_runs" if too many are not over, and with
// Conflict "idempotency_key_conflict" or "run_exists".
func (r *Registry) Start(ctx context.Context, o owner.Owner, s Spec) (Run, error) {
	turn, err := s.encode(o)
	if err != nil {
		return Run{}, err
	}
	now := r.moment()
	rec := Run{
		ID: s.ID, Kind: s.Kind, Session: s.Turn.Session, Key: s.Turn.Key, Model: s.Turn.Model, State: Queued, OnRestart: s.OnRestart,
		Request: s.Request, Turn: turn, ClientKey: s.ClientKey, ClientHash: s.ClientHash, CreatedAt: now, WakeAt: now,
	}
	if rec.OnRestart == "" {
		rec.OnRestart = Retry
	}
	placed := r.placed(o)
	if placed { // started at once, in the transaction that stores it
		rec.State, rec.Attempts, rec.Fence, rec.StartedAt, rec.WakeAt = Running, 1, 1, now, now.Add(lease)
	}
	got, made, err := r.store.CreateRun(ctx, o, rec, Bounds{All: r.limits.Open, Each: r.limits.OwnersOpen, KeysSince: now.Add(-keysFor)})
	switch {
	case placed && made && err == nil && r.launch(o, got, s.Patience):
	case placed:
		r.permits.Leave(o.ID())
		if made { // shutdown has begun: the next server continues it
			r.release(ctx, o, got)
		}
	case made:
		r.bell.Ring()
	}
	got.Turn = nil // it may be large, and the caller has it already
	return got, err
}

// placed takes a permit for a run that starts at once, if one is free and no run waits
// for it.
func (r *Registry) placed(o owner.Owner) bool {
	if r.crowded.Load() || !r.serving() {
		return false
	}
	return r.permits.Take(o.ID())
}

// release gives up a run that was claimed and not started.
func (r *Registry) release(ctx context.Context, o owner.Owner, rec Run) {
	rec.State, rec.Attempts, rec.WakeAt, rec.StartedAt = Queued, rec.Attempts-1, r.moment(), time.Time{}
	if _, _, err := r.queue.Advance(context.WithoutCancel(ctx), o, Step{ID: rec.ID, Fence: rec.Fence, Run: &rec}); err != nil {
		r.log.Warn("a run waits for the end of its lease", "run_id", rec.ID, "err", err)
	}
}

// serving reports whether runs are taken.
func (r *Registry) serving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.work != nil
}

// launch executes a claimed run in the background. The run's permit is given back at
// its end. It reports false if no more runs are taken.
func (r *Registry) launch(o owner.Owner, rec Run, patience time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.work == nil {
		return false
	}
	c := newCarrier(r, o, rec, patience)
	r.active[c.name] = c
	r.working.Go(recovery.Func(func() {
		defer r.landed(c)
		c.carry()
	}, recovery.Logged(r.work, r.log, "the end of a run", "run_id", rec.ID)))
	return true
}

// landed gives back what a carrier held.
func (r *Registry) landed(c *carrier) {
	r.mu.Lock()
	delete(r.active, c.name)
	r.mu.Unlock()
	if !c.over { // otherwise the readers have been handed the end
		r.topics.publish(c.name)
	}
	r.permits.Leave(c.o.ID())
	if !c.over || r.awaited.Load() {
		r.bell.Ring()
	}
}

// carrierOf returns the carrier of a run in this process; nil if there is none.
func (r *Registry) carrierOf(n name) *carrier {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[n]
}

// Poke makes the registry look for runs that may be due: another process has changed some.
func (r *Registry) Poke() { r.bell.Ring() }

// Begun is closed once runs are executed.
func (r *Registry) Begun() <-chan struct{} { return r.begun }

// Serve executes runs until ctx ends, then waits for those under way. Runs that outlast
// the grace period, or wait for approval, are put back for the next server. It is
// called once.
func (r *Registry) Serve(ctx context.Context) error {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	r.mu.Lock()
	r.work = work
	close(r.begun)
	r.mu.Unlock()
	for ctx.Err() == nil {
		var next time.Time
		err := recovery.Do(func() (err error) {
			next, err = r.look(work)
			return err
		})
		if err != nil {
			r.log.Warn("the queue of runs could not be read", "err", err)
			next = r.now().Add(again)
		}
		r.bell.Sleep(ctx, next)
	}
	r.mu.Lock()
	r.work = nil
	for _, c := range r.active {
		c.leave()
	}
	close(r.left)
	r.mu.Unlock()
	grace := time.AfterFunc(r.grace, func() { cancel(errLeaving) })
	defer grace.Stop()
	r.working.Wait()
	return nil
}

// look starts due runs as far as there are permits, and returns when to poll next. The
// others are taken when a run ends.
func (r *Registry) look(ctx context.Context) (time.Time, error) {
	r.awaited.Store(true)
	next, err := r.takeDue(ctx)
	r.awaited.Store(err != nil || r.crowded.Load())
	return next, err
}

// takeDue is look while ends of runs are heard.
func (r *Registry) takeDue(ctx context.Context) (time.Time, error) {
	const most = 64
	for {
		now := r.moment()
		due, next, err := r.queue.DueRuns(ctx, now, most)
		if err != nil {
			return time.Time{}, err
		}
		taken, waiting := 0, false
		for _, d := range due {
			ok, claimErr := r.take(ctx, d, now)
			err = errors.Join(err, claimErr)
			waiting = waiting || !ok
			if ok {
				taken++
			}
		}
		r.crowded.Store(waiting)
		if taken == 0 || err != nil {
			return next, err
		}
	}
}

// take claims a run and starts it.
func (r *Registry) take(ctx context.Context, d Due, now time.Time) (bool, error) {
	if !r.permits.Take(d.Owner.ID()) {
		return false, nil
	}
	rec, ok, err := r.queue.ClaimRun(ctx, d.Owner, Claim{ID: d.ID, At: now, Until: now.Add(lease)})
	if err == nil && ok && r.launch(d.Owner, rec, 0) {
		return true, nil
	}
	r.permits.Leave(d.Owner.ID())
	return false, err
}

// Run returns a run. NotFound if the owner has none of this id.
func (r *Registry) Run(ctx context.Context, o owner.Owner, id string) (Run, error) {
	return r.store.Run(ctx, o, id)
}

// Runs returns the newest runs of an owner, newest first.
func (r *Registry) Runs(ctx context.Context, o owner.Owner, f Filter) ([]Run, error) {
	return r.store.Runs(ctx, o, f)
}

// Delete stops a run and erases it with its events. Its messages stay in the session.
// NotFound if the owner has none of this id.
func (r *Registry) Delete(ctx context.Context, o owner.Owner, id string) error {
	if _, err := r.Stop(ctx, o, id); err != nil {
		return err
	}
	n := name{o.ID(), id}
	if c := r.carrierOf(n); c != nil {
		select {
		case <-c.done:
		case <-ctx.Done():
			return fault.Wrap(fault.Canceled, "", "The request was cancelled while the run was being stopped.", ctx.Err())
		}
	}
	err := r.store.DeleteRun(ctx, o, id)
	r.topics.publish(n)
	return err
}
