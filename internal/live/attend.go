package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// ask is a tool call that waits for approval.
type ask struct {
	Approval
	answer chan bool
	stored chan struct{} // closed when the decision is stored
}

// Began implements run.Attendant.
func (c *carrier) Began(t run.ToolRequest) {
	c.tell(ToolStarted, ToolCall{CallID: t.ID, Name: t.Name, Arguments: argumentsOf(t)})
}

// Ended implements run.Attendant.
func (c *carrier) Ended(u lineage.ToolUse) { c.tell(ToolCompleted, u) }

// argumentsOf returns the arguments of a call as JSON, even if the model sent none.
func argumentsOf(t run.ToolRequest) json.RawMessage {
	if json.Valid(t.Arguments) {
		return t.Arguments
	}
	return encoded(string(t.Arguments))
}

// Ask implements run.Attendant: the call waits, visibly, until a person decides or
// its deadline passes. Calls are asked about one at a time, and wait at once.
func (c *carrier) Ask(ctx context.Context, t run.ToolRequest) (decided func() string) {
	c.asked++
	a := &ask{
		Approval: Approval{
			CallID: t.ID, Name: t.Name, Arguments: argumentsOf(t), Deadline: c.r.moment().Add(c.r.approval), Number: c.asked, Of: t.Asking,
		},
		answer: make(chan bool, 1), stored: make(chan struct{}),
	}
	asked := c.change(func(r *Run) {
		c.asks = append(c.asks, a)
		c.waiting(r)
	}, ApprovalRequest, a.Approval)
	return func() string {
		defer close(a.stored)
		if err := <-asked; err != nil {
			return "it could not be asked for"
		}
		return c.await(ctx, a)
	}
}

// await waits for the decision about a call: "" for yes, or the reason for no.
func (c *carrier) await(ctx context.Context, a *ask) string {
	reason := "expired"
	timer := time.NewTimer(a.Deadline.Sub(c.r.moment()))
	defer timer.Stop()
	select {
	case yes := <-a.answer:
		reason = map[bool]string{true: "approved", false: "denied"}[yes]
	case <-timer.C:
	case <-ctx.Done():
		reason = "stopped"
	}
	if err := <-c.change(func(r *Run) {
		c.asks = slices.DeleteFunc(c.asks, func(other *ask) bool { return other == a })
		c.waiting(r)
	}, ApprovalResolved, Resolved{CallID: a.CallID, Number: a.Number, Approved: reason == "approved", Reason: reason}); err != nil {
		return "the run is being stopped" // a decision that was not stored is not acted on
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

// waiting updates a run's state from the calls that wait for approval. A stopping
// server keeps none waiting. The caller holds the lock.
func (c *carrier) waiting(r *Run) {
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

// leave tells the carrier that the server stops: runs that wait for approval are put
// back at once, all others have the grace period.
func (c *carrier) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = true
	if len(c.asks) > 0 {
		c.cut(errLeaving)
	}
}

// Approve decides about a waiting call: the one with callID or, if callID is empty, the
// only one. It returns the run in its state after that. It fails with NotFound if the
// owner has no such run, with Conflict "not_waiting" if no such call waits, and with
// "which_call" if several wait and none was named.
func (r *Registry) Approve(ctx context.Context, o owner.Owner, id, callID string, yes bool) (Run, error) {
	rec, err := r.store.Run(ctx, o, id)
	if err != nil {
		return Run{}, err
	}
	c := r.carrierOf(name{o.ID(), id})
	switch {
	case c == nil && r.shared == nil:
		return Run{}, notWaiting()
	case c == nil:
		return r.decideElsewhere(ctx, o, &rec, callID, yes)
	}
	a, err := c.find(callID)
	if err != nil {
		return Run{}, err
	}
	if !a.decide(yes) {
		return Run{}, notWaiting() // another caller was first
	}
	select {
	case <-a.stored:
	case <-ctx.Done():
	}
	return r.store.Run(ctx, o, id)
}

// decide decides about a call, and reports whether nobody has before.
func (a *ask) decide(yes bool) bool {
	select {
	case a.answer <- yes:
		return true
	default:
		return false
	}
}

func whichCall() error {
	return fault.New(fault.Conflict, "which_call", "Several calls wait for approval. Name one by its call_id.").At("call_id")
}

func notWaiting() error {
	return fault.New(fault.Conflict, "not_waiting", "No such call waits for approval: it was decided, its time has passed, or there never was one.")
}

// find returns the call that callID names; for "" the only one.
func (c *carrier) find(callID string) (*ask, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return chosen(c.asks, func(a *ask) string { return a.CallID }, callID)
}

// findNamed returns the call that the callName of an order names.
func (c *carrier) findNamed(call string) (*ask, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return chosen(c.asks, func(a *ask) string { return callName(a.CallID) }, call)
}
