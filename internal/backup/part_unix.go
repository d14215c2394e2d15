//go:build unix

package backup

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// own takes the lock of a file that is being written, by which other backups know that it is no
// leftover. The system releases the lock when the file is closed or the process ends. false if
// another backup takes the file for a leftover just now. Where files have no locks nothing is
// taken for one.
func own(f *os.File) bool {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return false
	}
	_, err := os.Lstat(f.Name())
	return !errors.Is(err, fs.ErrNotExist) // it may have been removed before it had the lock
}

// removeLeft removes an unfinished file that no process writes. Files of other accounts stay.
func removeLeft(part string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return nil // another account's, or gone
	}
	defer func() { _ = f.Close() }()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	return os.Remove(part)
}

// place gives a written file its name and closes it. It has the lock until it has the name.
func place(f *os.File, file string) error { return errors.Join(os.Rename(f.Name(), file), f.Close()) }
