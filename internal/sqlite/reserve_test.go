package sqlite

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// erase is an operation that deletes.
func erase(name string) func(*tx) error {
	return func(t *tx) error {
		t.erases = true
		_, err := t.exec(`DELETE FROM meta WHERE name = ?`, name)
		return err
	}
}

// TestReserve: what is left of a disk at last is for deletions alone, and all goes
// on by itself when there is space again.
func TestReserve(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	var free atomic.Uint64
	free.Store(50 << 20)
	release := hold(t, db) // no other goroutine uses the reserve meanwhile
	db.w.reserve.space = func(string) (uint64, uint64, bool) { return free.Load(), 4 << 30, true }
	release()
	if errs := submitted(t, db, note("note1"), note("note2")); errs[0] != nil || errs[1] != nil {
		t.Fatalf("above the reserve: got %v", errs)
	}
	free.Store(40 << 20)
	errs := submitted(t, db, note("note3"), note("note4"))
	for _, err := range errs {
		if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "disk_full" {
			t.Errorf("in the reserve: got %v, want disk_full", err)
		}
	}
	if errs := submitted(t, db, erase("note1")); errs[0] != nil {
		t.Errorf("a deletion in the reserve: got %v", errs[0])
	}
	if err := db.Ready(); fault.CodeOf(err) != "disk_full" || db.w.ready() != nil {
		t.Errorf("in the reserve: got %v, want disk_full, and a writer that goes on", err)
	}
	free.Store(50 << 20)
	if err := db.Ready(); err != nil {
		t.Errorf("above the reserve again: got %v, want ready", err)
	}
	if errs := submitted(t, db, note("note5")); errs[0] != nil {
		t.Errorf("above the reserve again: got %v", errs[0])
	}
	if n := noted(t, db); n != 2 {
		t.Errorf("got %d notes, want 2", n)
	}
}

func TestReserveUsed(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, c := range []struct {
		name        string
		free, total uint64
		known, want bool
	}{
		{"a small disk keeps a hundredth", 163_000, 16 << 20, true, true},
		{"and no more", 168_000, 16 << 20, true, false},
		{"a large one keeps 64 MiB", 60 << 20, 1000 * gib, true, true},
		{"and no more than that", 65 << 20, 1000 * gib, true, false},
		{"who does not say has none", 0, 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &reserve{now: time.Now, space: func(string) (uint64, uint64, bool) { return c.free, c.total, c.known }}
			if got := r.used(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("with much of it free it is looked at once in a second", func(t *testing.T) {
		t.Parallel()
		now, looks := time.Unix(0, 0), 0
		r := &reserve{now: func() time.Time { return now }, space: func(string) (uint64, uint64, bool) {
			looks++
			return 2 * gib, 100 * gib, true
		}}
		for range 100 {
			now = now.Add(20 * time.Millisecond)
			r.used()
		}
		if looks != 2 {
			t.Errorf("got %d looks in two seconds, want 2", looks)
		}
	})
}
