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
	if id == "" || known.State == Approved || known.State == Alias && known.Chat == id {
		return nil
	}
	err := g.store.PutPerson(ctx, b.Owner, Person{
		Platform: b.Adapter.Platform(), Account: b.Account, User: s.ID, Name: s.Name, Chat: id, State: Alias, AskedAt: g.moment(),
	})
	if err != nil {
		return fmt.Errorf("remember the id of a person: %w", err)
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

// recognise adds the remembered id of a sender to the sender's aliases.
func (p *Person) recognise(s *Sender) {
	if p.State == Alias && !slices.Contains(s.Aliases, p.Chat) {
		s.Aliases = append(slices.Clip(s.Aliases), p.Chat)
	}
}
