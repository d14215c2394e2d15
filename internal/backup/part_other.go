//go:build !unix

package backup

import (
	"errors"
	"os"
	"time"
)

// own is for systems with locks that do not matter to the removal of files. On Windows an open file
// cannot be removed.
func own(*os.File) bool { return true }

// settling is how old an unfinished file is at least that is taken for a leftover: a backup closes its
// file just before it gets its name.
const settling = time.Minute

// removeLeft removes an unfinished file that no process writes.
func removeLeft(part string) error {
	info, err := os.Stat(part)
	if err != nil || time.Since(info.ModTime()) < settling {
		return nil // it is gone, or new
	}
	_ = os.Remove(part) // it is open if that fails
	return nil
}

// place closes a written file and gives it its name.
func place(f *os.File, file string) error { return errors.Join(f.Close(), os.Rename(f.Name(), file)) }
