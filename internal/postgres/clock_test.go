package postgres

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	db := openAt(t, openTest(t).opt.URL)
	if off := time.Until(db.Now()).Abs(); off > 2*steadyWithin {
		t.Errorf("got a clock that is %v off on the machine of the server", off)
	}
	db.clock.set(5 * time.Minute) // as if this machine's clock were late
	db.clock.set(5*time.Minute + 100*time.Millisecond)
	if ahead := time.Until(db.Now()); ahead < 299*time.Second || ahead > 5*time.Minute {
		t.Errorf("got %v ahead, want the five minutes of the first look", ahead)
	}
	if err := db.setClock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if off := time.Until(db.Now()).Abs(); off > 2*steadyWithin {
		t.Errorf("after a look: got %v off", off)
	}
}
