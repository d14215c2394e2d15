package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
)

// enter takes a permit for a turn. It comes before the lineage's lock, so that turns
// that wait for the lock have a permit and are bounded, too.
func (r *Runner) enter(ctx context.Context, req *Request) (claim.Permit, error) {
	if r.line == nil {
		return claim.Permit{}, nil
	}
	o := &req.Owner
	place, err := r.line.Enter(ctx, claim.Visitor{
		Owner: o.ID(), Key: o.Key(), Most: o.Limits().ConcurrentTurns, Patient: req.Patient,
	})
	if err == nil {
		return place, nil
	}
	refusal, ok := errors.AsType[*claim.Refusal](err)
	if !ok {
		if f, ok := errors.AsType[*fault.Error](err); ok {
			return place, f // the fault with which the context ended
		}
		return place, fault.Wrap(fault.Canceled, "cancelled", "The request was cancelled while it waited for its place.", err)
	}
	f := fault.New(fault.Unavailable, "overloaded",
		"The server runs as many turns as limits.turns allows, and other turns are queued. "+
			"Try again after the time in Retry-After. If this happens often, raise limits.turns.")
	if refusal.Outcome == claim.KeyFull {
		f = fault.New(fault.RateLimited, "rate_limit_exceeded", fmt.Sprintf(
			"This API key may have %d turns at once, and all are under way. Wait for one to end, or raise the limit: "+
				"hermes keys edit NAME --concurrent N",
			o.Limits().ConcurrentTurns))
	}
	f.RetryAfter = refusal.Again
	return place, f
}
