package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/owner"
)

// keepState stores the state of a message. What is given up is explained where people look for it: at
// the event that it answers, and in the chat.
func (g *Gateway) keepState(ctx context.Context, o owner.Owner, s *Send) error {
	if s.State == GaveUp { // before the state, because a message that is given up is never looked at again
		if err := g.loseCommand(ctx, o, s); err != nil {
			return err
		}
	}
	if err := g.store.MarkSend(ctx, o, s); err != nil {
		return fmt.Errorf("store the state of a message: %w", err)
	}
	g.delivered.note(s)
	if s.State == GaveUp {
		g.showLost(ctx, o, s)
	}
	return nil
}

// undelivered makes a settlement say that a part of the answer was given up before the turn ended.
func (s *Settlement) undelivered() {
	for i := range s.Sends {
		if s.State == Answered && s.Sends[i].State == GaveUp {
			s.State, s.Reason = Lost, s.Sends[i].Error
		}
	}
}

// mostCommands is how many of the newest commands are searched for the one that a message answers.
const mostCommands = 200

// loseCommand stores the reason at a command whose answer is given up, and marks its message. The
// command stays Commanded, since what it asks for was done.
func (g *Gateway) loseCommand(ctx context.Context, o owner.Owner, s *Send) error {
	list, err := g.store.ChatEvents(ctx, o, EventFilter{Platform: s.Place.Platform, State: Commanded, Limit: mostCommands})
	if err != nil {
		return fmt.Errorf("find the command of a message: %w", err)
	}
	i := slices.IndexFunc(list, func(e Inbound) bool { return runID(o, &e.Event) == s.Origin })
	if i < 0 {
		return nil // the message answers a turn, or a job sent it
	}
	e := &list[i]
	_, err = g.store.SettleEvents(ctx, o, Settlement{
		Place: e.Place, Events: []EventName{e.name()}, State: Commanded, Reason: s.Error, At: e.ReceivedAt,
	})
	if err != nil {
		return fmt.Errorf("store why the answer to a command was not sent: %w", err)
	}
	if bot := g.botOf(s.Place); bot != nil {
		g.signal(ctx, bot, s.Place, e.Message, Broke)
	}
	return nil
}

// showLost marks the message whose answer was given up. The store says so of the event.
func (g *Gateway) showLost(ctx context.Context, o owner.Owner, s *Send) {
	bot := g.botOf(s.Place)
	if bot == nil {
		return
	}
	list, err := g.store.ChatEvents(ctx, o, EventFilter{Platform: s.Place.Platform, Run: s.Origin, Limit: mostEvents})
	if err != nil {
		g.log.Warn("it could not be shown that an answer was not sent", "platform", s.Place.Platform, "err", err)
		return
	}
	for i := range list { // the newest first
		if list[i].Kind != Edited {
			g.signal(ctx, bot, s.Place, list[i].Message, Broke)
			return
		}
	}
}
