// Package prove plays scenarios against a server: each is a promise with the
// steps that show whether it holds. The promises of this program come with it
// (scenarios/*.yaml); people write their own in the same form.
//
// A scenario gets a home, a scripted model and a clock of its own, so two months
// of talk take seconds and nothing of the person's is touched. The package
// knows the API and nothing behind it: how a server is started is the caller's.
package prove

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"
)

// Start runs a server as a scenario asks for it.
type Start func(ctx context.Context, setup Setup) (*Server, error)

// Setup says what kind of server a scenario needs.
type Setup struct {
	Home string
	// Model is the base URL of the model's server; "" means there is none.
	Model string
	// Budget bounds what is sent to the model, in tokens; 0 is the default.
	Budget int
	// Process asks for a process of its own, which can be killed. Its clock is
	// the machine's.
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
	// Stop ends the server in order.
	Stop func() error
	// Pass fires the jobs that are due by a clock that was set; nil where the
	// server has the machine's clock, and fires by itself.
	Pass func(context.Context) error
	// Kill ends it as a crash would; nil where there is no process to kill.
	Kill func() error
}

// Outcome is what became of a scenario.
type Outcome struct {
	Name    string        `json:"name"`
	Promise string        `json:"promise"`
	Holds   bool          `json:"holds"`
	Turns   int           `json:"turns"`
	Took    time.Duration `json:"-"`
	Seconds float64       `json:"seconds"`
	// Why says which step failed, and how; "" when the promise holds.
	Why string `json:"why,omitempty"`
}

// Play plays one scenario in a temporary home.
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
