//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSize reports changes of the terminal's size until the returned function is
// called.
func watchSize() (<-chan os.Signal, func()) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	return resized, func() { signal.Stop(resized) }
}
