//go:build !unix

package sqlite

import (
	"os"

	"github.com/hermes-memory/hermes/internal/fault"
)

// lockFile makes this process the owner of the database. Without flock, the open file
// itself is the lock: these systems do not let a second process delete or replace it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "database_unwritable", "Cannot create "+path+". Check HERMES_HOME and its permissions.", err)
	}
	return f, signLock(f)
}

// unlockFile releases the database.
func unlockFile(f *os.File) error { return f.Close() }

// held cannot find out on this system, and trusts the lock file.
func held(*os.File) (bool, error) { return true, nil }
