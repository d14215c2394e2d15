package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/mention"
)

// gone is what an erasure deletes whole, besides what was said.
type gone struct {
	jobs, sessions int
	homes          []string // platforms whose home chat it is
	links          int      // chats that no longer lead to a conversation
}

// goesWith is what is known of the chats that name a thing: their rows go, with the home chat and the link to a conversation
// in them.
func (o *call) goesWith(ctx context.Context, thing string) (gone, error) {
	chats, err := o.store.ListChats(ctx, o.owner, "")
	if err != nil {
		return gone{}, fmt.Errorf("list chats: %w", err)
	}
	var g gone
	about := mention.Of(thing)
	for i := range chats {
		c := &chats[i]
		if !c.names(about) {
			continue
		}
		if c.Home {
			g.homes = append(g.homes, string(c.Place.Platform))
		}
		if c.Session != "" {
			g.links++
		}
	}
	return g, nil
}

// names reports whether an id or the key of a chat names a thing.
func (c *Chat) names(about *mention.Thing) bool {
	return about.In(c.Place.Chat+"\n"+c.Place.Thread+"\n"+c.User) || about.InName(string(c.Key))
}

// list names them behind some words; "" for nothing.
func (g *gone) list(words string) string {
	var parts []string
	if g.jobs > 0 {
		parts = append(parts, amount(g.jobs, "job"))
	}
	if g.sessions > 0 {
		parts = append(parts, amount(g.sessions, "conversation"))
	}
	for _, platform := range g.homes {
		parts = append(parts, "the home chat of "+platform)
	}
	if g.links > 0 {
		parts = append(parts, "the link of "+amount(g.links, "chat")+" to the conversation there")
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + words + ": " + strings.Join(parts, ", ") + "."
}
