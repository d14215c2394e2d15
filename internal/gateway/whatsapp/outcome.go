package whatsapp

import (
	"context"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// mostOutcomes is how many outcomes are remembered.
const mostOutcomes = 4096

// outcome is what a status says of a message.
type outcome struct {
	sent    string // gateway.Out.ID
	message gateway.MessageID
	err     *gateway.SendError // why it failed; nil if it arrived
}

// outcomes are what the newest statuses said. They are lost with the process: what they
// change is stored by the gateway.
type outcomes struct {
	mu      sync.Mutex
	by      map[string]outcome
	order   []string      // the names in the order they came
	changed chan struct{} // closed and made anew by each status
}

func newOutcomes() *outcomes {
	return &outcomes{by: map[string]outcome{}, changed: make(chan struct{})}
}

// note keeps outcomes. A failure is final: what arrived before it did not stay.
func (o *outcomes) note(list []outcome) {
	if len(list) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range list {
		before, known := o.by[n.sent]
		if known && before.err != nil && before.message == n.message {
			continue
		}
		if !known {
			o.order = append(o.order, n.sent)
		}
		o.by[n.sent] = n
	}
	for len(o.order) > mostOutcomes {
		delete(o.by, o.order[0])
		o.order = o.order[1:]
	}
	close(o.changed)
	o.changed = make(chan struct{})
}

// forget forgets the outcome of an earlier try.
func (o *outcomes) forget(sent string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.by, sent)
	// The name stays in the order: at worst a later outcome of it is dropped early.
}

// of is the outcome of a message, and a channel that is closed by the next status.
func (o *outcomes) of(sent string) (outcome, bool, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found, ok := o.by[sent]
	return found, ok, o.changed
}

// Find waits for the status of a message whose sending broke off. WhatsApp cannot be asked,
// but tells of every message that it has taken.
func (a *Adapter) Find(ctx context.Context, o *gateway.Out) (gateway.MessageID, bool, error) {
	timer := time.NewTimer(a.pace.status)
	defer timer.Stop()
	for {
		found, ok, changed := a.outcomes.of(o.ID)
		switch {
		case ok && found.err != nil && found.err.Reason == gateway.Temporary:
			return "", false, nil // the message failed, and may be sent again
		case ok && found.err != nil:
			return "", false, found.err
		case ok:
			return found.message, true, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return "", false, nil
		case <-ctx.Done():
			return "", false, &gateway.SendError{Reason: gateway.Unknown, Text: "The connection to WhatsApp broke.", Err: ctx.Err()}
		}
	}
}
