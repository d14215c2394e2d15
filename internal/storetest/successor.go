package storetest

import (
	"testing"
	"time"
)

// Succeed checks a backend that one process owns after a change of the process: the
// leases of the old process are released. open returns an empty store that is closed at
// the end of the test, and a function that opens the same data as the next process
// does.
func Succeed(t *testing.T, open func(t *testing.T) (st Store, next func() Store)) {
	t.Helper()
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRun, "slot of a job": claimsOfSlot, "delivery": claimsOfDelivery, "work": claimsOfWork} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, next := open(t)
			take := claim(t, st)
			old := take(st, hour(1), hour(2))
			if old == nil || take(st, hour(1), hour(2)) != nil {
				t.Fatal("it is not claimed, or claimed twice")
			}
			st = next()
			held := take(st, hour(1), hour(2))
			if held == nil {
				t.Fatal("the lease of a process that is gone is waited for")
			}
			if old(st) {
				t.Error("a claim of the process before stores something")
			}
			if !held(st) {
				t.Error("the new claim stores nothing")
			}
			if st = next(); take(st, hour(9), hour(10)) != nil {
				t.Error("what is over was claimed again")
			}
		})
	}
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRun, "slot of a job": claimsOfSlot, "delivery": claimsOfDelivery} {
		t.Run(name+" that was cut off often waits", func(t *testing.T) {
			t.Parallel()
			st, next := open(t)
			take := claim(t, st)
			var before, after time.Time
			for i := range 4 { // it may be what ends processes
				before = time.Now()
				if take(st, before.Add(time.Minute), before.Add(time.Hour)) == nil {
					t.Fatalf("claim %d: it is not to be had after a minute", i)
				}
				before = time.Now()
				st = next()
				after = time.Now()
			}
			if take(st, before.Add(1900*time.Millisecond), after.Add(time.Hour)) != nil {
				t.Error("it is to be had at once")
			}
			if take(st, after.Add(2100*time.Millisecond), after.Add(time.Hour)) == nil {
				t.Error("it waits longer than two seconds")
			}
		})
	}
	t.Run("ids of erased messages are not used again", func(t *testing.T) {
		t.Parallel()
		testIDsStayUsed(t, open)
	})
	t.Run("delivery that was refused keeps its time", func(t *testing.T) {
		t.Parallel()
		st, next := open(t)
		settleJob(t, st, alice())
		d, ok, err := st.ClaimDelivery(t.Context(), alice(), theEvent, hour(1), hour(2))
		if !ok || err != nil {
			t.Fatalf("claim: got %v, %v", ok, err)
		}
		d.WakeAt, d.Error = hour(3), "it was busy"
		if ok, err = st.SettleDelivery(t.Context(), alice(), d); !ok || err != nil {
			t.Fatalf("settle: got %v, %v", ok, err)
		}
		st = next()
		if _, ok, err = st.ClaimDelivery(t.Context(), alice(), theEvent, hour(2), hour(4)); ok || err != nil {
			t.Errorf("claim before its time: got %v, %v", ok, err)
		}
		if again, ok, err := st.ClaimDelivery(t.Context(), alice(), theEvent, hour(3), hour(4)); !ok || err != nil || again.Error != d.Error {
			t.Errorf("claim at its time: got %v, %v, %+v", ok, err, again)
		}
	})
}

// testIDsStayUsed erases the newest messages shortly before the process ends, once in the process that
// stored them and once in the next one.
func testIDsStayUsed(t *testing.T, open func(t *testing.T) (st Store, next func() Store)) {
	t.Helper()
	st, next := open(t)
	l, gone := newTalk(alice(), "kept", ""), newTalk(alice(), "gone", "")
	l.say(t, st, "hello", "hi")
	gone.say(t, st, "hello", "hi")
	for _, later := range []bool{false, true} {
		last := gone.messages[len(gone.messages)-1].ID
		if later {
			st = next()
		}
		kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
		st = next()
		gone = newTalk(alice(), "gone", "")
		gone.say(t, st, "once more")
		if got := gone.messages[0].ID; got <= last {
			t.Errorf("erased in the next process %v: got the id %d after %d", later, got, last)
		}
	}
	l.check(t, st)
}
