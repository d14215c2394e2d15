package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxOpen is how many open events of a chat are looked at together.
const maxOpen = 200

// converse takes the turns of a chat, one after the other, until no event waits.
func (g *Gateway) converse(ctx context.Context, l *lane) error {
	bot := g.botOf(l.place)
	if bot == nil {
		return nil
	}
	for ctx.Err() == nil {
		open, err := g.openWhole(ctx, bot, l)
		if err != nil {
			return err
		}
		if withCommand(open) {
			g.lanes.ask(commanding, l.owner, l.place) // a command may have waited for the turn before
		}
		b := nextBatch(open)
		b.alone = len(open) == b.size()
		if err := g.tooLate(ctx, l, b.late); err != nil {
			return err
		}
		switch {
		case b.run != "":
			err = g.goOn(ctx, bot, l, &b)
		case len(b.events) == 0:
			return nil
		case g.moment().Before(b.ready) && !l.bell.Sleep(ctx, b.ready):
			continue // something came meanwhile
		default:
			var taken bool
			taken, err = g.take(ctx, bot, l, &b)
			if taken && b.alone && !g.left.in(l) {
				return err // what came since asks for the lane again
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open are the open events of a chat. The store is not asked for one that was just stored, and is the only
// one.
func (g *Gateway) open(ctx context.Context, l *lane) ([]Inbound, error) {
	if alone, _ := g.lanes.known(l).(*Inbound); alone != nil {
		return []Inbound{*alone}, nil
	}
	return g.store.OpenEvents(ctx, l.owner, l.place, maxOpen)
}

// withCommand reports whether a command is among some events.
func withCommand(list []Inbound) bool {
	for i := range list {
		if isCommand(&list[i].Event) {
			return true
		}
	}
	return false
}

// tooLate ends edits of messages whose turns have begun.
func (g *Gateway) tooLate(ctx context.Context, l *lane, edits []Inbound) error {
	if len(edits) == 0 {
		return nil
	}
	s := Settlement{Place: l.place, State: Ignored, Reason: "edited too late", At: g.moment()}
	for i := range edits {
		s.Events = append(s.Events, edits[i].name())
	}
	_, err := g.store.SettleEvents(ctx, l.owner, s)
	return err
}

// take gives the events of a batch to a turn, and answers them. What a reset owes is done before.
// It reports false if an event did not wait any more.
func (g *Gateway) take(ctx context.Context, bot *Bot, l *lane, b *batch) (taken bool, err error) {
	b.run = runID(l.owner, &b.events[0].Event)
	chat, err := g.takeCurrent(ctx, l, b)
	if fault.CodeOf(err) == CodeIdle {
		if err := g.resetBefore(ctx, bot, l.owner, l.place); err != nil {
			return false, err
		}
		chat, err = g.takeAfter(ctx, l, b, time.Time{})
	}
	switch {
	case fault.KindOf(err) == fault.Conflict: // a command has ended an event meanwhile
		return false, nil
	case err != nil:
		return false, fmt.Errorf("take events: %w", err)
	}
	b.fresh = true
	return true, g.answer(ctx, bot, l, &chat, b)
}

// takeCurrent takes the events of a batch if no reset of the chat can be due. Most turns are spared a
// look at the chat by that.
func (g *Gateway) takeCurrent(ctx context.Context, l *lane, b *batch) (Chat, error) {
	if g.resetting(l.owner, l.place) {
		return Chat{}, fault.New(fault.Conflict, CodeIdle, "The session of the chat is being reset.")
	}
	policy := g.settings.Resets.of(&Chat{Place: l.place, Type: b.events[0].Type})
	return g.takeAfter(ctx, l, b, policy.current(g.moment()))
}

// takeAfter takes the events of a batch if the chat was active after a time.
func (g *Gateway) takeAfter(ctx context.Context, l *lane, b *batch, active time.Time) (Chat, error) {
	now := g.moment()
	b.moves = g.drafts.moved()
	return g.store.TakeEvents(ctx, l.owner, Taking{
		Place: l.place, Events: b.names(), Run: b.run, Session: session.NewID(now), At: now, ActiveAfter: active,
	})
}

// goOn answers events that were taken before, perhaps by an earlier server. Their turn may have
// begun, and may be over.
func (g *Gateway) goOn(ctx context.Context, bot *Bot, l *lane, b *batch) error {
	b.moves = g.drafts.moved()
	chat, err := g.store.Chat(ctx, l.owner, l.place)
	if err != nil {
		return fmt.Errorf("read chat: %w", err)
	}
	_, err = g.runs.Run(ctx, callerOf(l.owner), b.run)
	switch {
	case err == nil:
		return g.follow(ctx, bot, l, &chat, b)
	case fault.KindOf(err) == fault.NotFound && b.erased():
		return g.answerErased(ctx, bot, l, &chat, b)
	case fault.KindOf(err) == fault.NotFound:
		return g.answer(ctx, bot, l, &chat, b)
	}
	return fmt.Errorf("find a turn: %w", err)
}

// answer begins the turn of a batch, and follows it to its end.
func (g *Gateway) answer(ctx context.Context, bot *Bot, l *lane, chat *Chat, b *batch) error {
	if err := g.receiveFiles(ctx, bot, l.owner, b); err != nil {
		return err
	}
	if err := g.erasedMeanwhile(ctx, l, b); err != nil {
		return err
	}
	if b.erased() {
		return g.answerErased(ctx, bot, l, chat, b)
	}
	if b.unheard() {
		defer g.deliverSoon(bot, l.owner, chat.Place, allSends{})
		return g.answerUnheard(ctx, bot, l.owner, chat, b)
	}
	err := g.begin(ctx, bot, callerOf(l.owner), chat, b)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Forbidden: // another try would fail, too
		defer g.deliverSoon(bot, l.owner, chat.Place, allSends{})
		_, err := g.settle(ctx, bot, l.owner, chat, b, &live.Run{ID: b.run, State: live.Failed, Failure: failureOf(err)})
		return err
	}
	if err != nil {
		return fmt.Errorf("begin a turn: %w", err)
	}
	if g.left.in(l) {
		g.lanes.ask(commanding, l.owner, l.place) // a command may have waited for the beginning
	}
	return g.follow(ctx, bot, l, chat, b)
}

// callerOf is the caller of the turns of a chat.
func callerOf(o owner.Owner) owner.Owner {
	return owner.Stored(o.ID(), owner.Chat, owner.Memory, owner.SessionsRead)
}

// failureOf is an error as the end of a turn.
func failureOf(err error) *live.Failure {
	return &live.Failure{Kind: fault.KindOf(err), Code: fault.CodeOf(err), Message: fault.MessageOf(err)}
}
