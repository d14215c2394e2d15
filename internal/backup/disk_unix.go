//go:build unix

package backup

import (
	"os"
	"syscall"
)

// SameDisk reports whether two directories are on one file system.
func SameDisk(a, b string) bool {
	return device(a) != 0 && device(a) == device(b)
}

// device is the number of a directory's file system; 0 if it is unknown.
func device(dir string) uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(s.Dev) //nolint:unconvert,gosec // other types elsewhere
}
