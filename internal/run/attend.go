package run

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/openai"
)

// Attendant follows the tools of a turn while it runs. Its methods may be called
// at once by calls that run beside each other.
type Attendant interface {
	// Began is told of a call before it is run.
	Began(c ToolRequest)
	// Ended is told what became of it.
	Ended(u ToolUse)
	// Approve asks whether a call may be run that needs a person's word. It waits
	// for the answer as long as it sees fit, and returns "" for yes, or, for the
	// model, why not. Its time is not counted as that of the tools.
	Approve(ctx context.Context, c ToolRequest) (refusal string)
}

// unattended is why a call is not run that nobody could be asked about.
const unattended = "not run: this tool needs a person's approval, and nobody can be asked for it in this turn. " +
	"The user can have it done in a run (POST /v1/runs), where the call waits to be approved"

// attended runs a call that its attendant sees, and may refuse.
func (t *turn) attended(ctx context.Context, g *Grant, c *openai.Call, room int) ToolResult {
	who := t.req.Attendant
	if t.box.offered[c.Function.Name].Approval {
		if who == nil {
			return failed(unattended)
		}
		resume := t.box.time.pause()
		refusal := who.Approve(t.box.ctx, requestOf(c, room))
		resume()
		if refusal != "" {
			return failed("not run: %s", refusal)
		}
	}
	if who == nil {
		return t.callTool(ctx, g, c, room)
	}
	began := t.runner.config.Now()
	who.Began(requestOf(c, room))
	r := t.callTool(ctx, g, c, room)
	who.Ended(ToolUse{Name: c.Function.Name, CallID: c.ID, OK: !r.Failed, MS: t.runner.config.Now().Sub(began).Milliseconds()})
	return r
}

// requestOf is a call as tools and attendants are told of it.
func requestOf(c *openai.Call, room int) ToolRequest {
	arguments := json.RawMessage(c.Function.Arguments)
	if c.Function.Arguments == "" {
		arguments = json.RawMessage("{}")
	}
	return ToolRequest{ID: c.ID, Name: c.Function.Name, Arguments: arguments, Room: room}
}

// allowance is the time the tools of a turn have together. It stands still while
// somebody is asked.
type allowance struct {
	end context.CancelFunc

	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	paused int
	timer  *time.Timer
}

func newAllowance(total time.Duration, end context.CancelFunc) *allowance {
	return &allowance{end: end, left: total, since: time.Now(), timer: time.AfterFunc(total, end)}
}

// pause stops the clock until the returned function is called.
func (a *allowance) pause() (resume func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.paused++; a.paused == 1 && a.timer.Stop() {
		a.left -= time.Since(a.since)
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.paused--; a.paused == 0 {
			a.since = time.Now()
			a.timer = time.AfterFunc(max(0, a.left), a.end)
		}
	}
}

// stop ends the clock without ending the time.
func (a *allowance) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
}
