package run_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/run"
)

// attendant writes down what it sees, and answers with what it is told to.
type attendant struct {
	mu      sync.Mutex
	seen    []string
	approve func(ctx context.Context) string
}

func (a *attendant) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = append(a.seen, fmt.Sprintf(format, args...))
}

func (a *attendant) Began(c run.ToolRequest) { a.note("began %s %s", c.Name, c.Arguments) }
func (a *attendant) Ended(u lineage.ToolUse) { a.note("ended %s %v", u.CallID, u.OK) }
func (a *attendant) Ask(ctx context.Context, c run.ToolRequest) func() string {
	a.note("asked %s %s", c.Name, c.Arguments)
	return func() string { return a.approve(ctx) }
}

// TestApproval: a tool that needs a person's word is run with it, and only then.
func TestApproval(t *testing.T) {
	t.Parallel()
	slow := func(string) func(context.Context) string {
		return func(ctx context.Context) string { // longer than tools may take together
			select {
			case <-time.After(1500 * time.Millisecond):
				return ""
			case <-ctx.Done():
				return "the time is over"
			}
		}
	}
	for _, tt := range []struct {
		name    string
		alone   bool
		approve func(context.Context) string
		result  string // its beginning
		seen    []string
	}{
		{
			"approved", false, func(context.Context) string { return "" }, "tool:moin (done)",
			[]string{`asked echo {"text":"moin"}`, `began echo {"text":"moin"}`, "ended call_echo_0 true"},
		},
		{
			"denied", false, func(context.Context) string { return "the user said no" }, "tool:Error: not run: the user said no (failed)",
			[]string{`asked echo {"text":"moin"}`},
		},
		{
			"approved late", false, slow(""), "tool:moin (done)",
			[]string{`asked echo {"text":"moin"}`, `began echo {"text":"moin"}`, "ended call_echo_0 true"},
		},
		{"no person to ask", true, nil, "tool:Error: not run: this tool needs a person's approval", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, k := withTools(t, 8000, run.ToolLimits{Total: time.Second}, "echo")
			k.asked = []string{"echo"}
			a := &attendant{approve: tt.approve}
			req := &run.Request{Session: "s", Messages: user("Try it."), Streaming: true}
			if !tt.alone {
				req.Attendant = a
			}
			h.model.say(calling("", "echo:moin"), saying{text: "So be it."})
			if got := h.turn(req); got.err != nil || got.text != "So be it." {
				t.Fatalf("got %q, %v", got.text, got.err)
			}
			if got := words(h.transcript("s"))[2]; !strings.HasPrefix(got, tt.result) {
				t.Errorf("got %q, want %q", got, tt.result)
			}
			if diff := cmp.Diff(tt.seen, a.seen); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
			if ran := strings.HasSuffix(tt.result, "(done)"); len(k.calls) != 1 == ran {
				t.Errorf("got %d calls of the tool, want it run: %v", len(k.calls), ran)
			}
		})
	}
}
