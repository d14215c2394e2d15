package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/audit"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// known are the people of a bot whom the store knows. All may write to a bridge's, and it knows none.
func (g *Gateway) known(ctx context.Context, b *Bot) ([]Person, error) {
	if b.Open {
		return nil, nil
	}
	list, err := g.store.ListPeople(ctx, b.Owner, b.Adapter.Platform())
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	return slices.DeleteFunc(list, func(p Person) bool { return p.Account != b.Account }), nil
}

// personOf is the person of an id; the zero Person for none.
func personOf(list []Person, id string) Person {
	if i := slices.IndexFunc(list, func(p Person) bool { return p.User == id }); i >= 0 {
		return list[i]
	}
	return Person{}
}

// person is what the store knows of a sender. A person who was let in with another id of the
// sender is let in with this one from now on. A remembered id joins the sender's aliases.
func (g *Gateway) person(ctx context.Context, b *Bot, e *Event, known []Person) (Person, error) {
	p := personOf(known, e.From.ID)
	b.recognise(&e.From, &p, known)
	if p.State == Approved {
		return p, nil
	}
	for _, id := range e.From.Aliases {
		if personOf(known, id).State != Approved {
			continue
		}
		moved, err := g.movePerson(ctx, b, id, e.From.ID)
		if err != nil || moved.State == Approved {
			return moved, err
		}
	}
	return p, nil
}

// movePerson gives a person who was let in another id. It returns the person; the zero Person
// if no one of the old id was let in.
func (g *Gateway) movePerson(ctx context.Context, b *Bot, from, to string) (Person, error) {
	p, err := g.store.MovePerson(ctx, b.Owner, b.Adapter.Platform(), b.Account, from, to)
	if fault.KindOf(err) == fault.NotFound {
		return Person{}, nil
	}
	if err != nil {
		return Person{}, fmt.Errorf("follow a person: %w", err)
	}
	g.record(ctx, b.Owner, "pairing.move", string(b.Adapter.Platform()), audit.OK)
	return p, nil
}

// people is how many may write to a bot whose private chats belong to the owner of the bot. It decides about the
// keys of private chats.
func (b *Bot) people(known []Person) int {
	if b.Open {
		return 1 // its caller is one: further chats get the long form
	}
	n := len(b.Users)
	for i := range known {
		if p := &known[i]; p.Owner == "" && b.letIn(p) {
			n++
		}
	}
	return n
}

// data is the owner of a person's DMs with a bot.
func (p *Person) data(b *Bot) owner.Owner {
	if p.State == Approved && p.Owner != "" {
		return owner.Stored(p.Owner)
	}
	return b.Owner
}
