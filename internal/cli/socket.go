package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/hermes-memory/hermes/internal/fault"
)

const (
	socketName = "hermes.sock"
	// longestSocket is the longest path of a socket that all systems accept, in bytes.
	longestSocket = 103
)

// openSocket also listens on a socket file in the home, to which only this account can
// connect. The caller owns the home's lock, so an existing file was left by a killed
// server. If the file system supports no sockets, there is none.
func (l *listening) openSocket(ctx context.Context, home string) error {
	path := filepath.Join(home, socketName)
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode()&fs.ModeSocket == 0:
		return fault.New(fault.Conflict, "socket_in_use", path+" is no socket. Move it away: the server wants to listen there.")
	case err == nil:
		err = os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("remove the socket of a server that was killed: %w", err)
	}
	if socket, path, dir := bindSocket(ctx, path); socket != nil {
		l.listeners, l.socket, l.socketDir = append(l.listeners, socket), path, dir
	}
	return nil
}

// bindSocket listens on a socket file that this account alone can connect to: at the
// path, or in a new directory if the path is too long. socket is nil if the system
// offers neither.
func bindSocket(ctx context.Context, path string) (socket net.Listener, at, dir string) {
	if len(path) > longestSocket {
		var err error
		if dir, err = os.MkdirTemp(os.Getenv("XDG_RUNTIME_DIR"), "hermes-"); err != nil { // mode 0700
			return nil, "", ""
		}
		path = filepath.Join(dir, socketName)
	}
	var lc net.ListenConfig
	socket, err := lc.Listen(ctx, "unix", path)
	if err == nil {
		if err = os.Chmod(path, 0o600); err != nil {
			_ = socket.Close()
		}
	}
	if err != nil {
		if dir != "" {
			_ = os.Remove(dir)
		}
		return nil, "", ""
	}
	return socket, path, dir
}

// closeSocket removes the socket's directory; the file is removed with its listener.
func (l *listening) closeSocket() {
	if l.socketDir != "" {
		_ = os.Remove(l.socketDir)
	}
}

// base is the URL of the server, with a host name that it accepts.
func (f *serverFile) base() string {
	host, port, err := net.SplitHostPort(f.Address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + f.Address
}

// transport leads to the server of the file: by its socket if it has one that can be
// reached, else by its address. A connection for each call: one that is kept could be
// closed by a server that is ending just when the next call is under way.
func (f *serverFile) transport() *http.Transport {
	var d net.Dialer
	return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if f.Socket != "" {
			if conn, err := d.DialContext(ctx, "unix", f.Socket); err == nil {
				return conn, nil
			}
		}
		return d.DialContext(ctx, network, addr)
	}}
}
