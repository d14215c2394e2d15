package discord

import (
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Names of states.
const (
	connecting = "connecting"
	connected  = "connected"
	stopped    = "stopped"
)

// state is the state of the connection.
type state struct {
	now func() time.Time

	mu     sync.Mutex
	health gateway.Health // guarded by mu
}

func newState(now func() time.Time) *state {
	return &state{now: now, health: gateway.Health{State: stopped, Since: now()}}
}

// set changes the state, and its time if the name changes.
func (s *state) set(name, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.health.State != name {
		s.health.Since = s.now()
	}
	s.health.State, s.health.Reason = name, reason
}

// Health is the state of the connection.
func (a *Adapter) Health() gateway.Health {
	a.state.mu.Lock()
	defer a.state.mu.Unlock()
	return a.state.health
}
