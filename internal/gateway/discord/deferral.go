package discord

import (
	"context"
	"sync"

	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// deferrals are the acknowledgements of commands and presses that are under way. An answer
// that came before its acknowledgement would leave "is thinking…" behind.
type deferrals struct {
	mu sync.Mutex
	of map[string]*deferral // guarded by mu; by the id of the interaction
}

// deferral is one acknowledgement.
type deferral struct {
	all    *deferrals
	handle *handle
	over   chan struct{}
}

// begin notes that the interactions among events will be acknowledged.
func (d *deferrals) begin(events []gateway.Event) []*deferral {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*deferral
	for i := range events {
		h, ok := parseHandle(events[i].Interaction)
		if !ok || d.of[h.id] != nil {
			continue
		}
		if d.of == nil {
			d.of = make(map[string]*deferral)
		}
		d.of[h.id] = &deferral{all: d, handle: h, over: make(chan struct{})}
		out = append(out, d.of[h.id])
	}
	return out
}

// end says that the acknowledgement is over, well or not.
func (d *deferral) end() {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	delete(d.all.of, d.handle.id)
	close(d.over)
}

// wait waits until no acknowledgement of an interaction is under way.
func (d *deferrals) wait(ctx context.Context, id string) {
	d.mu.Lock()
	one := d.of[id]
	d.mu.Unlock()
	if one == nil {
		return
	}
	select {
	case <-one.over:
	case <-ctx.Done():
	}
}

// acknowledge tells Discord that an answer follows, until Discord has heard it. Without
// that Discord tells the person after three seconds that the bot did not answer.
func (a *Adapter) acknowledge(ctx context.Context, h *handle) {
	ctx, cancel := context.WithTimeout(ctx, deferWithin)
	defer cancel()
	kind := discord.InteractionResponseTypeDeferredUpdateMessage
	if h.command {
		kind = discord.InteractionResponseTypeDeferredCreateMessage
	}
	wait := backoff{least: a.cfg.Retry / 10, most: a.cfg.Retry}
	for {
		err := a.api.do(ctx, rest.CreateInteractionResponse.Compile(nil, h.id, h.token), discord.InteractionResponse{Type: kind}, nil)
		if err == nil || codeOf(err) == codeAcknowledged { // an earlier try was heard
			return
		}
		if hopeless(err) || !pause(ctx, wait.next()) {
			a.cfg.Log.WarnContext(ctx, "discord: a command or a press was not acknowledged", "err", err)
			return
		}
	}
}
