package gateway

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// errStale is what people are told of a message that stays in doubt.
const errStale = "For a day it could not be found out whether the platform took the message. It is not sent again, because it would perhaps be there twice."

// inFlight is how long the request of a server that is gone may still be under way to the
// platform.
const inFlight = 3 * time.Second

// slowFor is how long a platform is looked at again for a message whose request it did not answer in
// time: it may take the message after that.
const slowFor = time.Minute

// slow are the messages whose requests were not answered in time, by their ids. The next server
// does not know them, and looks once.
type slow struct {
	mu sync.Mutex
	by map[string]looking
}

// looking is the search for a message.
type looking struct {
	until time.Time
	looks int
}

// newSlow returns no messages.
func newSlow() slow { return slow{by: make(map[string]looking)} }

// add notes that the request of a message was not answered in time.
func (w *slow) add(id string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.by, func(_ string, l looking) bool { return l.until.Add(giveUpAfter).Before(now) }) // of messages that were erased
	w.by[id] = looking{until: now.Add(slowFor)}
}

// next is when a message is looked for again that was not found; the zero time if it is to be sent.
func (w *slow) next(id string, now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.by[id]
	if !now.Before(l.until) {
		delete(w.by, id)
		return time.Time{}
	}
	l.looks++
	w.by[id] = l
	return now.Add(backoff(l.looks))
}

// due is when the next step for a message may be done. What an earlier server was doing with the
// message when it ended must be over: a platform is not asked before the message must have
// arrived, and not sent the final text before an edit that would replace it.
func (g *Gateway) due(bot *Bot, s *Send) time.Time {
	_, finds := bot.Adapter.(Finder)
	switch {
	case s.State == Sending && finds:
		return s.WakeAt.Add(inFlight)
	case s.State == ToEdit && s.CreatedAt.Before(g.began):
		if over := g.began.Add(inFlight); over.After(s.WakeAt) {
			return over
		}
	}
	return s.WakeAt
}

// findOut finds out whether a message was sent by a try whose end nobody saw. It reports false
// if the message must be sent now.
func (g *Gateway) findOut(ctx context.Context, bot *Bot, l *lane, s *Send) (bool, error) {
	finder, ok := bot.Adapter.(Finder)
	if !ok {
		return g.silent(ctx, bot, l, s) // the platform cannot be asked: the message is sent again, once the platform answers
	}
	var id MessageID
	var found bool
	out := outOf(bot, s)
	err := inPlace(out, func() (err error) {
		id, found, err = finder.Find(ctx, out)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return true, ctx.Err() // the next server asks
		}
		return true, g.undecided(ctx, l, s, err)
	}
	switch {
	case found:
		s.State, s.Message, s.SentAt, s.Error = s.taken(bot), id, g.moment(), ""
	case g.moment().Sub(s.triedAt()) > giveUpAfter: // the platform shows its newest messages only
		s.State, s.Error = GaveUp, errStale
	default:
		next := g.slow.next(s.ID, g.moment())
		if next.IsZero() {
			return false, nil
		}
		s.State, s.WakeAt = Doubtful, next
	}
	return true, g.mark(ctx, l, s)
}

// taken is the state of a message that a platform has taken in an earlier try. Its text may have
// changed since the try, so it is edited where that is possible.
func (s *Send) taken(bot *Bot) SendState {
	if bot.editEach(s.Type) > 0 && s.File == nil {
		return ToEdit
	}
	return Sent
}

// triedAt is when a message whose end nobody saw was tried last.
func (s *Send) triedAt() time.Time {
	if s.WakeAt.After(s.CreatedAt) {
		return s.WakeAt
	}
	return s.CreatedAt
}

// undecided decides what becomes of a message in doubt if the platform could not be asked. The
// message stays in doubt, and is never sent again before the platform has answered.
func (g *Gateway) undecided(ctx context.Context, l *lane, s *Send, err error) error {
	failed, ok := errors.AsType[*SendError](err)
	if !ok {
		failed = &SendError{Reason: Unknown, Text: "The platform gave no answer."}
	}
	now := g.moment()
	s.State, s.Error, s.Attempts = Doubtful, failed.Text, s.Attempts+1
	s.WakeAt = now.Add(max(failed.After, backoff(s.Attempts)))
	switch failed.Reason {
	case Limited:
		g.rest(ctx, s.Place, failed, failed.After)
	case Gone, Refused, NoThread:
		s.State = GaveUp
	case Temporary, Malformed, Unknown, Closed, Elsewhere, Missing:
	}
	if s.State == Doubtful && s.tooLong(now) {
		s.State, s.Error = GaveUp, errStale
	}
	g.log.Info("it is not known whether a message was sent", "platform", s.Place.Platform, "state", s.State, "err", err)
	return g.settleElsewhere(ctx, l, s, failed)
}
