package gateway

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// heard handles what a platform tells later of a message that was sent: it arrived, or it was
// not delivered.
func (g *Gateway) heard(ctx context.Context, o owner.Owner, e *Event) error {
	s, err := g.store.FindSend(ctx, o, e.Place, e.Sent, "")
	if fault.KindOf(err) == fault.NotFound {
		return nil // it is older than what is kept
	}
	if err != nil {
		return err
	}
	if s.Message != "" && e.Message != "" && s.Message != e.Message {
		return nil // it is about an earlier try
	}
	changed := false
	if e.Kind == Failed {
		changed, err = s.fail(e, g.moment())
	} else {
		changed = s.arrive(e, g.moment())
	}
	if err != nil || !changed {
		return err
	}
	if err := g.keepState(ctx, o, &s); err != nil {
		return err
	}
	if e.Kind == Failed {
		g.revised(ctx, o, &s)
	}
	g.lanes.ask(sending, o, s.Place)
	return nil
}

// knownToArrive reports whether a message is stored as sent. The end of a try stores it, so that the try is
// waited for.
func (g *Gateway) knownToArrive(ctx context.Context, id string) bool {
	g.tries.wait(ctx, id, tryPatience)
	return g.delivered.has(id)
}

// fail notes that a message was not delivered, and reports whether that changes it. The platform
// has surely not delivered it, so that another try cannot show it twice.
func (s *Send) fail(e *Event, now time.Time) (bool, error) {
	switch s.State {
	case Sending:
		// The try is not over, and would store its end over this one. The platform tells again.
		return false, fault.New(fault.Unavailable, "still_sending", "The message is still being sent.")
	case Parked, GaveUp, ToSend: // another try is to come, or none
		return false, nil
	case Doubtful, ToEdit, Sent:
	}
	s.State, s.Error = GaveUp, e.Reason
	switch {
	case e.Closed:
		s.State, s.WakeAt = Parked, time.Time{}
	case e.Passing && !s.tooLong(now):
		s.State, s.WakeAt = ToSend, now.Add(backoff(s.Attempts))
	}
	return true, nil
}

// arrive notes that a message was taken, and reports whether that changes it.
func (s *Send) arrive(e *Event, now time.Time) bool {
	if s.State != Sending && s.State != Doubtful {
		return false
	}
	s.State, s.Message, s.SentAt = Sent, e.Message, now
	return true
}
