//go:build linux

package sqlite

import "golang.org/x/sys/unix"

// spaceOf is what is free to us of the file system that a directory is in, and how
// large that is, in bytes.
func spaceOf(dir string) (free, total uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
