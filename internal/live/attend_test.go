package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/run"
)

// shell is a tool that needs a person's word.
type shell struct{ ran atomic.Int32 }

func (*shell) Offer(context.Context, *run.Grant) []run.ToolDefinition {
	return []run.ToolDefinition{{Name: "shell", Description: "Runs a command", Parameters: json.RawMessage(`{"type":"object"}`), Approval: true, Parallel: true}}
}

func (*shell) Check([]run.ToolChoice) error { return nil }

func (s *shell) Call(context.Context, *run.Grant, run.ToolRequest) run.ToolResult {
	s.ran.Add(1)
	return run.ToolResult{Text: "done"}
}

// calls makes a model call the shell so many times at once, then answer.
func calls(times int) func(context.Context, int, func(run.Delta) bool) error {
	return func(_ context.Context, n int, say func(run.Delta) bool) error {
		if n > 1 {
			say(text("So be it."))
			say(finish("stop"))
			return nil
		}
		d := finish("tool_calls")
		for i := range times {
			d.ToolCalls = append(d.ToolCalls, run.ToolCall{Index: i, ID: "call_" + string(rune('a'+i)), Name: "shell", Arguments: `{"command":"ls"}`})
		}
		say(d)
		return nil
	}
}

// TestApproval: a call waits, visibly, for its word or its deadline, while the
// clock of the tools stands still.
func TestApproval(t *testing.T) {
	t.Parallel()
	const asked = "run.started approval.request approval.resolved"
	for _, tt := range []struct {
		name   string
		after  time.Duration
		decide func(h *house, id string) error
		ran    int32
		result string
		events string
	}{
		{"approved", 5 * time.Minute, func(h *house, id string) error {
			_, err := h.registry.Approve(context.Background(), alice(), id, "call_a", true)
			return err
		}, 1, "done", asked + "(approved) tool.started tool.completed So be it. run.completed"},
		{"denied", 5 * time.Minute, func(h *house, id string) error {
			_, err := h.registry.Approve(context.Background(), alice(), id, "", false)
			return err
		}, 0, "Error: not run: the user denied it", asked + "(denied) So be it. run.completed"},
		{"never", 10*time.Minute + time.Second, nil, 0, "Error: not run: it needs the user's approval, and got none within 10m0s", asked + "(expired) So be it. run.completed"},
		{"stopped", time.Minute, func(h *house, id string) error {
			_, err := h.registry.Stop(context.Background(), alice(), id)
			return err
		}, 0, "", asked + "(stopped) run.cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := &shell{}
				h := setup(t, func(h *house) { h.model.script, h.tools = calls(1), tool })
				defer h.end()
				rec := h.start(h.spec("s", "List my files."))
				began := time.Now()
				synctest.Wait()
				got := h.record(rec.ID)
				if got.State != live.Waiting || len(got.Approvals) != 1 || got.Approvals[0].Name != "shell" || !got.Approvals[0].Deadline.Equal(began.Add(10*time.Minute)) {
					t.Errorf("got %s with %+v, want one call that waits", got.State, got.Approvals)
				}
				if _, err := h.registry.Approve(t.Context(), alice(), rec.ID, "call_z", true); fault.CodeOf(err) != "not_waiting" {
					t.Errorf("approve another call: got %v", err)
				}
				<-time.After(tt.after)
				if tt.decide != nil {
					if err := tt.decide(h, rec.ID); err != nil {
						t.Fatal(err)
					}
				}
				if got := line(h.follow(rec.ID, 0)); got != tt.events {
					t.Errorf("got %q, want %q", got, tt.events)
				}
				if tool.ran.Load() != tt.ran {
					t.Errorf("the tool was run %d times, want %d", tool.ran.Load(), tt.ran)
				}
				if tt.result != "" && !strings.Contains(h.transcript("s"), "tool:"+tt.result) {
					t.Errorf("got the transcript %q, want the result %q", h.transcript("s"), tt.result)
				}
				if _, err := h.registry.Approve(t.Context(), alice(), rec.ID, "", true); fault.CodeOf(err) != "not_waiting" {
					t.Errorf("approve what is over: got %v", err)
				}
				if late := h.record(rec.ID); len(late.Approvals) != 0 || !late.State.Over() {
					t.Errorf("got %s with %+v at the end", late.State, late.Approvals)
				}
			})
		})
	}
}

// TestApprovals: each of several parallel calls waits for its own approval.
func TestApprovals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := &shell{}
		h := setup(t, func(h *house) { h.model.script, h.tools = calls(2), tool })
		defer h.end()
		rec := h.start(h.spec("s", "List my files."))
		synctest.Wait()
		if _, err := h.registry.Approve(t.Context(), alice(), rec.ID, "", true); fault.CodeOf(err) != "which_call" {
			t.Errorf("approve without a name: got %v", err)
		}
		got, err := h.registry.Approve(t.Context(), alice(), rec.ID, "call_b", true)
		if err != nil || got.State != live.Waiting || len(got.Approvals) != 1 || got.Approvals[0].CallID != "call_a" {
			t.Errorf("got %s with %+v, %v, want the other call to wait", got.State, got.Approvals, err)
		}
		if got, err = h.registry.Approve(t.Context(), alice(), rec.ID, "call_a", false); err != nil || got.State == live.Waiting {
			t.Errorf("got %s, %v, want nothing to wait", got.State, err)
		}
		h.follow(rec.ID, 0)
		if tool.ran.Load() != 1 {
			t.Errorf("the tool was run %d times, want once", tool.ran.Load())
		}
	})
}

// TestApprovalsAreInOrder: calls that run concurrently are asked about in the model's order, and keep their numbers when
// others are decided.
func TestApprovalsAreInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script, h.tools = calls(6), &shell{} })
		defer h.end()
		rec := h.start(h.spec("s", "List my files."))
		synctest.Wait()
		numbers := func() (out []string) {
			for _, a := range h.record(rec.ID).Approvals {
				out = append(out, fmt.Sprint(a.CallID, " ", a.Number, " of ", a.Of))
			}
			return out
		}
		all := []string{"call_a 1 of 6", "call_b 2 of 6", "call_c 3 of 6", "call_d 4 of 6", "call_e 5 of 6", "call_f 6 of 6"}
		if got := numbers(); !slices.Equal(got, all) {
			t.Errorf("got %q, want %q", got, all)
		}
		for _, call := range []string{"call_b", "call_a"} {
			if _, err := h.registry.Approve(t.Context(), alice(), rec.ID, call, true); err != nil {
				t.Error(err)
			}
		}
		if got := numbers(); !slices.Equal(got, all[2:]) {
			t.Errorf("after two decisions got %q, want %q", got, all[2:])
		}
	})
}

// TestApprovalAtDrain: a server that stops does not wait for people.
func TestApprovalAtDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := setup(t, func(h *house) { h.model.script, h.tools = calls(1), &shell{} })
		rec := h.start(h.spec("s", "List my files."))
		synctest.Wait()
		began := time.Now()
		h.end()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the stop waited %v", waited)
		}
		h.open()
		h.begin()
		defer h.end()
		if got := line(h.follow(rec.ID, 0)); !strings.HasSuffix(got, "So be it. run.completed") {
			t.Errorf("got %q", got)
		}
	})
}

// TestChosenToolsOfARun: the choice of tools waits with the turn.
func TestChosenToolsOfARun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		only    []run.ToolChoice
		offered bool
	}{{"none", []run.ToolChoice{}, false}, {"one", []run.ToolChoice{{Name: "shell"}}, true}, {"no choice", nil, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := setup(t, func(h *house) { h.tools, h.model.script = &shell{}, calls(1) })
				defer h.end()
				spec := h.spec("s", "Do it.")
				spec.Turn.Only = tt.only
				if got := line(h.follow(h.start(spec).ID, 0)); strings.Contains(got, "approval.request") != tt.offered {
					t.Errorf("got %q, want a call of the tool: %v", got, tt.offered)
				}
			})
		})
	}
}
