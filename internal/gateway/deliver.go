package gateway

import (
	"context"
	"fmt"
	"time"
)

// deliver sends the messages of a chat, in their order and one at a time, until none is left
// that can be sent now. Between them it shows the answer that is being written.
func (g *Gateway) deliver(ctx context.Context, l *lane) error {
	bot := g.botOf(l.place)
	if bot == nil {
		return nil
	}
	for ctx.Err() == nil {
		list, err := g.toSend(ctx, l)
		if err != nil {
			return fmt.Errorf("read messages: %w", err)
		}
		g.parked.note(bot, l, list) // before it is asked whether the person has written
		wake, err := g.deliverOne(ctx, bot, l, list)
		if err != nil {
			return err
		}
		if wake.IsZero() || g.lastSent(l, list) {
			g.drafts.forget(l.owner, l.place)
			return nil
		}
		if wake.After(g.now()) {
			l.bell.Sleep(ctx, wake)
		}
	}
	return nil
}

// allSends are all messages that are to be sent in a chat.
type allSends struct {
	list []Send
	// moves is how often a chat had got another id before they were stored.
	moves int
}

// toSend are the messages of a chat that are not over. The store is not asked for those that were just stored,
// and are all.
func (g *Gateway) toSend(ctx context.Context, l *lane) ([]Send, error) {
	if known, _ := g.lanes.known(l).(allSends); len(known.list) > 0 && known.moves == g.drafts.moved() {
		return known.list, nil
	}
	return g.store.Sends(ctx, l.owner, l.place, maxOpen)
}

// lastSent reports whether the one message that was to be sent is over, and nothing was asked for
// since. More than one are read again after each: what waits may have been forgotten meanwhile.
func (g *Gateway) lastSent(l *lane, list []Send) bool {
	alone := len(list) == 1 && (list[0].State == Sent || list[0].State == GaveUp)
	return alone && g.drafts.of(l.owner, l.place) == nil && !g.lanes.askedAgain(l)
}

// deliverOne is deliverNext, of which the marks of the chat know: a request may have to wait for what the platform answers to
// this one.
func (g *Gateway) deliverOne(ctx context.Context, bot *Bot, l *lane, list []Send) (time.Time, error) {
	defer g.busy.begin(whole(l.place))()
	return g.deliverNext(ctx, bot, l, list)
}

// deliverNext sends the first message that is not over, or shows the answer that is being
// written. It returns when to look again; the zero time if there is nothing left to do.
func (g *Gateway) deliverNext(ctx context.Context, bot *Bot, l *lane, list []Send) (time.Time, error) {
	for i := range list {
		s := &list[i]
		if s.asked() && g.closed(ctx, l, s) { // only a message of the person opens the chat again
			if err := g.waits(ctx, l, s); err != nil { // a crash came between asking and its outcome
				return time.Time{}, err
			}
			continue
		}
		now := g.moment()
		if due := g.due(bot, s); due.After(now) {
			return due, nil
		}
		if g.shown(bot, l, s) { // nothing is sent
			s.State, s.Error = Sent, ""
			return now, g.mark(ctx, l, s)
		}
		limits := bot.Adapter.Limits()
		if next := g.pace.turn(paced{s.Place, s.Type, s.State == ToEdit}, &limits); !next.IsZero() {
			return next, nil
		}
		if s.State == Parked && s.WakeAt.IsZero() {
			return now, g.ask(ctx, bot, l, s, list[:i])
		}
		return now, g.attempt(ctx, bot, l, s)
	}
	return g.showDraft(ctx, bot, l)
}

// closed reports whether a parked message must go on waiting.
func (g *Gateway) closed(ctx context.Context, l *lane, s *Send) bool {
	chat, err := g.store.Chat(ctx, l.owner, l.place)
	return err != nil || !chat.Active.After(s.WakeAt)
}
