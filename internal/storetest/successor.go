package storetest

import (
	"testing"
	"time"
)

// Succeed holds a backend that one process owns to what its next owner finds:
// whoever held a lease is gone. open returns an empty store that closes itself
// with the test, and how to get the same data as the next process does.
func Succeed(t *testing.T, open func(t *testing.T) (st Store, next func() Store)) {
	t.Helper()
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRecord, "slot of a job": claimsOfSlot, "work": claimsOfWork} {
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
	for name, claim := range map[string]func(*testing.T, Store) claimer{"run": claimsOfRecord, "slot of a job": claimsOfSlot} {
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
}
