package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestPrompts: whatever is said, called for and imported, in whatever sizes and
// under whatever budgets, a prompt is put together by the rules: system, tail,
// quotes, input, in this order; never more by memory than the budget; an account that adds up;
// no call without its results and no result without its call.
func TestPrompts(t *testing.T) {
	t.Parallel()
	h := setup(t, 2000)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		c := &conversation{house: h, rt: rt, id: session.ID(fmt.Sprintf("s%d", n))}
		for range rapid.IntRange(1, 25).Draw(rt, "turns") {
			c.step()
		}
	})
}

// conversation is a session that is talked to at random, with what its
// transcript must be.
type conversation struct {
	*house
	rt   *rapid.T
	id   session.ID
	want []string
	open []string // calls that wait for results
}

// text is some words: mostly few, now and then very many, of any script.
func (c *conversation) text(name string) string {
	words := [...]string{
		"Rust", "because", "we", "moved", "Ada's", "cluster", "42", "to", "Lima,", "名前は", "not", "\n", "{\"a\":1}", "🦊", "since.", "lorem", "x=y;",
	}
	size := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 400)).Draw(c.rt, name+" size")
	at, step := rapid.IntRange(0, 1000).Draw(c.rt, name+" start"), rapid.IntRange(1, 16).Draw(c.rt, name+" step")
	var text strings.Builder
	for range size {
		text.WriteString(words[at%len(words)] + " ")
		at += step
	}
	return text.String() + "."
}

// step runs one turn and holds its prompt against the rules.
func (c *conversation) step() {
	req := &run.Request{
		Session: c.id, Streaming: rapid.Bool().Draw(c.rt, "streaming"),
		Budget: rapid.OneOf(rapid.Just(0), rapid.IntRange(256, 3000)).Draw(c.rt, "budget"),
	}
	if rapid.IntRange(0, 4).Draw(c.rt, "system") == 0 {
		req.System = []session.Message{{Role: session.System, Content: c.text("system")}, {Role: session.System, Content: "Be brief."}}
	}
	if rapid.IntRange(0, 4).Draw(c.rt, "tools") == 0 {
		req.Tools = c.text("tools")
	}
	req.Messages = c.input()
	sent := words(req.Messages)
	answer := saying{text: c.text("answer")}
	if rapid.IntRange(0, 3).Draw(c.rt, "calls") == 0 {
		answer.text = ""
		for i := range rapid.IntRange(1, 3).Draw(c.rt, "call count") {
			answer.calls = append(answer.calls, run.ToolCall{Index: i, ID: fmt.Sprintf("c%d_%d", len(c.want), i), Name: "look", Arguments: `{"a":"` + strings.Repeat("b", i*200) + `"}`})
		}
	}
	c.model.script = []saying{answer}
	got := c.turn(req)
	if got.err != nil {
		c.rt.Fatalf("got %v of %v", got.err, sent)
	}
	c.check(req, got)
	c.want = append(append(c.want, sent...), "assistant:"+answer.text)
	c.open = nil
	for _, call := range answer.calls {
		c.open = append(c.open, call.ID)
	}
	c.checkTranscript()
}

// input is a message of the user, or the results that are waited for.
func (c *conversation) input() []session.Message {
	if len(c.open) > 0 && rapid.IntRange(0, 5).Draw(c.rt, "answers calls") > 0 {
		var out []session.Message
		for _, id := range c.open {
			out = append(out, session.Message{Role: session.Tool, ToolCallID: id, Content: c.text("result")})
		}
		return out
	}
	return []session.Message{{Role: session.User, Content: fmt.Sprintf("%d: %s", len(c.want), c.text("said"))}}
}

// checkTranscript holds that all that was said is stored, and nothing else.
func (c *conversation) checkTranscript() {
	if len(c.want) == 0 {
		return
	}
	got := words(c.transcript(c.id))
	for i := range got {
		got[i] = strings.TrimSuffix(got[i], " (tool_calls)")
	}
	if diff := cmp.Diff(c.want, got); diff != "" {
		c.rt.Fatalf("transcript (-want +got):\n%s", diff)
	}
}

// check holds a prompt against the rules.
func (c *conversation) check(req *run.Request, got told) {
	prompt := c.model.last()
	budget := req.Budget
	if budget == 0 {
		budget = 2000
	}
	account := got.result.Context
	if sum := account.System + account.Memory + account.Tail + account.Input; account.Sent != sum || account.Budget != budget {
		c.rt.Fatalf("got the account %+v, want parts that add up, and a budget of %d", account, budget)
	}
	if room := max(budget-account.Client, min(runtest.Floor, budget)); account.Sent-account.Client > room {
		c.rt.Fatalf("got the account %+v: memory added more than %d", account, room)
	}
	if n := size(prompt); n > account.Sent {
		c.rt.Fatalf("the prompt has %d tokens, the account says %d", n, account.Sent)
	}
	c.checkOrder(prompt, len(req.Messages))
	checkCalls(c.rt, prompt)
}

// checkOrder: system, tail in the order it was said, quotes, input. Results are sent with
// the message of the user that they belong to.
func (c *conversation) checkOrder(prompt []session.Message, input int) {
	rest := prompt
	if len(rest) > 0 && rest[0].Role == session.System {
		rest = rest[1:]
	}
	last := int64(-1)
	quotes := 0
	for i := range rest {
		m := &rest[i]
		isQuotes := m.Role == session.User && strings.HasPrefix(m.Content, "[Memory: ")
		switch {
		case m.Role == session.System:
			c.rt.Fatalf("there is a second system message: %q", words(prompt))
		case isQuotes:
			later := slices.IndexFunc(rest[min(i+2, len(rest)):], func(m session.Message) bool { return m.Role == session.User })
			if quotes++; quotes > 1 || later >= 0 {
				c.rt.Fatalf("quotes in the wrong place: %q", words(prompt))
			}
		case m.Seq <= last:
			c.rt.Fatalf("message %d stands behind %d: %q", m.Seq, last, words(prompt))
		default:
			last = m.Seq
		}
	}
	if int(last) != len(c.want)+input-1 {
		c.rt.Fatalf("the prompt ends with message %d, want the input's last, %d", last, len(c.want)+input-1)
	}
}

// checkCalls: a call is followed by its results, and a result stands behind its
// call.
func checkCalls(t *rapid.T, prompt []session.Message) {
	var open []string
	for i := range prompt {
		m := &prompt[i]
		if m.Role == session.Tool {
			if len(open) == 0 || open[0] != m.ToolCallID {
				t.Fatalf("result %s stands where %q is waited for: %q", m.ToolCallID, open, words(prompt))
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			t.Fatalf("the calls %q have no results: %q", open, words(prompt))
		}
		for _, call := range openai.UnmarshalCalls(m.ToolCalls) {
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		t.Fatalf("the prompt ends with the calls %q: %q", open, words(prompt))
	}
}
