package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// Shared reaches the processes that use the same store. A process that owns its store alone
// needs none.
type Shared interface {
	// Send hands an order to all processes. It may be lost.
	Send(ctx context.Context, o Order) error
	// Hear calls changed for each run of which an event was stored, and heed for each order.
	// It is called once. The functions must not block.
	Hear(changed func(owner, id string), heed func(Order))
}

// Order is what the process is to do that carries a run, or any run of a lineage.
type Order struct {
	Owner, Run string
	Root       string // of the lineage, if no run is named
	Do         What
	Call       string // the callName of the call, of Allow and Deny
}

// What is to be done.
type What string

// The orders.
const (
	Halt  What = "stop"
	Allow What = "approve"
	Deny  What = "deny"
)

const (
	// lookEach is how often a reader of a run of another process looks, if it hears nothing.
	lookEach = time.Second
	// obeyed is how long an order may take until it is seen in the run's row.
	obeyed = 5 * time.Second
)

// hear lets the registry hear other processes.
func (r *Registry) hear() {
	if r.shared == nil {
		return
	}
	r.shared.Hear(func(owner, id string) { r.topics.publish(name{owner, id}) }, r.heed)
}

// heed does what another process asks for, if this one carries the run.
func (r *Registry) heed(o Order) {
	if o.Root != "" {
		for _, c := range r.carriersOf(o.Owner, session.ID(o.Root)) {
			c.cut(errErased) // only an erasure stops all runs of a lineage
		}
		return
	}
	c := r.carrierOf(name{o.Owner, o.Run})
	if c == nil {
		return
	}
	go recovery.Func(func() {
		if o.Do == Halt {
			c.stop()
			return
		}
		if a, err := c.findNamed(o.Call); err == nil {
			a.decide(o.Do == Allow)
		}
	}, recovery.Logged(context.Background(), r.log, "an order of another server"))()
}

// order hands an order to the process that carries a run, until the run's row shows that it
// was done. It reports false if that takes too long, or if no other process uses the store.
func (r *Registry) order(ctx context.Context, o owner.Owner, order Order, done func(*Run) bool) (rec Run, ok bool, err error) {
	if r.shared == nil {
		return Run{}, false, nil
	}
	order.Owner = o.ID()
	n := name{order.Owner, order.Run}
	defer r.topics.join(n)()
	end, again := time.NewTimer(obeyed), time.NewTicker(lookEach)
	defer end.Stop()
	defer again.Stop()
	if err := r.shared.Send(ctx, order); err != nil {
		return Run{}, false, err
	}
	for {
		changed := r.topics.changed(n) // before the row is read, so that no change is missed
		if rec, err = r.store.Run(ctx, o, order.Run); err != nil || done(&rec) {
			return rec, err == nil, err
		}
		select {
		case <-changed:
		case <-again.C: // the order may be lost
			if err := r.shared.Send(ctx, order); err != nil {
				return Run{}, false, err
			}
		case <-end.C:
			return rec, false, nil
		case <-ctx.Done():
			return rec, false, ctx.Err()
		}
	}
}

// stopElsewhere stops a run that another process carries.
func (r *Registry) stopElsewhere(ctx context.Context, o owner.Owner, rec Run) (Run, error) {
	stopped, ok, err := r.order(ctx, o, Order{Run: rec.ID, Do: Halt}, func(now *Run) bool { return now.State == Stopping || now.State.Over() })
	if ok || err != nil {
		return stopped, err
	}
	return rec, fault.New(fault.Conflict, "run_elsewhere",
		"The run was under way on a server that is gone. It can be stopped when its lease has ended, within half a minute.")
}

// decideElsewhere decides about a call of a run that another process carries.
func (r *Registry) decideElsewhere(ctx context.Context, o owner.Owner, rec *Run, callID string, yes bool) (Run, error) {
	call, err := rec.waitingCall(callID)
	if err != nil {
		return Run{}, err
	}
	do := Deny
	if yes {
		do = Allow
	}
	decided, ok, err := r.order(ctx, o, Order{Run: rec.ID, Do: do, Call: callName(call)}, func(now *Run) bool {
		_, err := now.waitingCall(call)
		return err != nil
	})
	if err == nil && !ok {
		err = notWaiting()
	}
	if err != nil {
		return decided, err
	}
	return decided, r.refuseOther(ctx, o, rec, call, yes)
}

// refuseOther fails if a call that waited in rec was decided otherwise: another caller was first.
func (r *Registry) refuseOther(ctx context.Context, o owner.Owner, rec *Run, call string, yes bool) error {
	events, _, err := r.store.Events(ctx, o, rec.ID, rec.Events, page)
	if err != nil {
		return err
	}
	for i := range events {
		var was Resolved
		told := events[i].Type == ApprovalResolved && json.Unmarshal(events[i].Data, &was) == nil
		if told && was.CallID == call && was.Approved != yes {
			return notWaiting()
		}
	}
	return nil
}

// mostCall bounds the id of a call in an order, in bytes: an order must fit into a notification. Some
// models make ids of several thousand bytes.
const mostCall = 256

// callName is the id of a call in an order. The hash of a long id stands for it.
func callName(id string) string {
	if len(id) <= mostCall {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// waitingCall is the waiting call that callID names; for "" the only one.
func (r *Run) waitingCall(callID string) (string, error) {
	a, err := chosen(r.Approvals, func(a Approval) string { return a.CallID }, callID)
	return a.CallID, err
}

// chosen is the call of a list that callID names; for "" the only one.
func chosen[T any](list []T, idOf func(T) string, callID string) (T, error) {
	var none T
	if callID == "" && len(list) > 1 {
		return none, whichCall()
	}
	for _, one := range slices.Backward(list) { // of two with one id, the newer
		if callID == "" || idOf(one) == callID {
			return one, nil
		}
	}
	return none, notWaiting()
}
