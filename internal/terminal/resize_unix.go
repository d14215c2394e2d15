//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSize tells when the terminal gets another size, until the function it
// returns is called.
func watchSize() (<-chan os.Signal, func()) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	return resized, func() { signal.Stop(resized) }
}
