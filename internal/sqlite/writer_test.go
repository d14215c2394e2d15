package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// hold makes the writer wait, so that what is submitted meanwhile gathers. The
// returned function lets it go on.
func hold(t *testing.T, db *DB) func() {
	t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		_ = db.w.submit(context.Background(), func(*tx) error {
			close(held)
			<-release
			return nil
		})
	})
	<-held
	return func() {
		close(release)
		done.Wait()
	}
}

// submitted queues operations behind a held writer, lets it go, and returns
// their errors in order.
func submitted(t *testing.T, db *DB, ops ...func(*tx) error) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, len(ops))
	var wg sync.WaitGroup
	for i, do := range ops {
		before := len(db.w.queue) // the indexer may have one of its own there
		wg.Go(func() { errs[i] = db.w.submit(context.Background(), do) })
		eventually(t, "operations to queue", func() bool { return len(db.w.queue) > before })
	}
	release()
	wg.Wait()
	return errs
}

// eventually polls for a condition, and fails the test when it does not come true.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// note is an operation that leaves a mark.
func note(name string) func(*tx) error {
	return func(t *tx) error {
		_, err := t.exec(`INSERT INTO meta (name, value) VALUES (?, '')`, name)
		return err
	}
}

func noted(t *testing.T, db *DB) int {
	t.Helper()
	return ask[int](t, db.read.DB, `SELECT count(*) FROM meta WHERE name LIKE 'note%'`)
}

func TestGroupCommit(t *testing.T) {
	t.Parallel()
	const n = 100
	db := openTest(t)
	var mu sync.Mutex
	transactions := make(map[*tx]int)
	ops := make([]func(*tx) error, n)
	for i := range ops {
		ops[i] = func(t *tx) error {
			mu.Lock()
			transactions[t]++
			mu.Unlock()
			return note(fmt.Sprintf("note %d", i))(t)
		}
	}
	for i, err := range submitted(t, db, ops...) {
		if err != nil {
			t.Errorf("operation %d: %v", i, err)
		}
	}
	if len(transactions) != 1 {
		t.Errorf("got %d transactions for %d operations, want 1", len(transactions), n)
	}
	if got := noted(t, db); got != n {
		t.Errorf("got %d rows, want %d", got, n)
	}
}

func TestGroupCommitBounded(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	transactions := make(map[*tx]int) // the one who writes alone touches it
	ops := make([]func(*tx) error, 2*maxBatch+1)
	for i := range ops {
		ops[i] = func(t *tx) error {
			transactions[t]++
			return nil
		}
	}
	submitted(t, db, ops...)
	if len(transactions) != 3 {
		t.Errorf("got %d transactions for %d operations, want 3", len(transactions), len(ops))
	}
	for _, n := range transactions {
		if n > maxBatch {
			t.Errorf("got %d operations in a transaction, want at most %d", n, maxBatch)
		}
	}
}

func TestGuiltyFailsAlone(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	bad := errors.New("guilty")
	halfDone := func(t *tx) error {
		if err := note("note half done")(t); err != nil {
			return err
		}
		return bad
	}
	errs := submitted(t, db, note("note 1"), halfDone, note("note 2"), note("note 1"), note("note 3"))
	for i, want := range []bool{true, false, true, false, true} {
		if (errs[i] == nil) != want {
			t.Errorf("operation %d: got %v, want success: %v", i, errs[i], want)
		}
	}
	if !errors.Is(errs[1], bad) {
		t.Errorf("the guilty one: got %v, want its own error", errs[1])
	}
	if got := noted(t, db); got != 3 {
		t.Errorf("got %d rows, want 3", got)
	}
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	release := hold(t, db)
	var wg sync.WaitGroup
	for range maxQueue {
		wg.Go(func() {
			if err := db.w.submit(context.Background(), func(*tx) error { return nil }); err != nil {
				t.Errorf("queued: got %v, want success", err)
			}
		})
	}
	eventually(t, "a full queue", func() bool { return len(db.w.queue) == maxQueue })
	err := writingTo(t.Context(), db, "s", 0, "one too many")
	if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "overloaded" {
		t.Errorf("beyond the queue: got %v, want Unavailable", err)
	}
	release()
	wg.Wait()
	write(t, db, "s", 0, "afterwards")
}

// TestCloseFinishesQueue closes while operations wait: they are carried out.
func TestCloseFinishesQueue(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	release := hold(t, db)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := db.w.submit(context.Background(), note(fmt.Sprintf("note %d", i))); err != nil {
				t.Errorf("operation %d: %v", i, err)
			}
		})
	}
	eventually(t, "operations to queue", func() bool { return len(db.w.queue) == 20 })
	db.stop()
	release()
	wg.Wait()
	closeDB(t, db)
	if got := noted(t, openAt(t, path)); got != 20 {
		t.Errorf("got %d rows, want 20", got)
	}
}

// TestWriteAfterClose must come back with an error, not wait for ever.
func TestWriteAfterClose(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	closeDB(t, db)
	done := make(chan error, 1)
	go func() { done <- writingTo(context.Background(), db, "s", 0, "too late") }()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	select {
	case err := <-done:
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("got %v, want Unavailable", err)
		}
	case <-deadline.C:
		t.Error("a write after Close never returned")
	}
	if _, err := db.Tip(t.Context(), owner.Local(), "s"); err == nil {
		t.Error("a read after Close: got no error")
	}
	closeDB(t, db) // again
}

// TestDiskFull bounds the file, so that SQLite finds no room for a page.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	write(t, db, "s", 0, "hello")
	pages := ask[int](t, db.read.DB, `PRAGMA page_count`)
	limit := func(n int) error {
		return db.w.submit(t.Context(), func(tx *tx) error {
			return tx.row(fmt.Sprintf(`PRAGMA max_page_count = %d`, n)).Scan(new(int))
		})
	}
	if err := limit(pages + 2); err != nil {
		t.Fatal(err)
	}
	long := make([]byte, 100_000)
	for i := range long {
		long[i] = 'x'
	}
	err := writingTo(t.Context(), db, "s", 1, string(long))
	if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "disk_full" {
		t.Errorf("write to a full disk: got %v, want disk_full", err)
	}
	if err := db.Ready(); err != nil {
		t.Errorf("a full disk passes: got %v, want ready", err)
	}
	if got := count(t, db, "s"); got != 1 {
		t.Errorf("reading from a full disk: got %d messages, want 1", got)
	}
	if err := limit(1 << 30); err != nil {
		t.Fatal(err)
	}
	write(t, db, "s", 1, string(long))
	if got := ask[string](t, db.read.DB, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
}

// coded is an error of SQLite's.
type coded int

func (c coded) Error() string { return fmt.Sprintf("code %d", int(c)) }
func (c coded) Code() int     { return int(c) }

// TestBroken sees that nothing is acknowledged after an error of the disk.
func TestBroken(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]coded{
		"fsync": 1034, "write": 778, "short read": 522, "i/o": 10, "damaged page": 11, "damaged schema": 523, "no database": 26,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t)
			write(t, db, "s", 0, "hello")
			errs := submitted(t, db, note("note 1"), func(*tx) error { return fmt.Errorf("insert: %w", code) }, note("note 2"))
			for i, err := range errs {
				if fault.CodeOf(err) != "database_failed" {
					t.Errorf("operation %d: got %v, want database_failed", i, err)
				}
			}
			err := writingTo(t.Context(), db, "s", 1, "more")
			if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "database_failed" {
				t.Errorf("afterwards: got %v, want database_failed", err)
			}
			if fault.CodeOf(db.Ready()) != "database_failed" {
				t.Errorf("readiness: got %v, want database_failed", db.Ready())
			}
			if got := count(t, db, "s"); got != 1 {
				t.Errorf("reading: got %d messages, want 1", got)
			}
			if got := noted(t, db); got != 0 {
				t.Errorf("got %d rows of operations that failed, want 0", got)
			}
		})
	}
}

// TestDiskFails lets the system refuse a write in a process of its own.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	p := start(t, roleOwner, path)
	for _, c := range []struct {
		command string
		want    fault.Kind
	}{
		{"write 0 10", ""}, {"ready", ""}, {"limit", ""}, {"write 10 40", fault.Unavailable}, {"ready", fault.Unavailable},
		{"write 10 1", fault.Unavailable},
	} {
		if got := p.do(c.command); got != c.want {
			t.Errorf("%s: got %q, want %q", c.command, got, c.want)
		}
	}
	p.kill()
	db := openAt(t, path)
	if got := count(t, db, "s"); got < 10 {
		t.Errorf("got %d messages, want the 10 acknowledged ones", got)
	}
	if got := ask[string](t, db.read.DB, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
}

// TestBusy lets another program hold the write lock: those who wait are told
// together, after one wait and not after one each, and all is well afterwards.
func TestBusy(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	const patience = 300 * time.Millisecond
	err := db.w.submit(t.Context(), func(tx *tx) error {
		return tx.row(fmt.Sprintf(`PRAGMA busy_timeout = %d`, patience.Milliseconds())).Scan(new(int))
	})
	if err != nil {
		t.Fatal(err)
	}
	other := raw(t, path)
	must(t, other, `BEGIN IMMEDIATE`)
	const n = 20
	errs := make(chan error, n)
	begun := time.Now()
	for i := range n {
		go func() { errs <- db.w.submit(context.Background(), note(fmt.Sprintf("note %d", i))) }()
	}
	for range n {
		if err := <-errs; fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != "database_busy" {
			t.Errorf("got %v, want database_busy", err)
		}
	}
	if took := time.Since(begun); took > n/2*patience {
		t.Errorf("%d operations waited %v, want about one or two waits of %v", n, took, patience)
	}
	if err := db.Ready(); err != nil {
		t.Errorf("got %v, want ready: a lock passes", err)
	}
	must(t, other, `ROLLBACK`)
	write(t, db, "s", 0, "afterwards")
	if got := noted(t, db); got != 0 {
		t.Errorf("got %d rows of operations that failed, want 0", got)
	}
}

// TestPanic: an operation that panics fails alone. What it has written is taken back,
// those that shared its transaction succeed, and the writer goes on.
func TestPanic(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	release := hold(t, db)
	var wg sync.WaitGroup
	outcomes := make([]error, 3)
	for i := range outcomes {
		wg.Go(func() {
			outcomes[i] = db.w.submit(context.Background(), func(tx *tx) error {
				err := note(fmt.Sprintf("note %d", i))(tx)
				if i == 1 {
					panic("a broken operation")
				}
				return err
			})
		})
	}
	eventually(t, "operations to queue", func() bool { return len(db.w.queue) >= len(outcomes) })
	release()
	wg.Wait()
	for i, err := range outcomes {
		if recovery.Is(err) != (i == 1) || i != 1 && err != nil {
			t.Errorf("operation %d: got %v", i, err)
		}
	}
	if err := db.w.submit(context.Background(), note("note 9")); err != nil {
		t.Errorf("got %v afterwards, want the writer to go on", err)
	}
	if got := noted(t, db); got != 3 {
		t.Errorf("got %d rows, want three", got)
	}
}
