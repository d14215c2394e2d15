//go:build !windows

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf is the largest memory that a process had which has ended, in MiB; 0 if the system does not tell.
func peakOf(ended *os.ProcessState) float64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1024.0                // KiB
	if runtime.GOOS == "darwin" { // bytes there
		unit = 1 << 20
	}
	return float64(used.Maxrss) / unit
}
