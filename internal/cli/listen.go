package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// listening are the addresses of the server.
type listening struct {
	listeners []net.Listener
	addr      string // the first, as host:port
	public    bool   // beyond this machine
	chat      bool   // of a chat, for as long as it lasts
	socket    string // the socket file of this account; "" for none
	socketDir string // made for it, because the path of the home is too long
	// ollama is the address of an Ollama on the usual port; "" for none.
	ollama string
	// admin is the listener for metrics without a key; nil for none.
	admin net.Listener
	// transport is the transport for calls of upstreams; nil is the default.
	transport http.RoundTripper
}

// listen opens the configured address. If none is configured and an Ollama has the
// usual port, the server uses another port, and the Ollama as its upstream.
func listen(ctx context.Context, cfg *config.Config) (*listening, error) {
	addr := cfg.Addr()
	l, err := open(ctx, addr)
	if err == nil || !portTaken(err) {
		return l, err
	}
	if !cfg.AddrChosen() && upstream.IsOllama(ctx, addr) {
		other := net.JoinHostPort(config.DefaultHost, strconv.Itoa(config.OtherPort))
		l, err := open(ctx, other)
		if err != nil {
			return nil, fault.Wrap(fault.Unavailable, "address_in_use", "Ollama holds "+addr+", and "+other+
				" is taken, too. Choose an address: hermes serve --addr 127.0.0.1:PORT", err)
		}
		l.ollama = addr
		return l, nil
	}
	return nil, err
}

// open listens on an address. A loopback address is opened for IPv4 and IPv6.
func open(ctx context.Context, addr string) (*listening, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, usageError{fmt.Errorf("%q is no address: use host:port, such as 127.0.0.1:11434", addr)}
	}
	if host == "localhost" {
		host = config.DefaultHost
	}
	var lc net.ListenConfig
	first, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, cannotListen(addr, "hermes serve --addr 127.0.0.1:PORT", err)
	}
	l := &listening{listeners: []net.Listener{first}, addr: first.Addr().String()}
	l.public = isPublic(host)
	if host == config.DefaultHost {
		_, port, _ = net.SplitHostPort(l.addr)
		// Many clients resolve localhost to ::1 first. A machine without IPv6 has no
		// such address.
		if second, err := lc.Listen(ctx, "tcp", net.JoinHostPort("::1", port)); err == nil {
			l.listeners = append(l.listeners, second)
		}
	}
	return l, nil
}

// cannotListen explains why an address cannot be opened. other is how another one is chosen.
func cannotListen(addr, other string, err error) error {
	host, port, _ := net.SplitHostPort(addr)
	says := "Cannot listen on " + addr + ": " + fault.Innermost(err).Error() + "."
	var name *net.DNSError
	switch {
	case portTaken(err):
		return fault.Wrap(fault.Unavailable, "address_in_use",
			"Another program listens on "+addr+" already. Stop it, or choose another address: "+other, err)
	case errors.As(err, &name):
		says = "The name " + host + " cannot be resolved, so there is no address to listen on."
	case addressAbsent(err):
		says = "This machine does not have the address " + host + "."
	case errors.Is(err, fs.ErrPermission):
		says = "This account may not listen on port " + port + ". Ports below 1024 are often reserved."
	}
	return fault.Wrap(fault.Unavailable, "address_unusable", says+" Choose another address: "+other, err)
}

// isPublic reports whether other machines can reach a host that a server listens on.
func isPublic(host string) bool {
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (l *listening) close() {
	if l.admin != nil {
		_ = l.admin.Close()
	}
	for _, ln := range l.listeners {
		_ = ln.Close() // nothing was accepted
	}
	l.closeSocket()
}
