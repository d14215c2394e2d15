package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
)

// A message can be forgotten before it is answered. The store keeps its event without the words. The person who wrote
// the message is told so in one line, which does not repeat the words, and the event is over.

const (
	// textErased answers a message that was forgotten.
	textErased = "This message was erased before it was answered, because somebody had me forget what it names."
	// reasonErased is why such an event has no other answer.
	reasonErased = "erased before it was answered"
	// originErased begins the origin of the line if the turn of the message answers others, too.
	originErased = "erased "
)

// openWhole are the open events of a chat, once the messages that were forgotten while they waited are ended. Commands
// have a lane of their own.
func (g *Gateway) openWhole(ctx context.Context, bot *Bot, l *lane) ([]Inbound, error) {
	open, err := g.open(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	list := erasedIn(open)
	if len(list) == 0 {
		return open, nil
	}
	chat, err := g.store.Chat(ctx, l.owner, l.place)
	if err != nil {
		return nil, fmt.Errorf("read chat: %w", err)
	}
	if err := g.tellErased(ctx, bot, l.owner, &chat, list, ""); err != nil {
		return nil, err
	}
	if open, err = g.store.OpenEvents(ctx, l.owner, l.place, maxOpen); err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return open, nil
}

// erasedIn are the erased messages among open events that wait. A message whose newest text is erased is one of them.
// The edit of a message that does not wait any more is none.
func erasedIn(open []Inbound) [][]Inbound {
	var out [][]Inbound
	for i := range open {
		e := &open[i]
		if e.State != Waiting || e.Kind == Edited || isCommand(&e.Event) {
			continue
		}
		all, erased := []Inbound{*e}, e.Erased
		for k := range open {
			if edit := &open[k]; edit.edits(e) {
				all, erased = append(all, *edit), erased || edit.Erased
			}
		}
		if erased {
			out = append(out, all)
		}
	}
	return out
}

// edits reports whether an event is a waiting edit of a message.
func (e *Inbound) edits(of *Inbound) bool {
	return e.Kind == Edited && e.State == Waiting && e.Message == of.Message
}

// tellErased ends erased messages, each with its edits, and tells the people who wrote them. prefix begins the origins of
// the lines.
func (g *Gateway) tellErased(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, list [][]Inbound, prefix string) error {
	defer g.deliverSoon(bot, o, chat.Place, allSends{})
	for _, all := range list {
		e := &all[0]
		run := runID(o, &e.Event)
		s := Settlement{Place: chat.Place, State: Answered, Reason: reasonErased, At: g.moment()}
		for i := range all {
			s.Events = append(s.Events, all[i].name())
		}
		m := &message{origin: prefix + run, text: textErased, interaction: e.Interaction, replyTo: e.replyTo(chat.Type)}
		var err error
		if s.Sends, err = g.compose(ctx, bot, o, chat, m); err != nil {
			return err
		}
		if _, err := g.store.SettleEvents(ctx, o, s); err != nil {
			return fmt.Errorf("end an erased message: %w", err)
		}
		g.hourglasses.drop(laneKey{answering, o.ID(), chat.Place}, e.Message)
		g.signal(ctx, bot, chat.Place, e.Message, Clear)
		over := outcomeOf(chat, e.Run, &s)
		g.answered(run, &over)
	}
	return nil
}

// erased reports whether a message of the batch was erased.
func (b *batch) erased() bool {
	return slices.ContainsFunc(b.events, func(e Inbound) bool { return e.Erased })
}

// answerErased ends the erased messages of a batch whose turn has not begun. The turn answers the others.
func (g *Gateway) answerErased(ctx context.Context, bot *Bot, l *lane, chat *Chat, b *batch) error {
	prefix, list := "", b.takeErased()
	if len(b.events) > 0 {
		prefix = originErased
	}
	g.lanes.ask(answering, l.owner, chat.Place) // the lane reads the others again
	return g.tellErased(ctx, bot, l.owner, chat, list, prefix)
}

// takeErased takes the erased messages out of a batch, each with its edits.
func (b *batch) takeErased() [][]Inbound {
	var list [][]Inbound
	var whole, edits []Inbound
	for i := range b.events {
		e := &b.events[i]
		if !e.Erased {
			whole = append(whole, *e)
			continue
		}
		others := slices.DeleteFunc(slices.Clone(b.edits), func(edit Inbound) bool { return edit.Message != e.Message })
		list = append(list, slices.Concat([]Inbound{*e}, others))
	}
	for i := range b.edits {
		if of := b.edits[i].Message; slices.ContainsFunc(whole, func(e Inbound) bool { return e.Message == of }) {
			edits = append(edits, b.edits[i])
		}
	}
	b.events, b.edits, b.received = whole, edits, nil
	return list
}

// cutOff ends a batch whose turn was erased while it was under way. Messages that were not erased, and that the turn has
// not stored yet, get another turn.
func (g *Gateway) cutOff(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, b *batch) error {
	if err := g.lookForErased(ctx, o, b); err != nil {
		return err
	}
	if b.erased() && slices.ContainsFunc(b.events, func(e Inbound) bool { return !e.Erased }) {
		if err := g.tellErased(ctx, bot, o, chat, b.takeErased(), originErased); err != nil {
			return err
		}
		if !b.accepted {
			g.lanes.ask(answering, o, chat.Place)
			return nil
		}
	}
	_, err := g.settleErased(ctx, bot, o, chat, b, &live.Run{ID: b.run, State: live.Cancelled})
	return err
}

// erasedMeanwhile looks whether messages of a batch were erased since the batch was read. Fetching files takes long.
func (g *Gateway) erasedMeanwhile(ctx context.Context, l *lane, b *batch) error {
	if !slices.ContainsFunc(b.events, func(e Inbound) bool { return len(e.Files) > 0 }) {
		return nil
	}
	return g.lookForErased(ctx, l.owner, b)
}

// lookForErased reads again which messages of a batch are erased.
func (g *Gateway) lookForErased(ctx context.Context, o owner.Owner, b *batch) error {
	for i := range b.events {
		e := &b.events[i]
		now, err := g.store.ChatEvent(ctx, o, e.name())
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return fmt.Errorf("read an event again: %w", err)
		}
		e.Erased = e.Erased || now.Erased
	}
	return nil
}
