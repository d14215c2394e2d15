//go:build !windows

package cli

import (
	"errors"
	"syscall"
)

// portTaken reports whether another program listens on an address.
func portTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// addressAbsent reports whether the machine does not have an address.
func addressAbsent(err error) bool { return errors.Is(err, syscall.EADDRNOTAVAIL) }

// connectionRefused reports whether nobody listens on an address.
func connectionRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// connectionReset reports whether the other side has ended a connection.
func connectionReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
