package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// visit is a connection and its phase.
type visit struct {
	net.Conn
	connections *Connections
	from        netip.Prefix

	mu     sync.Mutex
	phase  phase
	since  time.Time     // start of the phase or of the current read
	waited time.Duration // for the body, before the current read
	read   int64         // bytes of the body, before the current read
}

// phase is what a connection is doing.
type phase int

const (
	arriving phase = iota // its first request has not begun to be served
	working               // its request is being served
	sending               // the server waits for more of a request's body
	idle                  // between two requests
)

type visitKey struct{}

// visitOf is the connection of a request; nil if it is unknown.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// state records a connection state that net/http reports.
func (v *visit) state(s http.ConnState) {
	switch s {
	case http.StateActive, http.StateNew: // a request arrives, or may arrive soon
		v.enter(arriving, 0, 0)
	case http.StateIdle:
		v.enter(idle, 0, 0)
	case http.StateHijacked, http.StateClosed: // never stalled: the connection is closed or taken over
		v.enter(working, 0, 0)
	}
}

// works says that the request is being processed.
func (v *visit) works() { v.enter(working, 0, 0) }

// reads says that the server waits for more of a body: waited and read are the time and
// the bytes so far.
func (v *visit) reads(waited time.Duration, read int64) { v.enter(sending, waited, read) }

func (v *visit) enter(p phase, waited time.Duration, read int64) {
	if v == nil {
		return
	}
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.phase, v.since, v.waited, v.read = p, now, waited, read
}

// patience is how long an arriving request may be slow without counting as stalled.
const patience = 2 * time.Second

// stalled is how long the connection has been stalled; 0 if it is not.
func (v *visit) stalled(now time.Time) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	lasted := now.Sub(v.since)
	switch v.phase {
	case idle:
		return max(lasted, 1)
	case arriving:
		if lasted > patience {
			return lasted
		}
	case sending:
		lasted += v.waited
		if lasted > patience+time.Duration(v.read)*time.Second/slowestBody {
			return lasted
		}
	case working:
	}
	return 0
}

// Close implements net.Conn.
func (v *visit) Close() error {
	v.connections.mu.Lock()
	v.connections.forget(v)
	v.connections.mu.Unlock()
	return v.Conn.Close()
}

// CloseWrite lets net/http close its side first.
func (v *visit) CloseWrite() error {
	if half, ok := v.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
