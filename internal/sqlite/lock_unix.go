//go:build unix

package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flock takes the lock of a file if it is free, for this process alone or shared with
// others. The kernel releases the lock when the process ends in any way.
func flock(f *os.File, shared bool) (free bool, err error) {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// funlock releases the lock of a file.
func funlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
