// Package prove runs scenarios against a server. A scenario is a promise with the steps
// that check it. The scenarios of this program are embedded (scenarios/*.yaml); users
// write their own in the same form.
//
// A scenario has a separate home, scripted model and clock, so two months of
// conversation take seconds and the user's data is not touched. The package only knows
// the API; the caller starts the servers.
package prove

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"
)

// Start starts a server for a scenario.
type Start func(ctx context.Context, setup Setup) (*Server, error)

// Setup describes the server that a scenario needs.
type Setup struct {
	Home string
	// Model is the base URL of the model server; "" means none.
	Model string
	// Budget bounds the context, in tokens; 0 means the default.
	Budget int
	// Process requests a separate process, which can be killed. Its clock is the system
	// clock.
	Process bool
	// Now is the clock, unless Process is set.
	Now func() time.Time
}

// Server is a server under test.
type Server struct {
	HTTP *http.Client
	URL  string
	// Token is the local owner's.
	Token string
	// Stop ends the server normally.
	Stop func() error
	// Pass runs the jobs that are due after the clock was advanced; nil if the server
	// uses the system clock.
	Pass func(context.Context) error
	// Kill ends the server like a crash; nil without a process.
	Kill func() error
}

// Outcome is the outcome of a scenario.
type Outcome struct {
	Name    string        `json:"name"`
	Promise string        `json:"promise"`
	Holds   bool          `json:"holds"`
	Turns   int           `json:"turns"`
	Took    time.Duration `json:"-"`
	Seconds float64       `json:"seconds"`
	// Why is the failed step and its error; "" if the promise holds.
	Why string `json:"why,omitempty"`
}

// Play runs one scenario in a temporary home.
func Play(ctx context.Context, start Start, s *Scenario) Outcome {
	begun := time.Now()
	out := Outcome{Name: s.Name, Promise: s.Promise}
	home, err := os.MkdirTemp("", "hermes-prove-")
	if err != nil {
		out.Why = fmt.Sprintf("no temporary directory: %v", err)
		return out
	}
	p := newPlayer(start, s, home)
	err = p.play(ctx)
	if closed := p.close(); err == nil {
		err = closed
	}
	if removed := os.RemoveAll(home); err == nil {
		err = removed
	}
	out.Turns, out.Took, out.Holds = int(p.turns.Load()), time.Since(begun), err == nil
	out.Seconds = out.Took.Seconds()
	if err != nil {
		out.Why = err.Error()
	}
	return out
}
