package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
)

// lockPatience is how long a lock is retried, because [Holder] takes it for a moment.
const lockPatience = 50 * time.Millisecond

// errUncreated says of a file of the home why it could not be made.
func errUncreated(path string, err error) error {
	why, next := durable.Unopened(err)
	return fault.Wrap(fault.Unavailable, "database_unwritable",
		"Cannot create "+path+": "+why+". "+strings.TrimSuffix(next, ".")+" with HERMES_HOME.", err)
}

// lockFile makes this process the owner of the database. The system releases the lock
// when the process ends in any way.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errUncreated(path, err)
	}
	free, err := takeLock(f)
	if free {
		return f, signLock(f)
	}
	pid := signature(f)
	_ = f.Close()
	if err != nil {
		return nil, fmt.Errorf("lock database: %w", err)
	}
	who := "Another hermes"
	if pid > 0 {
		who += fmt.Sprintf(" (process %d)", pid)
	}
	return nil, fault.New(fault.Conflict, "database_in_use",
		who+" owns this database. Stop it, or give this one another home with HERMES_HOME.")
}

// takeLock retries until it has the lock or lockPatience is over. The system does not
// report when a lock is released.
func takeLock(f *os.File) (free bool, err error) {
	again, over := time.NewTicker(lockPatience/10), time.After(lockPatience)
	defer again.Stop()
	for {
		if free, err = flock(f, false); free || err != nil {
			return free, err
		}
		select {
		case <-again.C:
		case <-over:
			return false, nil
		}
	}
}

// unlockFile releases the database. Closing the file would not be enough: a child
// process that is just being started holds the descriptor a moment longer.
func unlockFile(f *os.File) error { return errors.Join(funlock(f), f.Close()) }

// held reports whether a process holds the lock.
func held(f *os.File) (bool, error) {
	free, err := flock(f, true)
	if err != nil {
		return false, fmt.Errorf("ask for the lock: %w", err)
	}
	if !free {
		return true, nil
	}
	return false, funlock(f)
}

// signLock writes the process id of the lock's owner into the lock file.
func signLock(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	if _, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	return nil
}

// Hold makes this process the owner of a path without opening a database there: [Holder]
// names this process until release is called.
func Hold(path string) (release func() error, err error) {
	f, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	return func() error { return unlockFile(f) }, nil
}

// Holder is the process that has the database open; 0 for none. A lock file may name a
// process that was killed; then the lock is free.
func Holder(path string) (pid int, err error) {
	f, err := os.Open(path + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the lock: %w", err)
	}
	defer func() { _ = f.Close() }()
	if is, err := held(f); err != nil || !is {
		return 0, err
	}
	return signature(f), nil
}

// signature is the process that signed a lock file; 0 before it has.
func signature(f *os.File) int {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0) // the end of the file is before the end of text
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil {
		return 0
	}
	return pid
}
