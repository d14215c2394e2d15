//go:build unix

package cli

import "golang.org/x/sys/unix"

// descriptorLimit is how many files and connections the process may have open.
func descriptorLimit() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return unknownLimit
	}
	return int(min(uint64(limit.Cur), 1<<30))
}
