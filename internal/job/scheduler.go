package job

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/run"
)

// Bounds on fires and deliveries.
const (
	maxFires    = 32 // at once, in this process; the same for deliveries
	ownersFires = 16 // of one owner
	lease       = 30 * time.Second
	maxAttempts = 3 // failed attempts
	// again is the pause after a failed poll of the ledger.
	again = time.Minute
)

// Scheduler fires due jobs and delivers their output.
type Scheduler struct {
	ledger  Ledger
	store   Store
	runner  *run.Runner
	curator *curate.Curator
	targets Targets
	now     func() time.Time
	grace   time.Duration
	log     *slog.Logger
	// observer may be nil.
	observer Observer

	bell       *claim.Bell // rings when work may be due, or has ended
	fires      *claim.Permits
	deliveries *claim.Permits
	backlog    backlog // used by the goroutine of begin only
	// since is when Run began: no server was running at earlier due times.
	since   time.Time
	working sync.WaitGroup
}

// SchedulerParts are what a Scheduler is made of.
type SchedulerParts struct {
	Ledger  Ledger
	Store   Store
	Runner  *run.Runner
	Curator *curate.Curator
	Targets Targets
	Now     func() time.Time
	// Grace is how long a shutdown waits for fires under way.
	Grace time.Duration
	// Observer is told of the work; it may be nil.
	Observer Observer
	Log      *slog.Logger
}

// NewScheduler returns a Scheduler. Nothing is fired before Run or Pass.
func NewScheduler(p SchedulerParts) *Scheduler {
	return &Scheduler{
		ledger: p.Ledger, store: p.Store, runner: p.Runner, curator: p.Curator, targets: p.Targets, now: p.Now, grace: p.Grace, log: p.Log,
		observer: p.Observer,
		bell:     claim.NewBell(p.Now), fires: claim.NewPermits(maxFires, ownersFires), deliveries: claim.NewPermits(maxFires, ownersFires),
	}
}

// Poke makes the scheduler poll for due work.
func (s *Scheduler) Poke() { s.bell.Ring() }

// Run fires due jobs until ctx ends, then waits for those under way. A fire that
// outlasts the grace period is interrupted, and retried at the next start.
func (s *Scheduler) Run(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s.since = moment(s.now)
	for ctx.Err() == nil {
		var next time.Time
		err := recovery.Do(func() (err error) {
			_, next, err = s.begin(work)
			return err
		})
		if err != nil {
			s.log.Warn("the scheduler could not read its ledger", "err", err)
			next = s.now().Add(again)
		}
		s.bell.Sleep(ctx, next)
	}
	grace := time.AfterFunc(s.grace, cancel)
	defer grace.Stop()
	s.working.Wait()
	return nil
}

// Pass does all due work and returns when it is done. It is for servers that do not
// Run, and for tests that set the clock.
func (s *Scheduler) Pass(ctx context.Context) error {
	for {
		begun, _, err := s.begin(ctx)
		s.working.Wait()
		if err != nil || !begun {
			return err
		}
	}
}

// begin starts due work as far as there are permits, and returns when to poll next. The
// rest is tried when a fire or a delivery ends.
func (s *Scheduler) begin(ctx context.Context) (begun bool, next time.Time, err error) {
	const look = 256
	for {
		now := moment(s.now)
		if s.backlog.crowded() && now.Before(s.backlog.until) {
			begun, err = s.serve(ctx, now, begun)
			if s.backlog.crowded() || err != nil {
				return begun, s.backlog.until, err
			}
		}
		a, err := s.ledger.Agenda(ctx, now, look)
		if err != nil {
			return begun, time.Time{}, err
		}
		opened, err := s.openAll(ctx, a.Jobs, now)
		s.backlog = backlog{runs: a.Fires, deliveries: a.Deliveries, until: now.Add(soon)}
		more, claimErr := s.serve(ctx, now, opened)
		begun, err = begun || more, errors.Join(err, claimErr)
		switch {
		case err != nil:
			return begun, a.Next, err
		case s.backlog.crowded():
			return begun, s.backlog.until, nil
		case !more:
			return begun, a.Next, nil
		}
	}
}

// backlog is the work that a poll of the ledger found without a free permit. While
// there is a backlog, the ledger is polled rarely: a poll costs more the longer the
// queue is, and each fire that ends makes room for only one.
type backlog struct {
	runs       []DueFire
	deliveries []DueDelivery
	until      time.Time // the next poll
}

// soon is the poll interval while there is a backlog.
const soon = 100 * time.Millisecond

func (b *backlog) crowded() bool { return len(b.runs)+len(b.deliveries) > 0 }

// serve starts work from the backlog as far as there are permits. It reports whether
// any work has begun, here or before.
func (s *Scheduler) serve(ctx context.Context, now time.Time, begun bool) (bool, error) {
	var errs []error
	note := func(ok bool, err error) {
		begun = begun || ok
		errs = append(errs, err)
	}
	s.backlog.runs = slices.DeleteFunc(s.backlog.runs, func(d DueFire) bool {
		if !s.fires.Take(d.Owner.ID()) {
			return false
		}
		note(s.claimRun(ctx, d, now))
		return true
	})
	s.backlog.deliveries = slices.DeleteFunc(s.backlog.deliveries, func(d DueDelivery) bool {
		if !s.deliveries.Take(d.Owner.ID()) {
			return false
		}
		note(s.claimDelivery(ctx, d, now))
		return true
	})
	return begun, errors.Join(errs...)
}

// openAll opens the slots of several jobs concurrently, so that they share commits.
func (s *Scheduler) openAll(ctx context.Context, jobs []DueJob, now time.Time) (bool, error) {
	var opened atomic.Bool
	var g errgroup.Group
	g.SetLimit(maxFires)
	for i := range jobs {
		g.Go(recovery.Task(func() error {
			ok, err := s.open(ctx, &jobs[i], now)
			if ok {
				opened.Store(true)
			}
			return err
		}))
	}
	err := g.Wait()
	return opened.Load(), err
}

// open stores the past due times of a job as slots. A job whose schedule can no longer
// be read is paused.
func (s *Scheduler) open(ctx context.Context, d *DueJob, now time.Time) (bool, error) {
	var op Opening
	err := recovery.Do(func() (err error) {
		op, err = opening(d, now, s.since)
		return err
	})
	if err != nil {
		s.log.Warn("a job's schedule cannot be read; it is paused", "job_id", d.Job.ID, "err", err)
		op.State = Paused
	}
	return s.ledger.OpenSlots(ctx, d.Owner, op)
}

// leave gives back a permit and polls for more work.
func (s *Scheduler) leave(permits *claim.Permits, o owner.Owner) {
	permits.Leave(o.ID())
	s.Poke()
}

// claimRun claims a slot under a permit already taken, and fires it in the background.
func (s *Scheduler) claimRun(ctx context.Context, d DueFire, now time.Time) (bool, error) {
	r, ok, err := s.ledger.ClaimFire(ctx, d.Owner, Claim{Job: d.Job, DueAt: d.DueAt, At: now, Until: now.Add(lease)})
	if err != nil || !ok {
		s.fires.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(recovery.Func(func() {
		defer s.leave(s.fires, d.Owner)
		s.fire(ctx, d.Owner, &r)
	}, recovery.Logged(ctx, s.log, "the fire of a job", "job_id", r.Job)))
	return true, nil
}

// claimDelivery claims a delivery under a permit already taken, and sends it in the
// background.
func (s *Scheduler) claimDelivery(ctx context.Context, d DueDelivery, now time.Time) (bool, error) {
	got, ok, err := s.ledger.ClaimDelivery(ctx, d.Owner, d.ID, now, now.Add(deliveryLease))
	if err != nil || !ok {
		s.deliveries.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(recovery.Func(func() {
		defer s.leave(s.deliveries, d.Owner)
		s.deliver(ctx, d.Owner, &got)
	}, recovery.Logged(ctx, s.log, "a delivery", "event_id", got.ID)))
	return true, nil
}
