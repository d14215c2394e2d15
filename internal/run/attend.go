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
	// Began is called before a tool call is run.
	Began(c ToolRequest)
	// Ended is called with the outcome of a tool call.
	Ended(u lineage.ToolUse)
	// Ask asks a person whether a tool call may be run, and does not wait for the person.
	// The calls of an answer that run concurrently are asked about in the model's order.
	// decided waits as long as it likes. It returns "" for yes, or the reason for no, in
	// words for the model. The wait does not count against the time for tools.
	Ask(ctx context.Context, c ToolRequest) (decided func() (refusal string))
}

// unattended is the result of a call that needs approval in a turn without an
// attendant.
const unattended = "not run: this tool needs a person's approval, and this turn has no way to ask for it.  " +
	"The user can have it done in a run (POST /v1/runs), where the call waits to be approved"

// asking is how many of the calls that run in a round need an approval.
func (t *turn) asking(calls []openai.Call) int {
	n := 0
	for i := range calls[:min(len(calls), t.box.limits.Calls)] {
		if t.box.offered[calls[i].Function.Name].Approval {
			n++
		}
	}
	return n
}

// askFor asks whether a call may be run. The returned function waits for the decision: "" for yes, or the reason for no. A call that
// needs no approval is not asked about.
func (t *turn) askFor(c *openai.Call, room, asking int) (decided func() (refusal string)) {
	who := t.req.Attendant
	switch {
	case !t.box.offered[c.Function.Name].Approval:
		return func() string { return "" }
	case who == nil:
		return func() string { return unattended }
	}
	request := requestOf(c, room)
	request.Asking = asking
	resume := t.box.time.pause()
	wait := who.Ask(t.box.ctx, request)
	return func() string {
		defer resume()
		if refusal := wait(); refusal != "" {
			return "not run: " + refusal
		}
		return ""
	}
}

// attended runs a tool call under an attendant, which may refuse it.
func (t *turn) attended(ctx context.Context, g *Grant, c *openai.Call, room int, decided func() string) ToolResult {
	if _, offered := t.box.offered[c.Function.Name]; !offered {
		return failed("there is no tool %q in this turn", c.Function.Name)
	}
	if refusal := decided(); refusal != "" {
		return failed("%s", refusal)
	}
	who := t.req.Attendant
	if who == nil {
		return t.callTool(ctx, g, c, room)
	}
	began := t.runner.config.Now()
	who.Began(requestOf(c, room))
	r := t.callTool(ctx, g, c, room)
	who.Ended(lineage.ToolUse{Name: c.Function.Name, CallID: c.ID, OK: !r.Failed, MS: t.runner.config.Now().Sub(began).Milliseconds()})
	return r
}

// requestOf is a call in the form for tools and attendants.
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

// stop stops the clock for good; the remaining time does not expire.
func (a *allowance) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
}
