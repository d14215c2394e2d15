package main

import "os"

// peakOf is 0: Windows does not tell of a process which has ended.
func peakOf(*os.ProcessState) float64 { return 0 }
