package gateway_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
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
// the place of the buttons. What was decided about stays.
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
		decided := strings.Replace(asked[0].text, "Or /approve, /deny.", "✅ Allowed.", 1)
		if said := h.wire.said(); calls != 1 || said[0] != decided || len(h.requests()) != 0 {
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

// TestApprovalByCommand: a call is decided about by its number, by the person who asked or by an admin. For another
// number, people are told which calls wait.
func TestApprovalByCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := pulling(t, &calls)
		defer h.end()
		h.bot.Chats, h.bot.Admins = []string{"-42"}, []string{"boss"}
		say := func(user, text string) string {
			t.Helper()
			before := len(h.wire.said())
			h.receive(h.group(user, "Somebody", text, true))
			pass(10 * time.Second)
			return strings.Join(h.wire.said()[before:], "\n")
		}
		want(t, "nothing waits", say(ada, "/approve 2"), "Nothing waits for an approval.")
		if asked := say(ada, "Pull it."); !strings.Contains(asked, "May I run lever?") || !strings.HasSuffix(asked, "Or /approve, /deny.") {
			t.Errorf("got %q, want a request", asked)
		}
		want(t, "another number", say(ada, "/approve 2"), "There is no call 2. What waits for an approval:\n\n1. lever")
		if got := say(ada, "/status"); !strings.Contains(got, "Waits for an approval: 1. lever. /approve or /deny decides.") {
			t.Errorf("/status is answered with %q, want the call that waits", got)
		}
		want(t, "another person", say("eve", "/approve"), "Only the person who asked, or an admin, may decide that.")
		want(t, "calls", calls, 0)
		say("boss", "/approve 1")
		want(t, "calls", calls, 1)
		if got := say(ada, "/status"); strings.Contains(got, "approval") {
			t.Errorf("/status is answered with %q, and nothing waits", got)
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

// levers is lever with calls that run concurrently, and the arguments of the calls that were made.
type levers struct {
	lever
	mu     sync.Mutex
	pulled []string
}

func (l *levers) Offer(ctx context.Context, g *run.Grant) []run.ToolDefinition {
	out := l.lever.Offer(ctx, g)
	out[0].Parallel = true
	return out
}

func (l *levers) Call(_ context.Context, _ *run.Grant, r run.ToolRequest) run.ToolResult {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pulled = append(l.pulled, string(r.Arguments))
	return run.ToolResult{Text: "pulled"}
}

// TestSeveralApprovals: several calls are asked about in the model's order, with numbers that stay when others are decided.
// A command without a number decides nothing as long as several wait.
func TestSeveralApprovals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := &levers{}
		h := setup(t, func(h *house) {
			h.tools = tool
			h.model.calls = func(p *run.Prompt) (out []run.ToolCall) {
				if p.Messages[len(p.Messages)-1].Role == "tool" {
					return nil
				}
				for i, at := range []string{"left", "middle", "right"} {
					out = append(out, run.ToolCall{Index: i, ID: "call_" + at, Name: "lever", Arguments: `{"at":"` + at + `"}`})
				}
				return out
			}
		})
		defer h.end()
		say := func(text string) string {
			t.Helper()
			before := len(h.wire.said())
			h.receive(h.dm(ada, text))
			pass(10 * time.Second)
			return strings.Join(h.wire.said()[before:], "\n")
		}
		say("Pull them.")
		asked := h.requests()
		want(t, "requests", len(asked), 3)
		for i, at := range []string{"left", "middle", "right"} {
			n := strconv.Itoa(i + 1)
			if text := asked[i].text; !strings.HasPrefix(text, n+". May I run lever?") || !strings.Contains(text, at) || !strings.HasSuffix(text, "Or /approve "+n+", /deny "+n+".") {
				t.Errorf("request %s is %q", n, text)
			}
		}
		all := "1. lever {\"at\":\"left\"}\n2. lever {\"at\":\"middle\"}\n3. lever {\"at\":\"right\"}"
		want(t, "no number", say("/approve"), "Several calls wait for an approval. Name one by its number, such as /approve 1:\n\n"+all)
		want(t, "no number", say("/deny"), "Several calls wait for an approval. Name one by its number, such as /deny 1:\n\n"+all)
		say("/deny 1")
		want(t, "a decided one", say("/deny 1"), "There is no call 1. What waits for an approval:\n\n"+all[strings.Index(all, "2."):])
		say("/approve 2")
		say("/approve")
		h.settled()
		want(t, "pulled", tool.pulled, []string{`{"at":"middle"}`, `{"at":"right"}`})
		for i, end := range []string{"🚫 Not allowed.", "✅ Allowed.", "✅ Allowed."} {
			text, _, _ := strings.Cut(asked[i].text, "Or /")
			want(t, "decided", h.wire.said()[i], text+end)
		}
	})
}
