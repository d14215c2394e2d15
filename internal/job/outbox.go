package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// deliveryLease is longer than any attempt to deliver.
const deliveryLease = time.Minute

// deliver sends a claimed delivery and stores the outcome.
func (s *Scheduler) deliver(ctx context.Context, o owner.Owner, d *Delivery) {
	kind, place := d.Target.split()
	e := &Event{ID: d.ID, Type: "job.run.completed", JobName: d.JobName, Run: *d.Run, Secret: d.Secret}
	if d.Run.Status != Completed {
		e.Type = "job.run.failed"
	}
	err := error(fault.New(fault.Invalid, "invalid_deliver", fmt.Sprintf("This server cannot deliver to %q any more.", kind)))
	if target, known := s.targets[kind]; known {
		try, cancel := context.WithTimeout(ctx, deliveryLease/2)
		err = recovery.Do(func() error { return target.Deliver(try, o, place, e) })
		cancel()
		recovery.Log(ctx, s.log, "a delivery", err, "event_id", d.ID)
	}
	if err != nil && ctx.Err() != nil {
		return // shutdown: the next server sends it again when the lease ends
	}
	d.end(err, moment(s.now))
	if s.observer != nil {
		s.observer.Delivery(kind, d.State)
	}
	if _, err := s.ledger.SettleDelivery(context.WithoutCancel(ctx), o, *d); err != nil {
		s.log.Warn("the outcome of a delivery could not be stored; the delivery is retried", "event_id", d.ID, "err", err)
	}
}

// end is what becomes of a delivery behind an attempt.
func (d *Delivery) end(err error, now time.Time) {
	d.State, d.WakeAt, d.Error, d.DeliveredAt = Delivered, time.Time{}, "", now
	if err == nil {
		return
	}
	d.DeliveredAt, d.State, d.Error = time.Time{}, Undelivered, fault.MessageOf(err)
	if fault.CodeOf(err) == CodeAwaited {
		d.State, d.WakeAt = Awaited, now.Add(lookAgain(now.Sub(d.CreatedAt)))
		return
	}
	if wait, again := redeliver(d.Attempts, err); again {
		d.State, d.WakeAt = Pending, now.Add(wait)
	}
}

// lookAgain is how long an output that waits for a person is left alone, by its age. Its target asks for a look before that
// when the person writes; a crash may have come between.
func lookAgain(age time.Duration) time.Duration { return min(max(age/8, time.Minute), 6*time.Hour) }

// LookAgain has the scheduler look again at a delivery that was made, or waits for a person: something has become of it
// since. It does nothing for an id that is no such delivery's.
func (s *Scheduler) LookAgain(ctx context.Context, o owner.Owner, id string) error {
	found, err := s.ledger.ReopenDelivery(ctx, o, id, moment(s.now))
	if found {
		s.bell.Ring()
	}
	return err
}

// redeliver says whether there is another attempt, and the backoff before it: ten
// seconds, then about four times as long each time, for about a day and a half.
func redeliver(attempts int, err error) (time.Duration, bool) {
	waits := []time.Duration{
		10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 10 * time.Hour, 20 * time.Hour,
	}
	if kind := fault.KindOf(err); kind == fault.Invalid || kind == fault.NotFound || attempts > len(waits) {
		return 0, false
	}
	wait := waits[attempts-1]
	if f, ok := errors.AsType[*fault.Error](err); ok {
		wait = max(wait, min(f.RetryAfter, 24*time.Hour))
	}
	return wait, true
}
