package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// What is answered to a command or a press that is not obeyed, or has nothing to tell. Without
// an answer a platform shows the person a command that is never done.
const (
	textRefused = "You may not use this bot here."
	textDone    = "Done."
	textSilent  = "There is nothing to say."
)

// turnAway answers a stranger: in a DM with a pairing code, and elsewhere only a command or a
// press. What the stranger wrote is not stored.
func (g *Gateway) turnAway(b *Bot, e *Event) {
	name := string(e.Place.Platform) + " " + b.Account + " " + e.From.ID
	now := g.moment()
	if e.Type == DM && g.seldom(name, now) {
		g.lanes.aside(func(ctx context.Context) {
			if err := g.sendCode(ctx, b, e, now); err != nil {
				g.log.Warn("a pairing code was not sent", "platform", e.Place.Platform, "err", err)
			}
		})
		return
	}
	if e.Interaction == "" || e.Kind == Pressed && !g.seldom(name+" press", now) { // a press is answered by a message, which all see
		return
	}
	g.lanes.aside(func(ctx context.Context) {
		if err := g.refuse(ctx, b, e); err != nil {
			g.log.Info("a command of a stranger was not answered", "platform", e.Place.Platform, "err", err)
		}
	})
}

// seldom reports whether this server has not done a thing for greetEach, and notes that it is done now. When a
// stranger was sent a code by another server, or by this one before a restart, the store knows.
func (g *Gateway) seldom(name string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.greeted[name]) < greetEach {
		return false
	}
	const many = 4096
	if len(g.greeted) >= many {
		maps.DeleteFunc(g.greeted, func(_ string, at time.Time) bool { return now.Sub(at) >= greetEach })
	}
	g.greeted[name] = now
	return true
}

// refuse answers a command or a press of a stranger. The answer is of no use later.
func (g *Gateway) refuse(ctx context.Context, b *Bot, e *Event) error {
	if e.Interaction == "" {
		return nil
	}
	return g.sendOnce(ctx, b, &Send{
		ID: sendID(b.Owner, e.Place, "refused "+e.ID, 0), Place: e.Place, Type: e.Type, Text: textRefused, Interaction: e.Interaction,
	})
}

// sendOnce sends a message that is not stored. What cannot be sent at once is dropped after some
// tries.
func (g *Gateway) sendOnce(ctx context.Context, b *Bot, s *Send) error {
	const tries = 5
	for n := 1; ; n++ {
		if err := g.maySend(ctx, b, s); err != nil {
			return err
		}
		_, err := g.send(ctx, b, outOf(b, s))
		failed, ok := errors.AsType[*SendError](err)
		switch {
		case err == nil:
			return nil
		case !ok || n == tries || failed.Reason != Temporary && failed.Reason != Limited:
			return fmt.Errorf("answer a stranger: %w", err)
		}
		g.rest(ctx, s.Place, failed, max(failed.After, backoff(n)))
	}
}

// maySend waits until a chat may be sent something: other messages to it count, too.
func (g *Gateway) maySend(ctx context.Context, b *Bot, s *Send) error {
	limits := b.Adapter.Limits()
	for {
		next := g.pace.turn(paced{s.Place, s.Type, false}, &limits)
		if next.IsZero() {
			return nil
		}
		select {
		case <-time.After(next.Sub(g.now())):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
