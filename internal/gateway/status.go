package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Status is the state of a bot, for the people who run it.
type Status struct {
	Platform Platform
	Account  string // the platform's id of the bot
	Owner    string // whose data its chats are
	Health   Health
	Queues   Queues
	Users    int // people who may write
	// Home is the chat of the settings, or else the one in which /home was sent last; "" for
	// none. It is that of the platform's owner.
	Home string
}

// Statuses are the states of all bots.
func (g *Gateway) Statuses(ctx context.Context) ([]Status, error) {
	out := make([]Status, len(g.bots))
	for i, b := range g.bots {
		s := Status{
			Platform: b.Adapter.Platform(), Account: b.Account, Owner: b.Owner.ID(), Home: b.Home, Health: Health{State: "unknown"},
		}
		if r, ok := b.Adapter.(Reporter); ok {
			s.Health = r.Health()
		}
		known, err := g.known(ctx, b)
		if err != nil {
			return nil, err
		}
		s.Users = b.people(known)
		if s.Home == "" {
			if s.Home, err = g.homeOf(ctx, b); err != nil {
				return nil, err
			}
		}
		if s.Queues, err = g.store.BotQueues(ctx, b.Owner, s.Platform, b.Account); err != nil {
			return nil, fmt.Errorf("count what waits: %w", err)
		}
		out[i] = s
	}
	return out, nil
}

// Events lists the newest events of an owner, newest first.
func (g *Gateway) Events(ctx context.Context, o owner.Owner, f EventFilter) ([]Inbound, error) {
	return g.store.ChatEvents(ctx, o, f)
}

// Hook is the handler of a platform's requests to a path; nil for a path that no configured
// platform uses.
func (g *Gateway) Hook(path string) http.Handler {
	for _, b := range g.bots {
		if hooked, ok := b.Adapter.(Hooked); ok {
			if h := hooked.Webhooks()[path]; h != nil {
				return h
			}
		}
	}
	return nil
}

// HostOf is the owner of a platform's chats: that of its bot, or the local owner for a
// platform without one.
func (g *Gateway) HostOf(p Platform) owner.Owner {
	if b := g.botOf(Place{Platform: p}); b != nil {
		return b.Owner
	}
	return owner.Local()
}

// homeOf is the chat in which /home was sent last, with its thread; "" for none.
func (g *Gateway) homeOf(ctx context.Context, b *Bot) (string, error) {
	chats, err := g.store.ListChats(ctx, b.Owner, b.Adapter.Platform())
	if err != nil {
		return "", fmt.Errorf("list chats: %w", err)
	}
	for i := range chats {
		if at := &chats[i].Place; chats[i].Home && at.Account == b.Account {
			return strings.TrimSuffix(at.Chat+":"+at.Thread, ":"), nil
		}
	}
	return "", nil
}
