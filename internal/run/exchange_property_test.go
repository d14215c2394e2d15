package run_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestPromptsKeepExchangesWhole: turns that crash at any point, their retries between other
// turns, and tools of the server and of the client. Each prompt shows every exchange without
// a gap, and no message twice. Without a tight budget it shows all of them. An undo keeps an
// answer and its input together.
func TestPromptsKeepExchangesWhole(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		c := &crashes{rt: rt}
		for range rapid.IntRange(1, 14).Draw(rt, "turns") {
			c.step()
		}
		id := session.ID(fmt.Sprintf("x%d", n))
		c.store(h, id)
		tight := rapid.IntRange(0, 3).Draw(rt, "tight") == 0
		req := &run.Request{Session: id, Messages: user("Next."), OffRecord: rapid.Bool().Draw(rt, "off record")}
		if tight {
			req.Budget = rapid.IntRange(256, 600).Draw(rt, "budget")
		}
		if got := h.turn(req); got.err != nil && fault.CodeOf(got.err) != "context_length_exceeded" {
			rt.Fatal(got.err)
		} else if got.err == nil {
			c.check(named(h.model.last()), tight)
		}
		if _, err := h.curator.Undo(context.Background(), owner.Local(), id); err != nil {
			rt.Fatal(err)
		}
		stands := make(map[int64]bool)
		for _, m := range h.transcript(id) {
			stands[m.ID] = m.Stands()
			if m.ReplyTo != 0 && stands[m.ReplyTo] != m.Stands() {
				rt.Errorf("%s stands: %v, its input: %v", m.Content, m.Stands(), stands[m.ReplyTo])
			}
		}
	})
}

// crashes makes a transcript whose turns were cut off and retried.
type crashes struct {
	rt        *rapid.T
	ms        []session.Message // as stored
	exchanges []*strand
	lastUser  int64 // the id of the newest message of the user
}

// strand is one exchange of a transcript.
type strand struct {
	ms     []session.Message // its own messages, in order
	input  int64             // the id of the newest message that waits for an answer
	called string            // the call of a tool of the client that has no result yet
	done   bool
}

// step begins an exchange, retries one, or sends the result of a call.
func (c *crashes) step() {
	var open []*strand
	for _, e := range c.exchanges {
		if !e.done && (e.called == "" || e.ms[len(e.ms)-1].ID > c.lastUser) {
			open = append(open, e)
		}
	}
	if len(open) == 0 || rapid.IntRange(0, 2).Draw(c.rt, "begin") == 0 {
		e := &strand{}
		c.exchanges = append(c.exchanges, e)
		c.add(e, session.Message{Role: session.User, Content: fmt.Sprintf("question %d", len(c.exchanges))})
		c.lastUser, e.input = e.ms[0].ID, e.ms[0].ID
		c.turn(e)
		return
	}
	e := rapid.SampledFrom(open).Draw(c.rt, "open")
	if e.called != "" {
		c.add(e, session.Message{Role: session.Tool, ToolCallID: e.called, Content: "of the client"})
		e.called, e.input = "", e.ms[len(e.ms)-1].ID
	}
	c.turn(e)
}

// turn is a turn of an exchange. It may end at any point.
func (c *crashes) turn(e *strand) {
	replyTo := e.input
	if c.ms[len(c.ms)-1].ID == e.input {
		replyTo = 0
	}
	says := func(finish, text, call string) {
		m := session.Message{Role: session.Assistant, Content: text, FinishReason: finish, ReplyTo: replyTo}
		if call != "" {
			m.ToolCalls = []byte(`[{"id":"` + call + `","type":"function","function":{"name":"look","arguments":"{}"}}]`)
		}
		c.add(e, m)
	}
	for {
		call := fmt.Sprintf("call_%d", len(c.ms))
		switch rapid.SampledFrom([]string{"answer", "answer", "crash", "partial", "tool", "client"}).Draw(c.rt, "turn") {
		case "answer":
			says("stop", "answer", "")
			e.done = true
			return
		case "crash":
			return
		case "partial":
			says(session.FinishError, "partial", "")
			return
		case "tool":
			says("tool_calls", "", call)
			c.add(e, session.Message{Role: session.Tool, ToolCallID: call, Content: "of the server", FinishReason: session.ToolDone})
		case "client":
			says("tool_calls", "", call)
			e.called = call
			return
		}
	}
}

// add stores a message. Each has another text.
func (c *crashes) add(e *strand, m session.Message) {
	m.ID = int64(len(c.ms) + 1)
	if len(m.ToolCalls) == 0 {
		m.Content = fmt.Sprintf("%d %s", m.ID, m.Content)
	}
	c.ms, e.ms = append(c.ms, m), append(e.ms, m)
}

func (c *crashes) store(h *house, id session.ID) {
	_, err := h.curator.Import(context.Background(), &curate.Archived{
		Owner: owner.Local(), Sessions: []session.Session{{ID: id, RootID: id, Source: session.SourceImport, StartedAt: h.now, LastActive: h.now}},
		Messages: func(yield func(session.Message, error) bool) {
			for _, m := range c.ms {
				m.SessionID, m.SaidAt, m.RecordedAt = id, h.now, h.now
				if !yield(m, nil) {
					return
				}
			}
		},
	})
	if err != nil {
		c.rt.Fatal(err)
	}
	stored := h.transcript(id)
	for i := range stored {
		want := c.ms[i].ReplyTo
		if want != 0 {
			want = stored[want-1].ID
		}
		if stored[i].Content != c.ms[i].Content || stored[i].ReplyTo != want {
			c.rt.Fatalf("got %d %q stored, want %q with the reply to %d", stored[i].ReplyTo, stored[i].Content, c.ms[i].Content, want)
		}
	}
}

// named are the messages of a prompt without what memory adds: a call by its id, others by
// their text.
func named(ms []session.Message) []string {
	var out []string
	for i := range ms {
		switch m := &ms[i]; {
		case strings.HasPrefix(m.Content, "[Memory:") || m.Content == "Next.":
		case len(m.ToolCalls) > 0:
			out = append(out, string(m.ToolCalls))
		default:
			out = append(out, m.Content)
		}
	}
	return out
}

// check holds a prompt against the exchanges.
func (c *crashes) check(shown []string, tight bool) {
	c.rt.Helper()
	var all []string
	inputs := make(map[string]bool)
	for _, e := range c.exchanges {
		ms := e.ms
		if e.called != "" {
			ms = ms[:len(ms)-1] // a call without a result is not shown
		}
		ms = slices.DeleteFunc(slices.Clone(ms), func(m session.Message) bool { // nor an answer that another one replaced
			i := slices.IndexFunc(ms, func(o session.Message) bool { return o.ID == m.ID })
			return m.Partial() && i+1 < len(ms) && ms[i+1].Role == session.Assistant
		})
		all = append(all, named(ms)...)
		inputs[ms[0].Content] = true
	}
	if !tight {
		if diff := cmp.Diff(all, shown); diff != "" {
			c.rt.Fatalf("prompt (-want +got):\n%s\nstored %q", diff, named(c.ms))
		}
		return
	}
	last := -1
	if len(shown) > 1 && strings.Contains(shown[0], "[…]") { // the ends of an input whose exchange does not fit
		shown = shown[1:]
		last = slices.Index(all, shown[0]) - 1
	}
	for i, text := range shown {
		at := slices.Index(all, text)
		if at <= last || i > 0 && !inputs[text] && at != last+1 {
			c.rt.Fatalf("%s stands in the wrong place, twice, or behind a gap:\ngot %q\nof %q\nstored %q", text, shown, all, named(c.ms))
		}
		last = at
	}
}
