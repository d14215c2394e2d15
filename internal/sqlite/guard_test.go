//go:build linux

package sqlite

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
)

// TestGuard reproduces the accident that the guard prevents. Messages are acknowledged;
// other code in the process opens and closes the files; another program reads the
// database and, finding no locks, takes itself for the last user and deletes
// the WAL; more messages are acknowledged into the deleted WAL; the process is killed.
// Without the guard the test must see these messages lost or refused, or it would
// prove nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, read := range strangers(t) {
		for _, c := range []struct {
			name, role string
			lost       bool
		}{
			{"with the guard nothing is lost", roleOwner, false},
			{"without it messages are lost", roleUnguarded, true},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				path := tempFile(t)
				p := start(t, c.role, path)
				for _, command := range []string{"write 0 20", "stray"} {
					if got := p.do(command); got != "" {
						t.Fatalf("%s: got %q, want success", command, got)
					}
				}
				if got := read(t, path); got != "20" {
					t.Fatalf("the stranger read %s messages, want 20", got)
				}
				if got := p.do("write 20 20"); got != "" && c.lost {
					return // the indexer met the damage first, and nothing more is acknowledged
				} else if got != "" {
					t.Fatalf("write after the stranger: got %q, want success", got)
				}
				p.kill()
				got := count(t, openAt(t, path), "s")
				if lost := got != 40; lost != c.lost {
					t.Errorf("got %d of 40 acknowledged messages, want any lost: %v", got, c.lost)
				}
			})
		}
	}
}

// TestGuardCheckpoint sees that the guard does not keep us from truncating the
// WAL, and that a clean close leaves nothing to recover.
func TestGuardCheckpoint(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, numbered(50)...)
	checkIndex(t, db) // nothing is written behind our back from here on
	other := raw(t, path)
	var busy, frames, moved int
	if err := other.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved); err != nil || busy != 0 {
		t.Errorf("checkpoint: got busy %d (%v), want 0", busy, err)
	}
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() != 0 {
		t.Errorf("WAL after a checkpoint: got %v, %v, want an empty file", info, err)
	}
	write(t, db, "s", 50, "one more")
	closeDB(t, db)
	// Whoever copies the one file now has everything.
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := tempFile(t)
	writeFile(t, elsewhere, string(text))
	for _, p := range []string{path, elsewhere} {
		if got := count(t, openAt(t, p), "s"); got != 51 {
			t.Errorf("after a close: got %d messages, want 51", got)
		}
	}
}

// TestStrangerChangesNothing reads the file while it is open, as the docs
// invite people to.
func TestStrangerChangesNothing(t *testing.T) {
	t.Parallel()
	for name, read := range strangers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "s", 0, numbered(30)...)
			if err := db.indexer.wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := sums(t, path, path+"-wal")
			if got := read(t, path); got != "30" {
				t.Errorf("the stranger read %s messages, want 30", got)
			}
			if after := sums(t, path, path+"-wal"); after != before {
				t.Errorf("files: got %s, want %s", after, before)
			}
			write(t, db, "s", 30, "goes on")
			closeDB(t, db)
			if got := count(t, openAt(t, path), "s"); got != 31 {
				t.Errorf("got %d messages, want 31", got)
			}
		})
	}
}

// sums are checksums of files.
func sums(t *testing.T, paths ...string) string {
	t.Helper()
	out := ""
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("%x ", sha256.Sum256(text))
	}
	return out
}
