package gateway

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// hourglasses are the messages that are marked as waiting for another turn.
type hourglasses struct {
	mu sync.Mutex
	by map[laneKey][]MessageID
}

// add notes that a message is marked, and reports whether it was not marked before.
func (h *hourglasses) add(key laneKey, m MessageID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, marked := range h.by[key] {
		if marked == m {
			return false
		}
	}
	h.by[key] = append(h.by[key], m)
	return true
}

// take returns the marked messages of a chat, and forgets them.
func (h *hourglasses) take(key laneKey) []MessageID {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.by[key]
	delete(h.by, key)
	return out
}

// drop forgets that a message is marked.
func (h *hourglasses) drop(key laneKey, m MessageID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.by[key] = slices.DeleteFunc(h.by[key], func(marked MessageID) bool { return marked == m })
	if len(h.by[key]) == 0 {
		delete(h.by, key)
	}
}

// crowd handles a message that came while a turn of its chat is under way. It waits for the
// next turn, and is marked. If the settings say so, and the person who asked has written it,
// the turn is stopped instead: its part of an answer is kept.
func (g *Gateway) crowd(ctx context.Context, bot *Bot, o owner.Owner, e *Event, d *draft) error {
	if e.Kind != Said || e.Erased || isCommand(e) {
		return nil
	}
	if g.settings.Busy == Interrupt && e.From.ID == d.asker {
		if _, err := g.runs.Stop(ctx, callerOf(o), d.run); err != nil && fault.KindOf(err) != fault.NotFound {
			return fmt.Errorf("stop a turn for a newer message: %w", err)
		}
		return nil
	}
	if g.hourglasses.add(laneKey{answering, o.ID(), e.Place}, e.Message) {
		g.signal(ctx, bot, e.Place, e.Message, Waits)
	}
	return nil
}

// crowdWaiting is crowd for a message that has just come, if it waits: platforms send a message
// again that was answered long before, or that the turn under way answers.
func (g *Gateway) crowdWaiting(ctx context.Context, bot *Bot, o owner.Owner, e *Event, d *draft) error {
	in, err := g.store.ChatEvent(ctx, o, EventName{e.Place.Platform, e.Place.Account, e.ID})
	switch {
	case fault.KindOf(err) == fault.NotFound: // it was erased
		return nil
	case err != nil:
		return fmt.Errorf("read what waits: %w", err)
	case in.State != Waiting:
		return nil
	}
	return g.crowd(ctx, bot, o, e, d)
}

// crowded handles the messages that came before the turn of a chat could be seen by crowd.
func (g *Gateway) crowded(ctx context.Context, bot *Bot, d *draft) error {
	open, err := g.store.OpenEvents(ctx, d.owner, d.chat.Place, maxOpen)
	if err != nil {
		return fmt.Errorf("read what waits: %w", err)
	}
	for i := range open {
		if e := &open[i]; e.State == Waiting {
			if err := g.crowd(ctx, bot, d.owner, &e.Event, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// unmark takes the marks away from the messages that a turn takes. The newest one gets another mark: unmark reports
// whether it has one.
func (g *Gateway) unmark(ctx context.Context, bot *Bot, o owner.Owner, chat *Chat, newest MessageID) (marked bool) {
	for _, m := range g.hourglasses.take(laneKey{answering, o.ID(), chat.Place}) {
		if m == newest {
			marked = true
			continue
		}
		g.signal(ctx, bot, chat.Place, m, Clear)
	}
	return marked
}
