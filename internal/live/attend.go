package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// ask is a call that waits for somebody's word.
type ask struct {
	Approval
	answer chan bool
	stored chan struct{} // closed when the answer is
}

// Began implements run.Attendant.
func (c *carrier) Began(t run.ToolRequest) {
	c.tell(ToolStarted, ToolCall{CallID: t.ID, Name: t.Name, Arguments: argumentsOf(t)})
}

// Ended implements run.Attendant.
func (c *carrier) Ended(u run.ToolUse) { c.tell(ToolCompleted, u) }

// argumentsOf are the arguments of a call, as JSON whatever the model made of them.
func argumentsOf(t run.ToolRequest) json.RawMessage {
	if json.Valid(t.Arguments) {
		return t.Arguments
	}
	return encoded(string(t.Arguments))
}

// Approve implements run.Attendant: the call waits, visibly, until somebody
// decides or its deadline has passed.
func (c *carrier) Approve(ctx context.Context, t run.ToolRequest) string {
	now := c.r.moment()
	a := &ask{
		Approval: Approval{CallID: t.ID, Name: t.Name, Arguments: argumentsOf(t), Deadline: now.Add(c.r.approval)},
		answer:   make(chan bool, 1), stored: make(chan struct{}),
	}
	defer close(a.stored)
	if err := <-c.change(func(r *Record) {
		c.asks = append(c.asks, a)
		c.waiting(r)
	}, ApprovalRequest, a.Approval); err != nil {
		return "it could not be asked for"
	}
	reason := "expired"
	timer := time.NewTimer(a.Deadline.Sub(now))
	defer timer.Stop()
	select {
	case yes := <-a.answer:
		reason = map[bool]string{true: "approved", false: "denied"}[yes]
	case <-timer.C:
	case <-ctx.Done():
		reason = "stopped"
	}
	if err := <-c.change(func(r *Record) {
		c.asks = slices.DeleteFunc(c.asks, func(other *ask) bool { return other == a })
		c.waiting(r)
	}, ApprovalResolved, Resolved{CallID: t.ID, Approved: reason == "approved", Reason: reason}); err != nil {
		return "the run is being stopped" // nothing is done that nobody could read of
	}
	switch reason {
	case "approved":
		return ""
	case "denied":
		return "the user denied it"
	case "expired":
		return fmt.Sprintf("it needs the user's approval, and got none within %v", c.r.approval)
	}
	return "the run is being stopped"
}

// waiting brings a record's state up to date with what waits for approval. A
// server that is leaving does not wait with it. The lock is held.
func (c *carrier) waiting(r *Record) {
	r.Approvals = nil
	for _, a := range c.asks {
		r.Approvals = append(r.Approvals, a.Approval)
	}
	switch {
	case r.State == Running && len(c.asks) > 0:
		r.State = Waiting
	case r.State == Waiting && len(c.asks) == 0:
		r.State = Running
	}
	if c.leaving && len(c.asks) > 0 {
		c.cut(errLeaving)
	}
}

// leave tells the carrier that the server stops: what waits for people is put
// back at once, everything else has the grace.
func (c *carrier) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = true
	if len(c.asks) > 0 {
		c.cut(errLeaving)
	}
}

// Approve decides about a call that waits for it: the one of an id, or, with "",
// the only one. It returns the record as it is then. NotFound if the owner has
// no such record, Conflict "not_waiting" if no such call waits, or "which_call"
// if several do and none was named.
func (r *Registry) Approve(ctx context.Context, o owner.Owner, id, callID string, yes bool) (Record, error) {
	if _, err := r.store.Record(ctx, o, id); err != nil {
		return Record{}, err
	}
	c := r.carrierOf(name{o.ID(), id})
	if c == nil {
		return Record{}, notWaiting()
	}
	a, err := c.find(callID)
	if err != nil {
		return Record{}, err
	}
	select {
	case a.answer <- yes:
	default:
		return Record{}, notWaiting() // somebody else was quicker
	}
	select {
	case <-a.stored:
	case <-ctx.Done():
	}
	return r.store.Record(ctx, o, id)
}

func notWaiting() error {
	return fault.New(fault.Conflict, "not_waiting", "No such call waits for approval: it was decided, its time has passed, or there never was one.")
}

// find returns the call that is meant.
func (c *carrier) find(callID string) (*ask, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *ask
	for _, a := range c.asks {
		if callID != "" && a.CallID != callID {
			continue
		}
		if found != nil && callID == "" {
			return nil, fault.New(fault.Conflict, "which_call", "Several calls wait for approval. Name one by its call_id.").At("call_id")
		}
		found = a
	}
	if found == nil {
		return nil, notWaiting()
	}
	return found, nil
}
