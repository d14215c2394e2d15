package gateway

import (
	"context"
	"errors"
	"time"
)

const (
	// sendTimeout bounds one request to a platform.
	sendTimeout = 30 * time.Second
	// giveUpAfter is how long a message is tried.
	giveUpAfter = 24 * time.Hour
	// leastTries is how often it is tried all the same. A message that waited for a person has
	// grown old before.
	leastTries = 20
)

// attempt does the next step for one message: it finds out what became of an earlier try,
// sends the message, or brings its text up to date.
func (g *Gateway) attempt(ctx context.Context, bot *Bot, l *lane, s *Send) error {
	if s.State == Parked { // a person has written: a job that waits for it is told what became of its output
		defer func() { g.revised(context.WithoutCancel(ctx), l.owner, s) }()
	}
	switch s.State {
	case ToEdit:
		return g.update(ctx, bot, l, s)
	case Sending, Doubtful:
		if found, err := g.findOut(ctx, bot, l, s); err != nil || found {
			return err
		}
	case ToSend, Parked, Sent, GaveUp:
	}
	if g.unstored.complete(s) {
		return g.markSent(ctx, l, s)
	}
	defer g.tries.begin(s.ID)()
	s.State, s.Attempts, s.WakeAt = Sending, s.Attempts+1, g.moment()
	_, finds := bot.Adapter.(Finder)
	if finds { // a server that finds the message asks what became of it; without an answer it would send it in any case
		if err := g.mark(ctx, l, s); err != nil {
			return err
		}
	}
	out := outOf(bot, s)
	id, err := g.send(ctx, bot, out)
	if ctx.Err() != nil && err != nil {
		return ctx.Err() // the next server finds out, or sends the message again
	}
	if err != nil {
		if now := g.moment(); now.Sub(s.WakeAt) >= sendTimeout {
			g.slow.add(s.ID, now)
		}
		return g.refused(ctx, bot, l, s, err)
	}
	s.State, s.Message, s.SentAt, s.Error = Sent, id, g.moment(), ""
	if finds && s.Attempts > 1 {
		s.State = s.taken(bot) // perhaps the platform has the text of an earlier try
		return g.mark(ctx, l, s)
	}
	if d := g.drafts.of(l.owner, s.Place); d != nil && d.run == s.Origin {
		d.show(s.Part, out.Text, s.SentAt, s.Message)
	}
	return g.markSent(ctx, l, s)
}

// markSent stores that the platform has taken a message. Until it is stored, the message is remembered.
func (g *Gateway) markSent(ctx context.Context, l *lane, s *Send) error {
	if err := g.mark(ctx, l, s); err != nil {
		g.unstored.add(s)
		return err
	}
	g.unstored.remove(s.ID)
	return nil
}

// mark stores the state of a message, although the server may be stopping.
func (g *Gateway) mark(ctx context.Context, l *lane, s *Send) error {
	return g.keepState(context.WithoutCancel(ctx), l.owner, s)
}

// send hands a message to the platform.
func (g *Gateway) send(ctx context.Context, bot *Bot, out *Out) (MessageID, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	var id MessageID
	err := inPlace(out, func() (err error) {
		id, err = bot.Adapter.Send(ctx, out)
		return err
	})
	limits := bot.Adapter.Limits()
	g.pace.over(paced{out.Place, out.Type, false}, &limits)
	return id, err
}

// shown reports whether a message that is to be edited shows its text already. That of a message
// from before this server is not sure: an edit of the server before may have come later.
func (g *Gateway) shown(bot *Bot, l *lane, s *Send) bool {
	if s.State != ToEdit || len(s.Buttons) > 0 || s.File != nil || s.CreatedAt.Before(g.began) {
		return false
	}
	return g.drafts.shows(l.owner, s, outOf(bot, s).Text)
}

// update edits a message that was sent.
func (g *Gateway) update(ctx context.Context, bot *Bot, l *lane, s *Send) error {
	timed, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := edit(timed, bot, s); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isMissing(err) {
			return g.replace(ctx, l, s, err)
		}
		s.Attempts++ // so that the next edit waits longer
		return g.refused(ctx, bot, l, s, err)
	}
	s.State, s.Error = Sent, ""
	return g.mark(ctx, l, s)
}

// tooLong reports whether a message, or its newest text, was tried long enough.
func (s *Send) tooLong(now time.Time) bool {
	tried := s.State == ToEdit || s.Attempts >= leastTries
	return tried && now.Sub(s.CreatedAt) > giveUpAfter
}

// refused decides what becomes of a message that was not sent.
func (g *Gateway) refused(ctx context.Context, bot *Bot, l *lane, s *Send, err error) error {
	var failed *SendError
	if !errors.As(err, &failed) {
		failed = &SendError{Reason: Unknown, Text: "The platform gave no answer.", Err: err}
	}
	again := ToSend
	if s.State == ToEdit {
		again = ToEdit
	}
	now := g.moment()
	s.Error = failed.Text
	switch failed.Reason {
	case Limited:
		g.rest(ctx, s.Place, failed, failed.After)
		s.State, s.WakeAt, s.Attempts = again, now.Add(failed.After), s.Attempts-1
	case Malformed:
		s.State = again
		if s.Plain { // not even the plain text can be read
			s.State = GaveUp
		}
		s.Plain = true
	case Gone, Refused, Missing, NoThread:
		s.State = GaveUp
	case Closed:
		s.State, s.WakeAt = Parked, time.Time{} // the person is asked to write
	case Elsewhere:
		s.State = again
	case Unknown:
		g.perhapsSent(bot, s, again == ToEdit)
	case Temporary:
		s.State, s.WakeAt = again, now.Add(backoff(s.Attempts))
	}
	if s.State != Parked && s.tooLong(now) {
		s.State = GaveUp
	}
	g.log.Info("a message was not sent", "platform", s.Place.Platform, "state", s.State, "err", err)
	return g.settleElsewhere(ctx, l, s, failed)
}
