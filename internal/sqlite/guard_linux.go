package sqlite

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// guard keeps other processes from resetting the WAL while this one uses it.
//
// POSIX locks vanish when any descriptor of the file is closed in the process that
// holds them, so a stray open and close here, followed by a stock sqlite3 elsewhere,
// could delete a WAL that still holds committed rows. Open file description locks do
// not vanish. The guard holds shared ones on the bytes where SQLite's own shared locks
// lie (part of the file format): bytes 0x40000002 to +510 of the database and byte 128
// of the -shm file. Readers are not disturbed; no process gets the exclusive lock that
// deleting the WAL needs.
type guard struct{ files []*os.File }

func newGuard(path string) (*guard, error) {
	g := &guard{}
	for _, l := range []struct {
		name       string
		start, len int64
	}{{path, 0x40000002, 510}, {path + "-shm", 128, 1}} {
		f, err := os.OpenFile(l.name, os.O_RDONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", l.name, err)
		}
		g.files = append(g.files, f)
		lock := unix.Flock_t{Type: unix.F_RDLCK, Start: l.start, Len: l.len}
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
			return nil, fmt.Errorf("hold %s: %w", l.name, err)
		}
	}
	return g, nil
}

// file is the guard's descriptor of a file, whatever its path; nil if the file is not
// one of the database's.
func (g *guard) file(info os.FileInfo) (*os.File, error) {
	if g == nil {
		return nil, nil // absence is no error
	}
	for _, f := range g.files {
		held, err := f.Stat()
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", f.Name(), err)
		}
		if os.SameFile(held, info) {
			return f, nil
		}
	}
	return nil, nil // absence is no error
}

// close releases the guard. It must be called after the last connection has
// been closed: closing a descriptor drops SQLite's own locks on the file.
func (g *guard) close() error {
	for _, f := range g.files {
		if err := f.Close(); err != nil {
			return fmt.Errorf("release guard: %w", err)
		}
	}
	return nil
}
