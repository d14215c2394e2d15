package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedAt is the high half of the position of the byte that is locked. Windows keeps
// other processes from reading what is locked, and they read the process id at the
// beginning of the file. A lock may lie behind the end.
const lockedAt = 1

// flock takes the lock of a file if it is free, for this process alone or shared with
// others. Windows releases the lock when the process ends in any way.
func flock(f *os.File, shared bool) (free bool, err error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedAt})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// funlock releases the lock of a file.
func funlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedAt})
}
