package gateway

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ask asks a person to write, because the platform takes only an answer now. It is done once
// for all messages that wait: the ones before are in the list. That the person was asked is
// stored first: after a crash nobody is asked twice. What came of asking is stored behind it.
func (g *Gateway) ask(ctx context.Context, bot *Bot, l *lane, s *Send, before []Send) error {
	s.WakeAt, s.SentAt = g.moment(), time.Time{}
	if err := g.mark(ctx, l, s); err != nil {
		return err
	}
	opener, ok := bot.Adapter.(Opener)
	if !ok || slices.ContainsFunc(before, func(b Send) bool { return b.asked() }) {
		return g.waits(ctx, l, s)
	}
	timed, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return g.notAsked(ctx, l, s, opener.Open(timed, s.Place))
}

// asked reports whether a message waits for a person who was asked to write.
func (s *Send) asked() bool { return s.State == Parked && !s.WakeAt.IsZero() }

// waits stores that a message waits for the person, and that no request to ask is under way.
func (g *Gateway) waits(ctx context.Context, l *lane, s *Send) error {
	if !s.SentAt.IsZero() {
		return nil
	}
	s.SentAt = g.moment()
	return g.mark(ctx, l, s)
}

// notAsked decides what becomes of a message if the person could not be asked to write.
func (g *Gateway) notAsked(ctx context.Context, l *lane, s *Send, err error) error {
	failed, ok := errors.AsType[*SendError](err)
	if !ok || failed.Reason == Unknown {
		return g.waits(ctx, l, s) // the person was asked, or was perhaps
	}
	s.State, s.Error, s.Attempts = GaveUp, failed.Text, s.Attempts+1
	if failed.Reason == Limited || failed.Reason == Temporary {
		g.rest(ctx, s.Place, failed, max(failed.After, backoff(s.Attempts)))
		s.State, s.WakeAt = Parked, time.Time{}
	}
	g.log.Info("a person was not asked to write", "platform", s.Place.Platform, "state", s.State, "err", err)
	return g.mark(ctx, l, s)
}
