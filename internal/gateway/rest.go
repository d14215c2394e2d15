package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Rest is a time in which a platform wants nothing for a chat, or for all chats of a bot: a place
// without a chat.
type Rest struct {
	Place Place // without a thread
	Until time.Time
}

// Rests keeps the rests that platforms asked for, so that a restart does not disturb them.
type Rests interface {
	// PutRest stores a rest of a bot instead of an earlier one of the same place.
	PutRest(ctx context.Context, host owner.Owner, r Rest) error
	// RestsOf returns the rests of a bot that end after a time.
	RestsOf(ctx context.Context, host owner.Owner, p Platform, account string, after time.Time) ([]Rest, error)
}

// restMargin is how much longer than asked for a chat rests. Times are kept in whole milliseconds, and the platform may have begun
// to count later.
const restMargin = 20 * time.Millisecond

// rest keeps a chat, or all chats of its bot, from being sent anything for a time, also after a
// restart. A rest that cannot be stored holds until the restart.
func (g *Gateway) rest(ctx context.Context, at Place, failed *SendError, wait time.Duration) {
	bot := g.botOf(at)
	if bot == nil {
		return
	}
	r := Rest{Place: whole(at), Until: g.moment().Add(wait + restMargin)}
	if failed.All {
		r.Place.Chat = ""
	}
	g.pace.rest(r)
	if err := g.store.PutRest(context.WithoutCancel(ctx), bot.Owner, r); err != nil {
		g.log.Warn("a wait that a platform asked for could not be stored", "platform", at.Platform, "err", err)
	}
}

// restOn takes up the rests that the last server was asked for.
func (g *Gateway) restOn(ctx context.Context) error {
	for _, b := range g.bots {
		list, err := g.store.RestsOf(ctx, b.Owner, b.Adapter.Platform(), b.Account, g.moment())
		if err != nil {
			return fmt.Errorf("read the waits of a platform: %w", err)
		}
		for _, r := range list {
			g.pace.rest(r)
		}
	}
	return nil
}
