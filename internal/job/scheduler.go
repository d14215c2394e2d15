package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/run"
)

// How fires and deliveries are carried out.
const (
	maxFires      = 16 // at once, in this process
	maxDeliveries = 16
	lease         = 30 * time.Second
	maxAttempts   = 3
	// longestSleep is how long the scheduler relies on a timer: those stand still
	// while a machine sleeps, and its clock does not.
	longestSleep = time.Minute
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

	poke    chan struct{} // something may be due, or has ended
	working sync.WaitGroup

	mu         sync.Mutex
	fires      int
	deliveries int
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
	Log   *slog.Logger
}

// NewScheduler returns a Scheduler. Nothing is fired before Run or Pass.
func NewScheduler(p SchedulerParts) *Scheduler {
	return &Scheduler{
		ledger: p.Ledger, store: p.Store, runner: p.Runner, targets: p.Targets, now: p.Now, grace: p.Grace, log: p.Log,
		poke: make(chan struct{}, 1),
	}
}

// Poke makes the scheduler look whether something is due.
func (s *Scheduler) Poke() {
	select {
	case s.poke <- struct{}{}:
	default: // it will look anyway
	}
}

// Run fires what is due until ctx ends, then waits for what is under way. What
// outlasts the grace is cut off, and taken up at the next start.
func (s *Scheduler) Run(ctx context.Context) error {
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	for ctx.Err() == nil {
		_, next, err := s.begin(work)
		if err != nil {
			s.log.Warn("the scheduler could not look at its ledger", "err", err)
			next = s.now().Add(longestSleep)
		}
		s.sleep(ctx, next)
	}
	grace := time.AfterFunc(s.grace, cut)
	defer grace.Stop()
	s.working.Wait()
	return nil
}

// sleep waits until a moment, a poke, or the end. The zero moment never comes.
func (s *Scheduler) sleep(ctx context.Context, until time.Time) {
	for {
		wait := longestSleep
		if !until.IsZero() {
			wait = min(wait, max(0, until.Sub(s.now())))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-s.poke:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if !until.IsZero() && !s.now().Before(until) {
			return
		}
	}
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
// more: what there was no room for is looked at when something has ended.
func (s *Scheduler) begin(ctx context.Context) (begun bool, next time.Time, err error) {
	const look = 64
	for {
		now := moment(s.now)
		a, err := s.ledger.Agenda(ctx, now, look)
		if err != nil {
			return begun, time.Time{}, err
		}
		more := false
		for i := range a.Jobs {
			ok, openErr := s.open(ctx, &a.Jobs[i], now)
			more, err = more || ok, errors.Join(err, openErr)
		}
		for _, d := range a.Runs {
			ok, claimErr := s.claimRun(ctx, d, now)
			more, err = more || ok, errors.Join(err, claimErr)
		}
		for _, d := range a.Deliveries {
			ok, claimErr := s.claimDelivery(ctx, d, now)
			more, err = more || ok, errors.Join(err, claimErr)
		}
		begun = begun || more
		if !more || err != nil {
			return begun, a.Next, err
		}
	}
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

// room takes one of so many places; leave gives it back.
func (s *Scheduler) room(taken *int, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *taken >= most {
		return false
	}
	*taken++
	return true
}

func (s *Scheduler) leave(taken *int) {
	s.mu.Lock()
	*taken--
	s.mu.Unlock()
	s.Poke()
}

// claimRun takes a slot and fires it beside what else is going on.
func (s *Scheduler) claimRun(ctx context.Context, d DueRun, now time.Time) (bool, error) {
	if !s.room(&s.fires, maxFires) {
		return false, nil
	}
	r, ok, err := s.ledger.ClaimRun(ctx, d.Owner, Claim{Job: d.Job, DueAt: d.DueAt, At: now, Until: now.Add(lease)})
	if err != nil || !ok {
		s.leaveQuietly(&s.fires)
		return false, err
	}
	s.working.Go(func() {
		defer s.leave(&s.fires)
		s.fire(ctx, d.Owner, &r)
	})
	return true, nil
}

// leaveQuietly gives back a place nothing was done with.
func (s *Scheduler) leaveQuietly(taken *int) {
	s.mu.Lock()
	*taken--
	s.mu.Unlock()
}

// claimDelivery takes a delivery and makes it beside what else is going on.
func (s *Scheduler) claimDelivery(ctx context.Context, d DueDelivery, now time.Time) (bool, error) {
	if !s.room(&s.deliveries, maxDeliveries) {
		return false, nil
	}
	got, ok, err := s.ledger.ClaimDelivery(ctx, d.Owner, d.ID, now, now.Add(deliveryLease))
	if err != nil || !ok {
		s.leaveQuietly(&s.deliveries)
		return false, err
	}
	s.working.Go(func() {
		defer s.leave(&s.deliveries)
		s.deliver(ctx, d.Owner, &got)
	})
	return true, nil
}
