package study

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// later says that something is left to be done from a time on.
type later struct {
	until time.Time
	// cause is why an attempt failed; nil if none was made, or it needs rest.
	cause error
}

func (l *later) Error() string {
	if l.cause != nil {
		return l.cause.Error()
	}
	return "it waits until " + l.until.Format(time.RFC3339)
}

func (l *later) Unwrap() error { return l.cause }

// begin claims what is due and begins it, as far as there is room. It returns
// when there is more: what there was no room for is looked at when something has
// ended.
func (s *Study) begin(ctx context.Context) (begun bool, next time.Time) {
	const look = 16
	for ctx.Err() == nil {
		now := s.moment()
		kinds, allowed := s.allowed(now)
		if len(kinds) == 0 {
			return begun, allowed
		}
		due, next, err := s.Ledger.DueWork(ctx, now, kinds, look)
		if err != nil {
			s.complain(ctx, "look for work", err)
			return begun, now.Add(again)
		}
		if next.IsZero() || !allowed.IsZero() && allowed.Before(next) {
			next = allowed
		}
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

// allowed are the kinds whose models may be asked now, and when another may.
func (s *Study) allowed(now time.Time) (kinds []run.Work, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range s.kinds() {
		until := s.chat.until
		if kind == run.Vectors {
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

// take claims an item and begins it beside what else is going on.
func (s *Study) take(ctx context.Context, d *Due, now time.Time) (bool, error) {
	if !s.places.Take(d.Owner.ID()) {
		return false, nil
	}
	it, ok, err := s.Ledger.ClaimWork(ctx, d.Owner, Claim{Root: d.Root, Kind: d.Kind, At: now, Until: now.Add(lease)})
	if err != nil || !ok {
		s.places.Leave(d.Owner.ID())
		return false, err
	}
	s.working.Go(func() {
		defer s.bell.Ring()
		defer s.places.Leave(d.Owner.ID())
		s.carry(ctx, d.Owner, &it)
	})
	return true, nil
}

// carry does the work of a claimed item and settles it.
func (s *Study) carry(ctx context.Context, o owner.Owner, it *Item) {
	held, stop := claim.Hold(ctx, lease, func(ctx context.Context) (bool, error) {
		return s.Ledger.RenewWork(ctx, o, it, s.moment().Add(lease))
	})
	err := s.do(held, o, it)
	stop()
	it.UpdatedAt = s.moment()
	done := err == nil || fault.KindOf(err) == fault.NotFound // it may have been erased meanwhile
	l, waits := errors.AsType[*later](err)
	switch {
	case done:
	case ctx.Err() != nil: // the server stops: the next one goes on
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
		it.WakeAt, it.Error = it.UpdatedAt.Add(min(longestRest, firstRest<<min(it.Attempts-1, 12))), fault.MessageOf(err)
	}
	if _, err := s.Ledger.SettleWork(context.WithoutCancel(ctx), o, it, done); err != nil {
		s.complain(ctx, "settle work", err)
	}
}

// do does an item. What panics there must not take the server with it.
func (s *Study) do(ctx context.Context, o owner.Owner, it *Item) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	task := run.Task{Root: it.Root, Kind: it.Kind, Fence: it.Fence}
	if it.Kind == run.Vectors {
		return s.vectors(ctx, o, task)
	}
	var waits *later
	for _, part := range []func(context.Context, owner.Owner, run.Task) error{s.summary, s.facts, s.title} {
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
