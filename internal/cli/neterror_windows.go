package cli

import (
	"errors"

	"golang.org/x/sys/windows"
)

// portTaken reports whether another program listens on an address. Windows numbers the
// errors of sockets apart: syscall.EADDRINUSE is another number. A port that Windows has
// reserved, or that another program holds alone, is taken, too.
func portTaken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}

// addressAbsent reports whether the machine does not have an address.
func addressAbsent(err error) bool { return errors.Is(err, windows.WSAEADDRNOTAVAIL) }

// connectionRefused reports whether nobody listens on an address.
func connectionRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// connectionReset reports whether the other side has ended a connection.
func connectionReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED)
}
