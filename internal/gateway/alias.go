package gateway

import (
	"context"
	"fmt"
	"slices"
)

// remember stores the id under which the settings list a sender who has another id now. WhatsApp
// tells both for a while, a number and an id of its own, and later the other one alone. The
// settings stay the judge: an id that they no longer list lets nobody in.
func (g *Gateway) remember(ctx context.Context, b *Bot, s *Sender, known *Person) error {
	id := b.listedAs(s)
	if id == "" || known.Listed == id {
		return nil
	}
	p := Person{
		Platform: b.Adapter.Platform(), Account: b.Account, User: s.ID, Name: s.Name, State: Alias, AskedAt: g.moment(),
	}
	if known.State == Approved { // who was let in stays so, with an id that may be an admin's
		p = *known
	}
	p.Listed = id
	if err := g.store.PutPerson(ctx, b.Owner, p); err != nil {
		return fmt.Errorf("remember the id of a person: %w", err)
	}
	return nil
}

// rememberGroup stores the id under which the settings list a group that has another id now. A chat
// keeps its former id itself, but a group in which no one has spoken to the bot has no chat.
func (g *Gateway) rememberGroup(ctx context.Context, b *Bot, e *Event) error {
	if !slices.Contains(b.Chats, e.Place.Chat) {
		return nil
	}
	p := Person{
		Platform: b.Adapter.Platform(), Account: b.Account, User: e.MovedTo, Name: e.Title, State: Alias, AskedAt: g.moment(),
		Listed: e.Place.Chat,
	}
	if err := g.store.PutPerson(ctx, b.Owner, p); err != nil {
		return fmt.Errorf("remember the id of a group: %w", err)
	}
	return nil
}

// listedAs is the other id under which the settings list a sender; "" if they list the sender's
// own id, or none.
func (b *Bot) listedAs(s *Sender) string {
	for _, list := range [][]string{b.Users, b.Admins} {
		if slices.Contains(list, s.ID) {
			continue
		}
		if i := slices.IndexFunc(s.Aliases, func(id string) bool { return slices.Contains(list, id) }); i >= 0 {
			return s.Aliases[i]
		}
	}
	return ""
}

// recognise adds the remembered ids of a sender to the sender's aliases: the listed id of another
// one, and other ids of a listed one. The number of somebody who was let in by a code is not
// listed, and may be another person's by now.
func (b *Bot) recognise(s *Sender, p *Person, known []Person) {
	var ids []string
	if b.lists(p.Listed) && p.Listed != s.ID {
		ids = append(ids, p.Listed)
	}
	if b.lists(s.ID) {
		for i := range known {
			if known[i].State == Alias && known[i].Listed == s.ID {
				ids = append(ids, known[i].User)
			}
		}
	}
	for _, id := range ids {
		if !slices.Contains(s.Aliases, id) {
			s.Aliases = append(slices.Clip(s.Aliases), id)
		}
	}
}

// lists reports whether the settings list a person's id.
func (b *Bot) lists(id string) bool {
	return slices.Contains(b.Users, id) || slices.Contains(b.Admins, id)
}
