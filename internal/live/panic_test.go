package live_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestPanics: a run in which something panics has failed and says so, its place and
// its session are free, and the server goes on.
func TestPanics(t *testing.T) {
	t.Parallel()
	broken := func(when string) func(context.Context, int, func(run.Delta) bool) error {
		return func(_ context.Context, n int, say func(run.Delta) bool) error {
			if n > 1 {
				say(text("An answer."))
				say(finish("stop"))
				return nil
			}
			if when == "within" {
				say(text("Half of"))
			}
			panic("a model broke down")
		}
	}
	for _, when := range []string{"before", "within"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) {
					h.model.script = broken(when)
					h.limits = live.Limits{Running: 1, OwnersRunning: 1}
				})
				defer h.end()
				rec := h.start(h.spec("s", "Go."))
				if got := line(h.follow(rec.ID, 0)); !strings.HasSuffix(got, "run.failed") {
					t.Errorf("got %q, want a run that failed", got)
				}
				got := h.record(rec.ID)
				if got.State != live.Failed || got.Failure == nil || got.Failure.Kind != fault.Internal || strings.Contains(got.Failure.Message, "broke") {
					t.Errorf("got %s, %+v, want it failed with an internal error", got.State, got.Failure)
				}
				next := h.start(h.spec("s", "Again."))
				if got := line(h.follow(next.ID, 0)); !strings.HasSuffix(got, "An answer. run.completed") {
					t.Errorf("got %q, want the next run of the session to complete", got)
				}
			})
		})
	}
}

// brittle is a tool whose description of itself, or whose call, panics.
type brittle struct{ offering bool }

func (b brittle) Offer(context.Context, *run.Grant) []run.ToolDefinition {
	if b.offering {
		panic("a tool broke down")
	}
	return []run.ToolDefinition{{Name: "shell", Parameters: json.RawMessage(`{"type":"object"}`), Parallel: true}}
}

func (brittle) Check([]run.ToolChoice) error { return nil }

func (brittle) Call(context.Context, *run.Grant, run.ToolRequest) run.ToolResult {
	panic("a tool broke down")
}

// TestPanicsOfTools: a tool that panics is a failed call, or a failed run.
func TestPanicsOfTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tools brittle
		ends  string
	}{{brittle{}, "So be it. run.completed"}, {brittle{offering: true}, "run.failed"}} {
		synctest.Test(t, func(t *testing.T) {
			h := setup(t, func(h *house) { h.model.script, h.tools = calls(2), tt.tools })
			defer h.end()
			rec := h.start(h.spec("s", "Go."))
			if got := line(h.follow(rec.ID, 0)); !strings.HasSuffix(got, tt.ends) {
				t.Errorf("got %q, want %q at the end", got, tt.ends)
			}
		})
	}
}
