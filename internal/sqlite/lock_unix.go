//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hermes-memory/hermes/internal/fault"
)

// lockPatience is how long a lock is retried, because [Holder] takes it for a moment.
const lockPatience = 50 * time.Millisecond

// lockFile makes this process the owner of the database. The kernel releases the lock
// when the process ends in any way.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "database_unwritable", "Cannot create "+path+". Check HERMES_HOME and its permissions.", err)
	}
	if err = takeLock(f); err == nil {
		return f, signLock(f)
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fault.New(fault.Conflict, "database_in_use",
			"Another hermes owns this database. Stop it, or give this one another home with HERMES_HOME.")
	}
	return nil, fmt.Errorf("lock database: %w", err)
}

// takeLock retries until it has the lock or lockPatience is over. The system does not
// report when a lock is released.
func takeLock(f *os.File) error {
	again, over := time.NewTicker(lockPatience/10), time.After(lockPatience)
	defer again.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-again.C:
		case <-over:
			return err
		}
	}
}

// unlockFile releases the database. Closing the file would not be enough: a child
// process that is just being started holds the descriptor a moment longer.
func unlockFile(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}

// held reports whether a process holds the lock.
func held(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for the lock: %w", err)
	}
	return false, unix.Flock(int(f.Fd()), unix.LOCK_UN)
}
