package study

import (
	"context"
	"errors"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// later says that work remains to be done from a time on.
type later struct {
	until time.Time
	// cause is why an attempt failed; nil if the work only waits for its time.
	cause error
}

func (l *later) Error() string {
	if l.cause != nil {
		return l.cause.Error()
	}
	return "it waits until " + l.until.Format(time.RFC3339)
}

func (l *later) Unwrap() error { return l.cause }

// begin claims due work and starts it, as far as there are permits, and returns when to
// poll next. The rest is taken when a task ends.
func (s *Study) begin(ctx context.Context) (begun bool, next time.Time) {
	const look = 16
	for ctx.Err() == nil {
		now := s.moment()
		kinds, allowed := s.allowed(now)
		if len(kinds) == 0 {
			return begun, allowed
		}
		due, next, err := s.Queue.DueWork(ctx, now, kinds, look)
		if err != nil {
			s.complain(ctx, "look for work", err)
			return begun, now.Add(again)
		}
		next = claim.Earlier(next, allowed)
		more := false
		for i := range due {
			ok, err := s.take(ctx, &due[i], now)
			if err != nil {
				s.complain(ctx, "claim work", err)
				return begun, now.Add(again)
			}
			more = more || ok
		}
		if begun = begun || more; !more {
			return begun, next
		}
	}
	return begun, time.Time{}
}

// allowed returns the kinds whose models may be called now, and when another may.
func (s *Study) allowed(now time.Time) (kinds []curate.Work, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range s.kinds() {
		until := s.chat.until
		if kind == curate.Vectors {
			until = s.embed.until
		}
		if s.paced.After(until) {
			until = s.paced
		}
		switch {
		case !now.Before(until):
			kinds = append(kinds, kind)
		case next.IsZero() || until.Before(next):
			next = until
		}
	}
	return kinds, next
}

// take claims an item and starts it in the background.
func (s *Study) take(ctx context.Context, d *Due, now time.Time) (bool, error) {
	if !s.permits.Take(d.Owner.ID()) {
		return false, nil
	}
	it, ok, err := s.Queue.ClaimWork(ctx, d.Owner, Claim{Root: d.Root, Kind: d.Kind, At: now, Until: now.Add(lease)})
	if err != nil || !ok {
		s.permits.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(recovery.Func(func() {
		defer s.bell.Ring()
		defer s.permits.Leave(d.Owner.ID())
		s.carry(ctx, d.Owner, &it)
	}, recovery.Logged(ctx, s.Log, "a study")))
	return true, nil
}

// carry does the work of a claimed item and settles it.
func (s *Study) carry(ctx context.Context, o owner.Owner, it *Item) {
	held, stop := claim.Hold(ctx, lease, func(ctx context.Context) (bool, error) {
		return s.Queue.RenewWork(ctx, o, it, s.moment().Add(lease))
	}, recovery.Logged(ctx, s.Log, "the lease of a study"))
	err := recovery.Do(func() error { return s.do(held, o, it) })
	recovery.Log(ctx, s.Log, "a study", err)
	stop()
	it.UpdatedAt = s.moment()
	done := err == nil || fault.KindOf(err) == fault.NotFound // it may have been erased meanwhile
	l, waits := errors.AsType[*later](err)
	switch {
	case done:
	case ctx.Err() != nil: // shutdown: the next server continues it
		it.WakeAt, it.Attempts = it.UpdatedAt, it.Attempts-1
	case waits && l.cause == nil:
		it.WakeAt, it.Attempts = l.until, it.Attempts-1
		if it.Error == "" {
			it.Attempts = 0
		}
	case waits:
		it.WakeAt, it.Error = l.until, fault.MessageOf(l.cause)
	default:
		s.complain(ctx, "study a lineage", err)
		it.WakeAt, it.Error = it.UpdatedAt.Add(claim.Backoff(it.Attempts, firstRest, longestRest)), fault.MessageOf(err)
	}
	if _, err := s.Queue.SettleWork(context.WithoutCancel(ctx), o, it, done); err != nil {
		s.complain(ctx, "settle work", err)
	}
}

// do does an item.
func (s *Study) do(ctx context.Context, o owner.Owner, it *Item) error {
	task := curate.Task{Root: it.Root, Kind: it.Kind, Fence: it.Fence}
	if it.Kind == curate.Vectors {
		return s.vectors(ctx, o, task)
	}
	var waits *later
	for _, part := range []func(context.Context, owner.Owner, curate.Task) error{s.summary, s.title} {
		err := part(ctx, o, task)
		l, ok := errors.AsType[*later](err)
		switch {
		case err == nil:
		case !ok:
			return err
		case waits == nil, waits.cause == nil && (l.cause != nil || l.until.Before(waits.until)):
			waits = l
		}
	}
	if waits != nil {
		return waits
	}
	return nil
}
