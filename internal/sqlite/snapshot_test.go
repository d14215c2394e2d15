package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
)

// TestSnapshotUnderWrites: a copy holds what was committed when it began, however much is written
// between its steps, and is one whole file.
func TestSnapshotUnderWrites(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	atVersion(t, path, len(migrations(t)))
	writer := raw(t, path)
	must(t, writer, `PRAGMA journal_mode = WAL`)
	must(t, writer, `CREATE TABLE filling (n INTEGER PRIMARY KEY, text TEXT)`)
	const rows = 2000
	for n := range rows {
		must(t, writer, fmt.Sprintf(`INSERT INTO filling VALUES (%d, hex(randomblob(500)))`, n))
	}
	conn, done, err := openOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	into := filepath.Join(t.TempDir(), "copy.db")
	steps := 0
	err = snapshotOf(t.Context(), conn, into, func(*durable.Pace, int64) error {
		if steps++; steps > rows/2 {
			return errors.New("the copy begins again and again")
		}
		must(t, writer, fmt.Sprintf(`INSERT INTO filling VALUES (%d, 'later')`, rows+steps))
		must(t, writer, fmt.Sprintf(`UPDATE filling SET text = 'changed' WHERE n = %d`, rows-steps))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if steps < 5 {
		t.Fatalf("got %d steps, too few to write between them", steps)
	}
	if _, err := Verify(t.Context(), into); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Dir(into))
	if err != nil || len(left) != 1 {
		t.Errorf("got %v (%v) after the copy was read, want one file", left, err)
	}
	copied := raw(t, into)
	if got := ask[int](t, copied, `SELECT count(*) FROM filling WHERE length(text) = 1000`); got != rows {
		t.Errorf("got %d rows as they were, want %d", got, rows)
	}
	if got := ask[int](t, copied, `SELECT count(*) FROM filling`); got != rows {
		t.Errorf("got %d rows, want %d", got, rows)
	}
	// The connection that was copied from is as it was before.
	if _, err := conn.ExecContext(t.Context(), `BEGIN; ROLLBACK`); err != nil {
		t.Error(err)
	}
}

// TestBrokenOffSnapshot: a copy that is not whole leaves nothing.
func TestBrokenOffSnapshot(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	atVersion(t, path, len(migrations(t)))
	conn, done, err := openOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	into := filepath.Join(t.TempDir(), "copy.db")
	broken := errors.New("broken off")
	err = snapshotOf(t.Context(), conn, into, func(*durable.Pace, int64) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if left, err := os.ReadDir(filepath.Dir(into)); err != nil || len(left) != 0 {
		t.Errorf("got %v (%v), want nothing", left, err)
	}
	if err := snapshotOf(t.Context(), conn, into, (*durable.Pace).Wrote); err != nil {
		t.Errorf("the next copy: %v", err)
	}
	if err := snapshotOf(t.Context(), conn, into, atOnce); fault.KindOf(err) == fault.Invalid || !errors.Is(err, os.ErrExist) {
		t.Errorf("onto a file: got %v", err)
	}
}
