//go:build !windows

package main

import (
	"syscall"
	"time"
)

// cpu is the time this process has computed, which a busy machine does not
// lengthen as much as the time it took.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
