//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hermes-memory/hermes/internal/fault"
)

// lockFile makes this process the owner of the database. The lock goes with the
// process, however it ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "database_unwritable", "Cannot create "+path+". Check HERMES_HOME and its permissions.", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fault.New(fault.Conflict, "database_in_use",
			"Another hermes owns this database. Stop it, or give this one a home of its own with HERMES_HOME.")
	}
	return nil, fmt.Errorf("lock database: %w", err)
}

// unlockFile gives the database up. Closing the file alone would not do: a
// process that is just being started from this one holds it a moment longer.
func unlockFile(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
