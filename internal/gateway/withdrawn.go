package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/owner"
)

// A message can be withdrawn as long as its turn has not begun: its author deletes it, or edits it into a command.

// Why a message that was withdrawn has no answer.
const (
	reasonDeleted   = "deleted before it was answered"
	reasonCommanded = "edited into a command"
)

// withdrawn is a message that is not to be answered any more.
type withdrawn struct {
	owner   owner.Owner
	place   Place
	message MessageID
	reason  string
}

// nowCommand makes an edit a command of its own, if the text of a message that waits has become one. It returns the message,
// which is to be withdrawn; none otherwise.
func (g *Gateway) nowCommand(ctx context.Context, a *Admitted) ([]withdrawn, error) {
	said := a.Event
	said.Kind = Said
	if a.State != Waiting || a.Event.Kind != Edited || !isCommand(&said) || said.bare() {
		return nil, nil
	}
	w := withdrawn{a.Owner, said.Place, said.Message, reasonCommanded}
	list, err := g.waitingFor(ctx, &w)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	a.Event.Kind = Said
	return []withdrawn{w}, nil
}

// waitingFor are the events of a message that waits for its turn: the message itself, and its edits. A command is none: it may
// be under way.
func (g *Gateway) waitingFor(ctx context.Context, w *withdrawn) ([]Inbound, error) {
	if w.message == "" {
		return nil, nil
	}
	open, err := g.store.OpenEvents(ctx, w.owner, w.place, maxOpen)
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	list := slices.DeleteFunc(open, func(e Inbound) bool { return !e.withdrawable(w.message) })
	if !slices.ContainsFunc(list, func(e Inbound) bool { return e.Kind == Said }) {
		return nil, nil
	}
	return list, nil
}

// withdrawable reports whether an event belongs to a message, and waits for a turn.
func (e *Inbound) withdrawable(m MessageID) bool {
	return e.Message == m && e.State == Waiting && !isCommand(&e.Event)
}

// withdraw ends a message that waits for its turn. What a turn has taken meanwhile is answered.
func (g *Gateway) withdraw(ctx context.Context, b *Bot, w *withdrawn) error {
	list, err := g.waitingFor(ctx, w)
	if err != nil || len(list) == 0 {
		return err
	}
	s := Settlement{Place: w.place, State: Ignored, Reason: w.reason, At: g.moment()}
	for i := range list {
		s.Events = append(s.Events, list[i].name())
	}
	if _, err := g.store.SettleEvents(ctx, w.owner, s); err != nil {
		return fmt.Errorf("withdraw a message: %w", err)
	}
	g.hourglasses.drop(laneKey{answering, w.owner.ID(), w.place}, w.message)
	if w.reason != reasonDeleted {
		g.signal(ctx, b, w.place, w.message, Clear)
	}
	g.lanes.ask(commanding, w.owner, w.place) // a command may have waited for the message
	return nil
}

// deleted withdraws a message that was deleted. Not every platform says who wrote it, so that a private chat is looked for
// among those of all people.
func (g *Gateway) deleted(ctx context.Context, b *Bot, e *Event) error {
	known, err := g.known(ctx, b)
	if err != nil {
		return err
	}
	owners := []owner.Owner{b.Owner}
	for i := range known {
		o := known[i].data(b)
		if e.Type == DM && !slices.ContainsFunc(owners, func(other owner.Owner) bool { return other.ID() == o.ID() }) {
			owners = append(owners, o)
		}
	}
	for _, o := range owners {
		if err := g.withdraw(ctx, b, &withdrawn{o, e.Place, e.Message, reasonDeleted}); err != nil {
			return err
		}
	}
	return nil
}
