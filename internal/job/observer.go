package job

import (
	"context"
	"time"
)

// Observer is told what the scheduler does. It must not block.
type Observer interface {
	// Fire hears that a slot is fired, how long after its due time. It returns the
	// context to do so with, and whom to tell what became of it.
	Fire(ctx context.Context, late time.Duration) (context.Context, func(Status))
	// Delivery hears what became of an attempt to deliver.
	Delivery(kind string, state DeliveryState)
}

// Load is how much a scheduler does at a moment.
type Load struct{ Fires, Deliveries int }

// Load counts what is under way now.
func (s *Scheduler) Load() Load {
	return Load{Fires: s.fires.Taken(), Deliveries: s.deliveries.Taken()}
}

// observe tells of a fire, if there is somebody to be told.
func (s *Scheduler) observe(ctx context.Context, r *Run) (context.Context, func(Status)) {
	if s.observer == nil {
		return ctx, func(Status) {}
	}
	return s.observer.Fire(ctx, moment(s.now).Sub(r.DueAt))
}
