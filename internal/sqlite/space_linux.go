//go:build linux

package sqlite

import "golang.org/x/sys/unix"

// spaceOf is the free space for this process on a directory's file system, and the size
// of the file system, in bytes.
func spaceOf(dir string) (free, total uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Bsize <= 0 {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
