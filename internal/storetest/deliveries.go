package storetest

import (
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
)

func deliveryTests() []test {
	return []test{
		{"a delivery is claimed, retried, and settled", testDelivery},
		{"a delivery that is over is looked at again", testReopenDelivery},
	}
}

func testDelivery(t *testing.T, st Store) {
	ctx := t.Context()
	settleJob(t, st, alice())
	if _, ok, err := st.ClaimDelivery(ctx, alice(), theEvent, epoch(), hour(1)); ok || err != nil {
		t.Errorf("claim before its time: got %v, %v", ok, err)
	}
	a, err := st.Agenda(ctx, hour(1), 10)
	kind(t, "agenda", err, "")
	if len(a.Deliveries) != 1 || a.Deliveries[0].ID != theEvent || a.Deliveries[0].Owner.ID() != "alice" {
		t.Fatalf("agenda: got %+v", a.Deliveries)
	}
	first, ok, err := st.ClaimDelivery(ctx, alice(), theEvent, hour(1), hour(1).Add(time.Minute))
	kind(t, "claim", err, "")
	if !ok || first.Attempts != 1 || first.Run == nil || first.Run.Output != markOf(alice()) || first.JobName != markOf(alice()) || first.Secret != markOf(alice()) {
		t.Fatalf("claim: got %v, %+v", ok, first)
	}
	if _, ok, _ = st.ClaimDelivery(ctx, alice(), theEvent, hour(1), hour(2)); ok {
		t.Error("claim what is claimed: got true")
	}
	second, ok, err := st.ClaimDelivery(ctx, alice(), theEvent, hour(1).Add(time.Minute), hour(2))
	if !ok || err != nil || second.Attempts != 2 || second.ID != first.ID {
		t.Fatalf("claim after the lease: got %v, %v, %+v", ok, err, second)
	}
	first.State = job.Delivered
	if ok, err = st.SettleDelivery(ctx, alice(), first); ok || err != nil {
		t.Errorf("settle a lost claim: got %v, %v", ok, err)
	}
	second.State, second.WakeAt, second.DeliveredAt, second.Error = job.Delivered, time.Time{}, hour(2), "it was busy at first"
	if ok, err = st.SettleDelivery(ctx, alice(), second); !ok || err != nil {
		t.Errorf("settle: got %v, %v", ok, err)
	}
	runs, err := st.Fires(ctx, alice(), theJob, hour(2), 10)
	kind(t, "runs", err, "")
	second.Run, second.JobName, second.Secret = nil, "", ""
	if len(runs) != 1 {
		t.Fatalf("got %d runs", len(runs))
	}
	same(t, "delivery of the run", runs[0].Delivery, &second)
	if a, err = st.Agenda(ctx, hour(9), 10); err != nil || len(a.Deliveries) != 0 {
		t.Errorf("agenda of a done delivery: got %+v, %v", a.Deliveries, err)
	}
}

// testReopenDelivery: a delivery that was made, or waits for a person, can be claimed again; one that waits for another attempt, or is
// given up, cannot before its time. Looks at one that waits are no attempts.
func testReopenDelivery(t *testing.T, st Store) {
	ctx := t.Context()
	settleJob(t, st, alice())
	reopened := func(o owner.Owner, want bool) {
		t.Helper()
		ok, err := st.ReopenDelivery(ctx, o, theEvent, hour(3))
		kind(t, "reopen", err, "")
		same(t, "reopened", ok, want)
	}
	reopened(alice(), false)
	at := hour(1)
	for round, state := range []job.DeliveryState{job.Awaited, job.Awaited, job.Delivered, job.Pending, job.Undelivered} {
		d, ok, err := st.ClaimDelivery(ctx, alice(), theEvent, at, at.Add(time.Minute))
		if want := []int{1, 2, 2, 3, 4}[round]; !ok || err != nil || d.Attempts != want {
			t.Fatalf("claim %d: got %v, %v, %d attempts", round, ok, err, d.Attempts)
		}
		reopened(alice(), false)
		d.State, d.WakeAt, d.Error = state, time.Time{}, "why"
		if state == job.Awaited || state == job.Pending {
			d.WakeAt = hour(100)
		}
		if ok, err = st.SettleDelivery(ctx, alice(), d); !ok || err != nil {
			t.Fatalf("settle %d: got %v, %v", round, ok, err)
		}
		over := state == job.Awaited || state == job.Delivered
		reopened(bob(), false)
		reopened(alice(), over)
		if at = hour(3); !over {
			at = hour(100)
		}
	}
}
