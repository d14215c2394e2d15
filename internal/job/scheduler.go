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
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// How fires and deliveries are carried out.
const (
	maxFires    = 32 // at once, in this process; as many deliveries
	ownersFires = 16 // of them, an owner's
	lease       = 30 * time.Second
	maxAttempts = 3 // that failed
	// again is when a look at the ledger that failed is followed by the next.
	again = time.Minute
)

// Scheduler fires jobs when they are due, and delivers what they said.
type Scheduler struct {
	ledger  Ledger
	store   Store
	runner  *run.Runner
	targets Targets
	now     func() time.Time
	grace   time.Duration
	log     *slog.Logger
	// observer is nil if nobody watches.
	observer Observer

	bell       *claim.Bell // something may be due, or has ended
	fires      *claim.Places
	deliveries *claim.Places
	backlog    backlog // of the one goroutine that begins
	working    sync.WaitGroup
}

// SchedulerParts are what a Scheduler is made of.
type SchedulerParts struct {
	Ledger  Ledger
	Store   Store
	Runner  *run.Runner
	Targets Targets
	Now     func() time.Time
	// Grace is how long a stop waits for fires under way.
	Grace time.Duration
	// Observer is told what is done; nil tells nobody.
	Observer Observer
	Log      *slog.Logger
}

// NewScheduler returns a Scheduler. Nothing is fired before Run or Pass.
func NewScheduler(p SchedulerParts) *Scheduler {
	return &Scheduler{
		ledger: p.Ledger, store: p.Store, runner: p.Runner, targets: p.Targets, now: p.Now, grace: p.Grace, log: p.Log, observer: p.Observer,
		bell: claim.NewBell(p.Now), fires: claim.NewPlaces(maxFires, ownersFires), deliveries: claim.NewPlaces(maxFires, ownersFires),
	}
}

// Poke makes the scheduler look whether something is due.
func (s *Scheduler) Poke() { s.bell.Ring() }

// Run fires what is due until ctx ends, then waits for what is under way. What
// outlasts the grace is cut off, and taken up at the next start.
func (s *Scheduler) Run(ctx context.Context) error {
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	for ctx.Err() == nil {
		_, next, err := s.begin(work)
		if err != nil {
			s.log.Warn("the scheduler could not look at its ledger", "err", err)
			next = s.now().Add(again)
		}
		s.bell.Sleep(ctx, next)
	}
	grace := time.AfterFunc(s.grace, cut)
	defer grace.Stop()
	s.working.Wait()
	return nil
}

// Pass does everything that is due now, and returns when it is done. It is for
// servers that do not Run, and for clocks that are set.
func (s *Scheduler) Pass(ctx context.Context) error {
	for {
		begun, _, err := s.begin(ctx)
		s.working.Wait()
		if err != nil || !begun {
			return err
		}
	}
}

// begin begins what is due, as far as there is room. It returns when there is
// more: what there was no room for is tried when something has ended.
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
		s.backlog = backlog{runs: a.Runs, deliveries: a.Deliveries, until: now.Add(soon)}
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

// backlog is what a look at the ledger has found and there is no room for yet.
// While there is some, the ledger is looked at rarely: reading it costs the more
// the longer the queue is, and each end of a fire makes room for one.
type backlog struct {
	runs       []DueRun
	deliveries []DueDelivery
	until      time.Time // the next look
}

// soon is how often the ledger is looked at while there is a backlog.
const soon = 100 * time.Millisecond

func (b *backlog) crowded() bool { return len(b.runs)+len(b.deliveries) > 0 }

// serve takes what there is room for out of the backlog, and reports whether it
// has begun anything, or something was begun before.
func (s *Scheduler) serve(ctx context.Context, now time.Time, begun bool) (bool, error) {
	var errs []error
	note := func(ok bool, err error) {
		begun = begun || ok
		errs = append(errs, err)
	}
	s.backlog.runs = slices.DeleteFunc(s.backlog.runs, func(d DueRun) bool {
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

// openAll opens the slots of jobs side by side, so that they share the commits.
func (s *Scheduler) openAll(ctx context.Context, jobs []DueJob, now time.Time) (bool, error) {
	var opened atomic.Bool
	var g errgroup.Group
	g.SetLimit(maxFires)
	for i := range jobs {
		g.Go(func() error {
			ok, err := s.open(ctx, &jobs[i], now)
			if ok {
				opened.Store(true)
			}
			return err
		})
	}
	err := g.Wait()
	return opened.Load(), err
}

// open writes the due times of a job that have come into the ledger. A job whose
// schedule cannot be read any more is stopped.
func (s *Scheduler) open(ctx context.Context, d *DueJob, now time.Time) (bool, error) {
	op, err := opening(d, now)
	if err != nil {
		s.log.Warn("a job's schedule cannot be read; it is paused", "job_id", d.Job.ID, "err", err)
		op.State = Paused
	}
	return s.ledger.OpenSlots(ctx, d.Owner, op)
}

// leave gives back a place after work, and looks for more.
func (s *Scheduler) leave(places *claim.Places, o owner.Owner) {
	places.Leave(o.ID())
	s.Poke()
}

// claimRun takes a slot, in a place that is taken, and fires it beside what else is going on.
func (s *Scheduler) claimRun(ctx context.Context, d DueRun, now time.Time) (bool, error) {
	r, ok, err := s.ledger.ClaimRun(ctx, d.Owner, Claim{Job: d.Job, DueAt: d.DueAt, At: now, Until: now.Add(lease)})
	if err != nil || !ok {
		s.fires.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(func() {
		defer s.leave(s.fires, d.Owner)
		s.fire(ctx, d.Owner, &r)
	})
	return true, nil
}

// claimDelivery takes a delivery, in a place that is taken, and makes it beside what else is going on.
func (s *Scheduler) claimDelivery(ctx context.Context, d DueDelivery, now time.Time) (bool, error) {
	got, ok, err := s.ledger.ClaimDelivery(ctx, d.Owner, d.ID, now, now.Add(deliveryLease))
	if err != nil || !ok {
		s.deliveries.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(func() {
		defer s.leave(s.deliveries, d.Owner)
		s.deliver(ctx, d.Owner, &got)
	})
	return true, nil
}
