package httpapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// Connections bounds the number of open connections, in all and per address. If the
// bound is reached, the longest stalled connection is closed to make room: a connection
// that is idle between two requests, or whose request does not arrive. If no connection
// is stalled, the new one is refused with 503.
//
// Loopback addresses have no bound per address: all programs of this machine come from
// there, and so do all clients of a reverse proxy.
type Connections struct {
	ConnectionLimits

	mu        sync.Mutex
	open      map[*visit]bool
	by        map[netip.Prefix]int
	refusing  int // connections that are being refused
	refusable sync.WaitGroup
}

// ConnectionLimits say how many connections there may be; 0 sets no bound.
type ConnectionLimits struct {
	All, Each int
	// Observe is told why a connection was refused or ended; nil for no observer.
	Observe func(reason string)
}

// Why a connection was refused or ended.
const (
	connectionsFull    = "connections"
	connectionsOfOne   = "address"
	connectionGivesWay = "stalled"
)

// NewConnections returns Connections within limits.
func NewConnections(l ConnectionLimits) *Connections {
	return &Connections{ConnectionLimits: l, open: make(map[*visit]bool), by: make(map[netip.Prefix]int)}
}

// Serve answers the connections of a listener with a server. The server must not be
// used otherwise, except by other calls of Serve.
func (c *Connections) Serve(srv *http.Server, l net.Listener) error {
	return srv.Serve(boundListener{l, c})
}

// Watch makes a server report the state of its connections. It is called before Serve.
func (c *Connections) Watch(srv *http.Server) {
	srv.ConnState = func(conn net.Conn, s http.ConnState) {
		if v, ok := conn.(*visit); ok {
			v.state(s)
		}
	}
	srv.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if v, ok := conn.(*visit); ok {
			return context.WithValue(ctx, visitKey{}, v)
		}
		return ctx
	}
}

// Wait returns when all refusals have been sent.
func (c *Connections) Wait() { c.refusable.Wait() }

// Open is how many connections there are.
func (c *Connections) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

type boundListener struct {
	net.Listener
	connections *Connections
}

// Accept implements net.Listener. The server does not see refused connections.
func (l boundListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if v := l.connections.admit(conn); v != nil {
			return v, nil
		}
	}
}

// admit registers a connection; nil if it was refused.
func (c *Connections) admit(conn net.Conn) *visit {
	v := &visit{Conn: conn, connections: c, from: networkOf(conn.RemoteAddr()), since: time.Now()}
	c.mu.Lock()
	var out *visit // the connection to close
	reason := c.full(v)
	if reason != "" {
		if out = c.stalled(v, reason); out != nil {
			c.forget(out)
		}
	}
	if reason == "" || out != nil {
		c.open[v] = true
		c.by[v.from]++
		c.mu.Unlock()
		if out != nil {
			c.observe(connectionGivesWay)
			_ = out.Conn.Close()
		}
		return v
	}
	told := c.refusing < maxRefusing
	if told {
		c.refusing++
	}
	c.mu.Unlock()
	c.observe(reason)
	if !told {
		_ = conn.Close()
		return nil
	}
	c.refusable.Go(recovery.Func(func() { c.refuse(conn) }, func(error) { _ = conn.Close() }))
	return nil
}

// full is why a connection cannot be admitted; "" if it can. The caller holds the lock,
// as in stalled and forget.
func (c *Connections) full(v *visit) string {
	switch {
	case c.All > 0 && len(c.open) >= c.All:
		return connectionsFull
	case c.Each > 0 && v.from.IsValid() && c.by[v.from] >= c.Each:
		return connectionsOfOne
	}
	return ""
}

// stalled is the connection to close for a new one: the one that has been stalled the
// longest. If the bound of one address is reached, it is a connection of that address.
func (c *Connections) stalled(v *visit, reason string) *visit {
	var found *visit
	longest := time.Duration(0)
	for other := range c.open {
		if reason == connectionsOfOne && other.from != v.from {
			continue
		}
		if d := other.stalled(v.since); d > longest {
			found, longest = other, d
		}
	}
	return found
}

// forget unregisters a connection, once.
func (c *Connections) forget(v *visit) {
	if !c.open[v] {
		return
	}
	delete(c.open, v)
	if c.by[v.from]--; c.by[v.from] == 0 {
		delete(c.by, v.from)
	}
}

func (c *Connections) observe(reason string) {
	if c.Observe != nil {
		c.Observe(reason)
	}
}

// Bounds of refusals: how many at once, and the timeout for each.
const (
	maxRefusing = 32
	refusalTime = time.Second
)

// refuse answers a connection with 503. It reads and discards the client's request:
// otherwise closing the connection would reset it before the client reads the answer.
func (c *Connections) refuse(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		c.mu.Lock()
		c.refusing--
		c.mu.Unlock()
	}()
	body := errorBody(fault.New(fault.Unavailable, "overloaded", "The server has all the connections that it can serve. Try again shortly."))
	_ = conn.SetDeadline(time.Now().Add(refusalTime))
	_, err := fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
	if half, ok := conn.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		var rest [512]byte
		for err == nil {
			_, err = conn.Read(rest[:])
		}
	}
}

// networkOf is the network that an address counts for: the address itself, or its /64
// for IPv6, because one customer usually has a whole /64. The zero Prefix is this
// machine.
func networkOf(a net.Addr) netip.Prefix {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap()
	if !ip.IsValid() || ip.IsLoopback() {
		return netip.Prefix{}
	}
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	network, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
