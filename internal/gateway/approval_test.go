package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/run"
)

// lever is a tool that needs an approval, and counts its calls.
type lever struct{ calls *int }

func (l lever) Offer(context.Context, *run.Grant) []run.ToolDefinition {
	return []run.ToolDefinition{{Name: "lever", Description: "Pull it.", Parameters: json.RawMessage(`{"type":"object"}`), Approval: true}}
}

func (l lever) Call(context.Context, *run.Grant, run.ToolRequest) run.ToolResult {
	*l.calls++
	return run.ToolResult{Text: "pulled"}
}

func (l lever) Check([]run.ToolChoice) error { return nil }

// pulling is a house whose model pulls the lever once in each attempt, under the same id.
func pulling(t *testing.T, calls *int) *house {
	t.Helper()
	return setup(t, func(h *house) {
		h.tools = lever{calls}
		h.model.calls = func(p *run.Prompt) []run.ToolCall {
			if p.Messages[len(p.Messages)-1].Role == "tool" {
				return nil
			}
			return []run.ToolCall{{ID: "call_0", Name: "lever", Arguments: "{}"}}
		}
		h.model.script = func(_ context.Context, _ *run.Prompt, say func(string)) error {
			say("It is done.")
			return nil
		}
	})
}

// press presses a button of a message.
func (h *house) press(user string, m *shown, button int) {
	e := h.dm(user, "")
	e.Kind, e.Message, e.Button = gateway.Pressed, m.id, m.buttons[button].ID
	h.receive(e)
}

// requests are the messages that have buttons.
func (h *house) requests() (out []shown) {
	h.wire.mu.Lock()
	defer h.wire.mu.Unlock()
	for _, s := range h.wire.shown {
		if len(s.buttons) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// TestApproval: a tool runs once, however often the button is pressed, and the decision takes
// the place of the buttons.
func TestApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := pulling(t, &calls)
		defer h.end()
		h.receive(h.dm(ada, "Pull it."))
		pass(10 * time.Second)
		asked := h.requests()
		if len(asked) != 1 || !strings.Contains(asked[0].text, "lever") || calls != 0 {
			t.Fatalf("got %+v and %d calls, want a request", asked, calls)
		}
		h.press(ada, &asked[0], 0)
		h.press(ada, &asked[0], 0)
		h.settled()
		if said := h.wire.said(); calls != 1 || said[0] != "✅ Allowed." || len(h.requests()) != 0 {
			t.Errorf("got %d calls, and said was %q", calls, said)
		}
	})
}

// TestApprovalOverRestart: a call is asked for anew after a restart, also under the same id. The
// old buttons are void.
func TestApprovalOverRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := pulling(t, &calls)
		h.receive(h.dm(ada, "Pull it."))
		pass(10 * time.Second)
		old := h.requests()
		h.end()
		h.begin()
		defer h.end()
		pass(10 * time.Second)
		again := h.requests()
		if len(old) != 1 || len(again) != 1 || again[0].id == old[0].id {
			t.Fatalf("got %+v, then %+v, want another message", old, again)
		}
		h.press(ada, &old[0], 0)
		pass(5 * time.Second)
		if calls != 0 {
			t.Errorf("the old button ran the tool")
		}
		h.press(ada, &again[0], 0)
		h.settled()
		if calls != 1 || len(h.requests()) != 0 {
			t.Errorf("got %d calls, %q", calls, h.wire.said())
		}
	})
}

// TestApprovalShowsSigns: the arguments of a call are shown with the signs that they have.
func TestApprovalShowsSigns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := pulling(t, &calls)
		defer h.end()
		h.model.calls = func(*run.Prompt) []run.ToolCall {
			return []run.ToolCall{{ID: "call_0", Name: "lever", Arguments: `{"run":"cd a && cat <b >c","at":"C:\\u0026"}`}}
		}
		h.receive(h.dm(ada, "Pull it."))
		pass(10 * time.Second)
		asked := h.requests()
		if len(asked) != 1 {
			t.Fatalf("got %+v, want a request", asked)
		}
		for _, part := range []string{`"cd a && cat <b >c"`, `"C:\\u0026"`} {
			if !strings.Contains(asked[0].text, part) {
				t.Errorf("got %q, want %s in it", asked[0].text, part)
			}
		}
	})
}
