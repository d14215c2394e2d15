package gateway

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
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
		s.Users = b.writers(known)
		if s.Home == "" {
			if s.Home, err = g.homeOf(ctx, b); err != nil {
				return nil, err
			}
		}
		if s.Queues, err = g.queues(ctx, b, known); err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// queues counts what waits of all owners whose people write to a bot. The operator sees the counts, and no contents.
func (g *Gateway) queues(ctx context.Context, b *Bot, known []Person) (Queues, error) {
	owners := []string{b.Owner.ID()}
	for i := range known {
		if own := known[i].Owner; own != "" && !slices.Contains(owners, own) {
			owners = append(owners, own)
		}
	}
	var all Queues
	for _, id := range owners {
		q, err := g.store.BotQueues(ctx, owner.Stored(id), b.Adapter.Platform(), b.Account)
		if err != nil {
			return Queues{}, fmt.Errorf("count what waits: %w", err)
		}
		all.Events, all.Sends = all.Events+q.Events, all.Sends+q.Sends
		if q.LastAt.After(all.LastAt) {
			all.LastAt = q.LastAt
		}
	}
	return all, nil
}

// Events lists the newest events of an owner, newest first. Invalid for a state that no event has, and for a platform from which
// nothing can have come.
func (g *Gateway) Events(ctx context.Context, o owner.Owner, f EventFilter) ([]Inbound, error) {
	if f.State != "" && !slices.Contains(eventStates(), f.State) {
		return nil, fault.New(fault.Invalid, "invalid_status", fmt.Sprintf("No event has the status %q. The statuses are: %s.",
			f.State, joinedNames(eventStates()))).At("status")
	}
	if f.Platform != "" && !slices.Contains(Platforms(), f.Platform) {
		chats, err := g.store.ListChats(ctx, o, f.Platform)
		if err != nil {
			return nil, fmt.Errorf("list chats: %w", err)
		}
		if len(chats) == 0 { // not even those of a bridge
			return nil, fault.New(fault.Invalid, "unknown_platform", fmt.Sprintf("There is no platform %q, and no bridge of this name has sent anything. "+
				"The platforms are: %s.", f.Platform, joinedNames(Platforms()))).At("platform")
		}
	}
	return g.store.ChatEvents(ctx, o, f)
}

// joinedNames are names in a sentence.
func joinedNames[N ~string](names []N) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return strings.Join(all, ", ")
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
