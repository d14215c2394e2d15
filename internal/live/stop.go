package live

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Stop ends a run early and returns its new state: Stopping or Cancelled, or unchanged
// if it was over. The answer so far is kept. NotFound if the owner has none of this id.
func (r *Registry) Stop(ctx context.Context, o owner.Owner, id string) (Run, error) {
	for {
		rec, err := r.store.Run(ctx, o, id)
		if err != nil || rec.State.Over() {
			return rec, err
		}
		if c := r.carrierOf(name{o.ID(), id}); c != nil {
			c.stop()
			return r.store.Run(ctx, o, id)
		}
		now := r.moment()
		rec, ok, err := r.queue.ClaimRun(ctx, o, Claim{ID: id, At: now, Until: now.Add(lease)})
		if err != nil {
			return rec, err
		}
		if ok {
			return r.cancel(ctx, o, rec)
		}
		if rec, err = r.store.Run(ctx, o, id); err != nil || rec.State.Over() {
			return rec, err
		}
		if r.carrierOf(name{o.ID(), id}) == nil && rec.WakeAt.After(r.moment()) {
			return r.stopElsewhere(ctx, o, rec)
		}
	}
}

// cancel ends a claimed run that is not under way.
func (r *Registry) cancel(ctx context.Context, o owner.Owner, rec Run) (Run, error) {
	now := r.moment()
	rec.State, rec.Turn, rec.Approvals, rec.WakeAt, rec.FinishedAt = Cancelled, nil, nil, time.Time{}, now
	rec.Failure = failureOf(errStopped, errStopped)
	last := Event{Type: RunCancelled, At: now, Data: encoded(struct{}{})}
	if _, _, err := r.queue.Advance(context.WithoutCancel(ctx), o,
		Step{ID: rec.ID, Fence: rec.Fence, Events: []Event{last}, Run: &rec}); err != nil {
		return rec, err
	}
	r.topics.publish(name{o.ID(), rec.ID})
	return r.store.Run(ctx, o, rec.ID)
}

// stop stores that the run is stopping, then ends the turn.
func (c *carrier) stop() {
	if <-c.change(func(r *Run) { r.State = Stopping }, "", nil) == nil { // otherwise it is over, or already ending
		c.cut(errStopped)
	}
}

// isOf reports whether the turn belongs to a lineage.
func (c *carrier) isOf(root session.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec.Root == root || c.rec.Session == root
}

// StopAll ends all turns of a lineage, so that erasing the lineage need not wait for a model.
// It waits for those that run here. Those of other processes end soon: the erasure waits for
// the lineage, as it does if they are not reached.
func (r *Registry) StopAll(ctx context.Context, o owner.Owner, root session.ID) {
	if r.shared != nil {
		if err := r.shared.Send(ctx, Order{Owner: o.ID(), Root: string(root), Do: Halt}); err != nil {
			r.log.WarnContext(ctx, "turns of other servers are not stopped; the erasure waits for them", "err", err)
		}
	}
	all := r.carriersOf(o.ID(), root)
	for _, c := range all {
		c.cut(errErased)
	}
	for _, c := range all {
		select {
		case <-c.done:
		case <-ctx.Done():
			return
		}
	}
}

// carriersOf carry the turns of a lineage in this process.
func (r *Registry) carriersOf(owner string, root session.ID) (all []*carrier) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, c := range r.active {
		if n.owner == owner && c.isOf(root) {
			all = append(all, c)
		}
	}
	return all
}
