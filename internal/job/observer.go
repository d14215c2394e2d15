package job

import (
	"context"
	"time"
)

// Observer is told of the scheduler's work. It must not block.
type Observer interface {
	// Fire is called when a slot is fired, with its delay. It returns the context for
	// the fire and a function to report the outcome to.
	Fire(ctx context.Context, late time.Duration) (context.Context, func(Status))
	// Delivery is called with the outcome of an attempt to deliver.
	Delivery(kind string, state DeliveryState)
}

// Load is the number of fires and deliveries under way.
type Load struct{ Fires, Deliveries int }

// Load counts what is under way now.
func (s *Scheduler) Load() Load {
	return Load{Fires: s.fires.Taken(), Deliveries: s.deliveries.Taken()}
}

// observe reports a fire to the observer, if there is one.
func (s *Scheduler) observe(ctx context.Context, r *Fire) (context.Context, func(Status)) {
	if s.observer == nil {
		return ctx, func(Status) {}
	}
	return s.observer.Fire(ctx, moment(s.now).Sub(r.DueAt))
}
