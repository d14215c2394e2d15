package sqlite

import (
	"os"
	"testing"
	"time"
)

// TestScrubPauses: while a reader keeps the WAL from being emptied, not every commit tries to: each
// try holds up turns. When the reader has gone, the WAL is emptied.
func TestScrubPauses(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	erase := func() {
		t.Helper()
		err := db.w.submit(t.Context(), func(x *tx) error {
			x.erases = true
			_, err := x.exec(`INSERT OR REPLACE INTO meta (name, value) VALUES ('scrubbed', 'now')`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	log := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	with := func(look func(w *writer)) { // holds the writer meanwhile
		<-db.w.pen
		defer func() { db.w.pen <- struct{}{} }()
		look(db.w)
	}
	pausesFor := func(want time.Duration) {
		t.Helper()
		with(func(w *writer) {
			if got := w.scrubPause(); got != want || w.erased != (want > 0) {
				t.Errorf("got a pause of %v (to be emptied: %t), want %v", got, w.erased, want)
			}
		})
	}
	pauseUntil := func(at time.Time) { with(func(w *writer) { w.scrubAt = at }) }
	reader := raw(t, path)
	reading, err := reader.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reading.QueryRowContext(t.Context(), `SELECT count(*) FROM meta`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	erase()
	pausesFor(scrubPatience)
	pauseUntil(time.Now().Add(time.Hour))
	erase()
	pausesFor(scrubPatience) // it was not tried again
	for _, want := range []time.Duration{2 * scrubPatience, 4 * scrubPatience} {
		pauseUntil(time.Now())
		erase()
		pausesFor(want)
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	if log() == 0 {
		t.Error("the WAL is empty, so the reader kept nothing")
	}
	pauseUntil(time.Now())
	erase()
	pausesFor(0)
	if n := log(); n != 0 {
		t.Errorf("got %d bytes of WAL, want none", n)
	}
}
