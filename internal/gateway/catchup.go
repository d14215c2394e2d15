package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/owner"
)

const (
	// watchEach is how often the state of a connection is looked at.
	watchEach = 2 * time.Second
	// caughtChats is how many chats are read after an outage, of those that were active within
	// caughtWithin.
	caughtChats  = 200
	caughtWithin = 7 * 24 * time.Hour
	// caughtPages is how often one chat is read on.
	caughtPages = 10
	// answeredWithin is how old a message may be that is answered after an outage.
	answeredWithin = 24 * time.Hour
	// overlap is how long before the connection the reading begins. A message that came alive
	// on the connection, just before a server crashed, must not hide the ones before it.
	overlap = 10 * time.Minute
	// mostRounds is how often the chats are read that could not be read.
	mostRounds = 20
)

// catcher reads what was said in the chats of a bot while the bot was not connected. An event
// that is stored already is stored once, so that it is harmless to read too much.
type catcher struct {
	*Gateway
	bot    *Bot
	from   CatchUp
	health Reporter
	// since is when the connection began for which the chats were read, or are being read.
	since time.Time
	// before is when the first connection began for which they are not all read.
	before time.Time
	rounds int            // begun for the connection
	open   bool           // chats are left to read
	done   map[Place]bool // the chats that were read
}

// catcherOf is the catcher of a bot; nil if its platform cannot be read.
func (g *Gateway) catcherOf(b *Bot) *catcher {
	from, reads := b.Adapter.(CatchUp)
	health, reports := b.Adapter.(Reporter)
	if !reads || !reports {
		return nil
	}
	return &catcher{Gateway: g, bot: b, from: from, health: health}
}

// watch reads the chats each time the connection has come up, until ctx ends.
func (c *catcher) watch(ctx context.Context) {
	bell := claim.NewBell(c.now)
	for ctx.Err() == nil {
		bell.Sleep(ctx, c.now().Add(c.look(ctx)))
	}
}

// look looks at the connection once, and reads the chats if they are to be read. It returns
// how long to wait for the next look.
func (c *catcher) look(ctx context.Context) time.Duration {
	h := c.health.Health()
	if h.State != "connected" && h.State != "webhook" {
		return watchEach
	}
	if !h.Since.Equal(c.since) {
		c.begin(h.Since)
	}
	if !c.open {
		return watchEach
	}
	c.rounds++
	err := c.round(ctx)
	switch {
	case err == nil || ctx.Err() != nil:
	case c.rounds < mostRounds:
		c.log.Info("chats could not be read after an outage; they are read again", "platform", c.bot.Adapter.Platform(), "err", err)
		failed, _ := errors.AsType[*SendError](err)
		return max(waitOf(failed), backoff(c.rounds))
	default:
		c.log.Warn("what was said during an outage could not be read in all chats", "platform", c.bot.Adapter.Platform(), "err", err)
	}
	c.open, c.before, c.done = false, time.Time{}, nil
	return watchEach
}

// begin begins to read for a connection. What an earlier one has left is read as well.
func (c *catcher) begin(since time.Time) {
	if c.before.IsZero() {
		c.before = since
	}
	c.since, c.rounds, c.open, c.done = since, 0, true, make(map[Place]bool)
}

// waitOf is how long a platform asks to wait; 0 if it does not.
func waitOf(failed *SendError) time.Duration {
	if failed == nil || failed.Reason != Limited {
		return 0
	}
	return failed.After
}

// round reads the chats that are left. It returns an error if some are to be read again.
func (c *catcher) round(ctx context.Context) error {
	chats, err := c.chats(ctx)
	if err != nil {
		return err
	}
	var left error
	for _, d := range chats {
		if c.done[d.Place] {
			continue
		}
		err := c.read(ctx, d)
		failed, refused := errors.AsType[*SendError](err)
		if ctx.Err() != nil || waitOf(failed) > 0 {
			return err
		}
		if refused && final(failed.Reason) {
			c.log.Debug("a chat cannot be read", "platform", d.Place.Platform, "err", err)
			err = nil
		}
		if err != nil {
			left = err
			continue
		}
		c.done[d.Place] = true
	}
	return left
}

// final reports whether another try to read a chat, or one of its threads, is useless.
func final(r SendReason) bool {
	return slices.Contains([]SendReason{Gone, NoThread, Refused, Malformed, Elsewhere}, r)
}

// chats names the chats of the bot that are to be read, the one that was active last first.
func (c *catcher) chats(ctx context.Context) ([]Due, error) {
	owners, err := c.ownersOf(ctx, c.bot)
	if err != nil {
		return nil, err
	}
	type active struct {
		Due
		at time.Time
	}
	var all []active
	oldest := c.now().Add(-caughtWithin)
	for _, o := range owners {
		list, err := c.store.ListChats(ctx, o, c.bot.Adapter.Platform())
		if err != nil {
			return nil, fmt.Errorf("list chats: %w", err)
		}
		for i := range list {
			if list[i].Place.Account == c.bot.Account && list[i].Active.After(oldest) {
				all = append(all, active{Due{o, list[i].Place}, list[i].Active})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b active) int { return b.at.Compare(a.at) })
	var out []Due
	for i := range all[:min(len(all), caughtChats)] {
		out = append(out, all[i].Due)
	}
	return out, nil
}

// ownersOf are the owners of the chats of a bot.
func (g *Gateway) ownersOf(ctx context.Context, b *Bot) ([]owner.Owner, error) {
	people, err := g.store.ListPeople(ctx, b.Owner, b.Adapter.Platform())
	if err != nil {
		return nil, fmt.Errorf("list people: %w", err)
	}
	out := []owner.Owner{b.Owner}
	for i := range people {
		o := people[i].data(b)
		if !slices.ContainsFunc(out, func(known owner.Owner) bool { return known.ID() == o.ID() }) {
			out = append(out, o)
		}
	}
	return out, nil
}

// read reads what was said in a chat after the newest message that is known, and stores it.
func (c *catcher) read(ctx context.Context, d Due) error {
	after, err := c.store.NewestMessage(ctx, d.Owner, d.Place, c.before.Add(-overlap))
	if err != nil || after == "" { // nobody has said anything there: there is nothing to read on from
		return err
	}
	for range caughtPages {
		events, err := c.catch(ctx, d.Place, after)
		if err != nil || len(events) == 0 {
			return err
		}
		if _, err := c.commit(ctx, c.bot, arrived{events: events, late: true}); err != nil {
			return err
		}
		newest := events[len(events)-1].Message
		if newest == after {
			return nil
		}
		after = newest
	}
	c.log.Warn("more was said in a chat during an outage than is read; the rest is left out", "platform", d.Place.Platform)
	return nil
}

// catch asks the platform once.
func (c *catcher) catch(ctx context.Context, at Place, after MessageID) ([]Event, error) {
	const patience = 2 * time.Minute // one answer can have many pages
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.from.CatchUp(ctx, at, after)
}

// outdate leaves a message of an outage unanswered if it is too old.
func (a *Admitted) outdate(now time.Time) {
	if a.State == Waiting && now.Sub(a.Event.At) > answeredWithin {
		a.State, a.Reason = Ignored, reasonOld
	}
}
