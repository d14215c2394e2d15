package run

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
)

// Attendant follows the tools of a turn while it runs. Concurrent tool calls may call
// its methods at once.
type Attendant interface {
	// Began is told of a call before it is run.
	Began(c ToolRequest)
	// Ended is told what became of it.
	Ended(u lineage.ToolUse)
	// Approve asks whether a call may be run that needs a person's word. It waits
	// for the answer as long as it sees fit, and returns "" for yes, or, for the
	// model, why not. Its time is not counted as that of the tools.
	Approve(ctx context.Context, c ToolRequest) (refusal string)
}

// unattended is the result of a call that needs approval in a turn without an
// attendant.
const unattended = "not run: this tool needs a person's approval, and this turn has no way to ask for it.  " +
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
	who.Ended(lineage.ToolUse{Name: c.Function.Name, CallID: c.ID, OK: !r.Failed, MS: t.runner.config.Now().Sub(began).Milliseconds()})
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

// allowance is the total time for the tools of a turn. It is paused while a call waits
// for approval.
type allowance struct {
	cancel context.CancelFunc

	mu     sync.Mutex
	left   time.Duration
	since  time.Time
	paused int
	timer  *time.Timer
}

func newAllowance(total time.Duration, cancel context.CancelFunc) *allowance {
	return &allowance{cancel: cancel, left: total, since: time.Now(), timer: time.AfterFunc(total, cancel)}
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
			cancel := a.cancel
			a.timer = time.AfterFunc(max(0, a.left), cancel)
		}
	}
}

// stop ends the clock without ending the time.
func (a *allowance) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
}
