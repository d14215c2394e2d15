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
	"github.com/hermes-memory/hermes/internal/run"
)

// How records are carried out.
const (
	lease = 30 * time.Second
	// longest is how long a record may take, waiting for people included.
	longest = 2 * time.Hour
	// keysFor is how long a client's Idempotency-Key counts.
	keysFor = 24 * time.Hour
	// again is when a look at the ledger that failed is followed by the next.
	again = time.Minute
)

// How much of what is run may be large, in bytes: what is of no account, and the
// room for the rest, in all and of one owner. Who finds it full waits.
const (
	smallTurn          = 64 << 10
	allTurns, ownTurns = 64 << 20, 32 << 20
	// sweptTurn is a turn of so many bytes: what it has cost beside itself is given
	// back at once, for the garbage collector goes by what is usual.
	sweptTurn = 4 << 20
)

// Limits bound what goes on at once; zero fields mean the usual.
type Limits struct {
	Running, OwnersRunning int // turns at once, in all and of one owner
	Open, OwnersOpen       int // records that are not over
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
	Ledger Ledger
	Runner *run.Runner
	Limits Limits
	// Approval is how long a call waits for somebody's word.
	Approval time.Duration
	// Grace is how long a stop waits for turns under way.
	Grace time.Duration
	Now   func() time.Time
	Log   *slog.Logger
}

// Registry starts records, carries them out and tells of them. It is safe for
// concurrent use.
type Registry struct {
	store    Store
	ledger   Ledger
	runner   *run.Runner
	limits   Limits
	approval time.Duration
	grace    time.Duration
	now      func() time.Time
	log      *slog.Logger

	bell    *claim.Bell
	places  *claim.Places
	room    *claim.Room
	topics  topics
	working sync.WaitGroup
	// reading is held by who reads a large turn.
	reading sync.Mutex
	// crowded says that some wait for a place: who comes now queues behind them.
	crowded atomic.Bool

	mu     sync.Mutex
	work   context.Context // of the turns; nil while none are taken
	active map[name]*carrier
	begun  chan struct{} // closed when records are taken
	left   chan struct{} // closed when no more are
}

// name is whose record it is, and its id.
type name struct{ owner, id string }

// New returns a Registry. Records are queued until it runs.
func New(p Parts) *Registry {
	l := p.Limits.withDefaults()
	return &Registry{
		store: p.Store, ledger: p.Ledger, runner: p.Runner, limits: l, approval: p.Approval, grace: p.Grace, now: p.Now, log: p.Log,
		bell: claim.NewBell(p.Now), places: claim.NewPlaces(l.Running, l.OwnersRunning), room: claim.NewRoom(allTurns, ownTurns), topics: topics{by: make(map[name]*topic)},
		active: make(map[name]*carrier), begun: make(chan struct{}), left: make(chan struct{}),
	}
}

// moment is now in the precision of the store.
func (r *Registry) moment() time.Time { return r.now().UTC().Truncate(time.Millisecond) }

// Start stores a record and begins it, or queues it where too many are under
// way. It does not wait for the turn, and what it returns has none. A record with
// another id than the spec's is the one that an earlier request with the same
// ClientKey has made.
//
// It fails with RateLimited "too_many_runs" if too many are not over, and with
// Conflict "idempotency_key_conflict" or "run_exists".
func (r *Registry) Start(ctx context.Context, o owner.Owner, s Spec) (Record, error) {
	turn, err := s.encode(o)
	if err != nil {
		return Record{}, err
	}
	now := r.moment()
	rec := Record{
		ID: s.ID, Kind: s.Kind, Session: s.Turn.Session, Key: s.Turn.Key, Model: s.Turn.Model, State: Queued, OnRestart: s.OnRestart,
		Request: s.Request, Turn: turn, ClientKey: s.ClientKey, ClientHash: s.ClientHash, CreatedAt: now, WakeAt: now,
	}
	if rec.OnRestart == "" {
		rec.OnRestart = Retry
	}
	placed := !r.crowded.Load() && r.serving() && r.places.Take(o.ID())
	if placed { // begun at once, in the transaction that stores it
		rec.State, rec.Attempts, rec.Fence, rec.StartedAt, rec.WakeAt = Running, 1, 1, now, now.Add(lease)
	}
	got, made, err := r.store.CreateRecord(ctx, o, rec, Bounds{All: r.limits.Open, Each: r.limits.OwnersOpen, KeysSince: now.Add(-keysFor)})
	switch {
	case placed && made && err == nil && r.launch(o, got):
	case placed:
		r.places.Leave(o.ID())
		if made { // the server has begun to stop: the next one goes on
			r.release(ctx, o, got)
		}
	case made:
		r.bell.Ring()
	}
	got.Turn = nil // it may be large, and who waits for the answer knows it
	return got, err
}

// release gives up a record that was claimed and not begun.
func (r *Registry) release(ctx context.Context, o owner.Owner, rec Record) {
	rec.State, rec.Attempts, rec.WakeAt, rec.StartedAt = Queued, rec.Attempts-1, r.moment(), time.Time{}
	if _, _, err := r.ledger.Advance(context.WithoutCancel(ctx), o, Step{ID: rec.ID, Fence: rec.Fence, Record: &rec}); err != nil {
		r.log.Warn("a run waits for the end of its lease", "run_id", rec.ID, "err", err)
	}
}

// serving reports whether records are taken.
func (r *Registry) serving() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.work != nil
}

// launch carries a claimed record out beside what else is going on. Its place is
// given back with its end. False if no more are taken.
func (r *Registry) launch(o owner.Owner, rec Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.work == nil {
		return false
	}
	c := newCarrier(r, o, rec)
	r.active[c.name] = c
	r.working.Go(func() {
		c.carry()
		r.mu.Lock()
		delete(r.active, c.name)
		r.mu.Unlock()
		r.topics.publish(c.name)
		r.places.Leave(o.ID())
		r.bell.Ring()
	})
	return true
}

// carrierOf is who carries a record out here; nil if nobody does.
func (r *Registry) carrierOf(n name) *carrier {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active[n]
}

// Begun is closed once records are carried out.
func (r *Registry) Begun() <-chan struct{} { return r.begun }

// Run carries records out until ctx ends, then waits for those under way. What
// outlasts the grace, or waits for people, is put back for the next server. It is
// called once.
func (r *Registry) Run(ctx context.Context) error {
	work, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	r.mu.Lock()
	r.work = work
	close(r.begun)
	r.mu.Unlock()
	for ctx.Err() == nil {
		next, err := r.look(work)
		if err != nil {
			r.log.Warn("the runs that wait could not be looked at", "err", err)
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
	grace := time.AfterFunc(r.grace, func() { cut(errLeaving) })
	defer grace.Stop()
	r.working.Wait()
	return nil
}

// look takes up what is due, as far as there is room, and says when there is
// more. What there is no room for is looked at when something has ended.
func (r *Registry) look(ctx context.Context) (time.Time, error) {
	const most = 64
	for {
		now := r.moment()
		due, next, err := r.ledger.DueRecords(ctx, now, most)
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

// take claims a record and begins it.
func (r *Registry) take(ctx context.Context, d Due, now time.Time) (bool, error) {
	if !r.places.Take(d.Owner.ID()) {
		return false, nil
	}
	rec, ok, err := r.ledger.ClaimRecord(ctx, d.Owner, Claim{ID: d.ID, At: now, Until: now.Add(lease)})
	if err == nil && ok && r.launch(d.Owner, rec) {
		return true, nil
	}
	r.places.Leave(d.Owner.ID())
	return false, err
}

// Record returns a record. NotFound if the owner has none of this id.
func (r *Registry) Record(ctx context.Context, o owner.Owner, id string) (Record, error) {
	return r.store.Record(ctx, o, id)
}

// Records returns the newest records of an owner, newest first.
func (r *Registry) Records(ctx context.Context, o owner.Owner, f Filter) ([]Record, error) {
	return r.store.Records(ctx, o, f)
}

// Delete erases a record with its events, and stops it first. What was said
// stays in the session. NotFound if the owner has none of this id.
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
	err := r.store.DeleteRecord(ctx, o, id)
	r.topics.publish(n)
	return err
}
