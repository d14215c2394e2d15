package httpapi

import (
	"context"
	"sync"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// Sockets are the open WebSocket connections. net/http does not count them: it hands them
// over.
type Sockets struct {
	stopping chan struct{}
	cut      context.Context //nolint:containedctx // the end of all connections
	cutOff   context.CancelFunc

	mu      sync.Mutex
	stopped bool
	open    sync.WaitGroup
}

// NewSockets returns Sockets without a connection.
func NewSockets() *Sockets {
	s := &Sockets{stopping: make(chan struct{})}
	s.cut, s.cutOff = context.WithCancel(context.Background())
	return s
}

// enter counts a connection, until leave is called. ok is false once the server stops.
func (s *Sockets) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, false
	}
	s.open.Add(1)
	return s.open.Done, true
}

// Shutdown ends the connections, each after the response under way, and returns when they
// are closed. When ctx is done, it cuts them off.
func (s *Sockets) Shutdown(ctx context.Context) {
	s.mu.Lock()
	if !s.stopped {
		s.stopped = true
		close(s.stopping)
	}
	s.mu.Unlock()
	defer context.AfterFunc(ctx, recovery.Func(s.cutOff, func(error) {}))()
	s.open.Wait()
}
