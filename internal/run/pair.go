package run

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// noResultYet stands in a prompt for the result of a call that its client has not
// sent: model servers refuse a call without a result, and a model that does not see
// the call might make it again.
const noResultYet = "[This call has no result yet.]"

// paired returns messages as model servers demand them: behind each message that
// makes calls stands one result for each call, in the order of the calls, and nothing
// else. It changes what is shown, never what is stored:
//
//   - A result that came late, first, or in another order moves to its call. Of
//     several results for one call the newest is shown.
//   - A call without a result is left out, and so is a result without a call. If
//     awaited is set, a call behind the last message of the user gets [noResultYet].
//   - An answer that was given here before all results had come is left out: a later
//     answer knows more.
//   - Calls have ids that no other call of the prompt has.
func paired(ms []session.Message, awaited bool) []session.Message {
	if !session.Any(ms, usesTools) {
		return ms
	}
	p := &pairing{ms: ms, newest: make(map[string]int)}
	p.match()
	if p.whole() {
		return ms
	}
	return p.rebuilt(awaited)
}

func usesTools(m *session.Message) bool {
	return m.Role == session.Tool || m.Role == session.Assistant && (len(m.ToolCalls) > 0 || openai.HasFunctionCall(m.Wire))
}

// pairing finds the result of each call in a row of messages.
type pairing struct {
	ms     []session.Message
	calls  []pairedCall
	newest map[string]int // by id, the newest call that has it
}

type pairedCall struct {
	openai.CallName
	by     int // the message that makes the call
	result int // the message that answers it; -1 for none
}

// shown reports whether a call stands in the prompt: with its result, or awaiting it.
// A call of the older form has no id under which a result could be awaited.
func (c *pairedCall) shown(awaited bool) bool {
	return c.result >= 0 || awaited && !c.Older
}

// match finds the results. One that stands before all calls of its id is matched in
// the end.
func (p *pairing) match() {
	var early []int
	for i := range p.ms {
		m := &p.ms[i]
		if m.Role == session.Tool {
			if n := p.answers(m.ToolCallID); n >= 0 {
				p.calls[n].result = i
			} else {
				early = append(early, i)
			}
			continue
		}
		if m.Role != session.Assistant {
			continue
		}
		for _, c := range callsOf(m) {
			p.newest[c.ID] = len(p.calls)
			p.calls = append(p.calls, pairedCall{CallName: c, by: i, result: -1})
		}
	}
	for _, i := range early {
		n := slices.IndexFunc(p.calls, func(c pairedCall) bool { return c.by > i && c.result < 0 && c.ID == p.ms[i].ToolCallID })
		if n >= 0 {
			p.calls[n].result = i
		}
	}
}

// callsOf are the calls of a message, by the older name of a call, too.
func callsOf(m *session.Message) []openai.CallName {
	if len(m.ToolCalls) == 0 && openai.HasFunctionCall(m.Wire) {
		return []openai.CallName{{Older: true}}
	}
	return openai.CallNames(m.ToolCalls)
}

// answers is the call that a result with an id answers, among those made so far: the
// newest message that calls under the id decides, and in it the first call without a
// result, else the last one, whose result it replaces. Calls without ids, which some
// servers make, are answered in their order, whatever id their client made up. -1 is
// none.
func (p *pairing) answers(id string) int {
	n, found := p.newest[id]
	if !found {
		if n, found = p.newest[""]; !found || p.calls[n].by != p.calls[len(p.calls)-1].by {
			return -1
		}
		id = ""
	}
	first := n
	for k := n; k >= 0 && p.calls[k].by == p.calls[n].by; k-- {
		if p.calls[k].ID == id && p.calls[k].result < 0 {
			first = k
		}
	}
	return first
}

// whole reports whether the messages are as they should be already.
func (p *pairing) whole() bool {
	results, group := 0, -1
	for i := range p.ms {
		if p.ms[i].Role == session.Tool {
			results++
		}
	}
	if results != len(p.calls) {
		return false
	}
	for n := range p.calls {
		c := &p.calls[n]
		if n == 0 || c.by != p.calls[n-1].by {
			group = n
		}
		if c.result != c.by+1+n-group || c.ID != p.ms[c.result].ToolCallID {
			return false
		}
		if !c.Older && (c.ID == "" || p.newest[c.ID] != n) {
			return false
		}
	}
	return p.readable()
}

// readable reports whether every list of calls could be read.
func (p *pairing) readable() bool {
	makers := 0
	for n := range p.calls {
		if n == 0 || p.calls[n].by != p.calls[n-1].by {
			makers++
		}
	}
	for i := range p.ms {
		if m := &p.ms[i]; m.Role != session.Tool && usesTools(m) {
			makers--
		}
	}
	return makers == 0
}

// rebuilt puts the messages together again.
func (p *pairing) rebuilt(awaited bool) []session.Message {
	spoken := -1 // the last message of the user
	for i := range p.ms {
		if p.ms[i].Role == session.User {
			spoken = i
		}
	}
	over, said := p.premature()
	out := make([]session.Message, 0, len(p.ms)+1)
	ids := make(map[string]bool)
	n := 0
	for i := range p.ms {
		m := &p.ms[i]
		first := n
		for n < len(p.calls) && p.calls[n].by == i {
			n++
		}
		switch {
		case m.Role == session.Tool || over[i]:
			continue
		case !usesTools(m):
			out = append(out, *m)
			continue
		}
		for _, k := range said[i] {
			out = append(out, p.ms[k])
		}
		out = p.group(out, i, p.calls[first:n], ids, awaited && i > spoken)
	}
	return out
}

// premature finds the answers without calls that stand between a call and its result,
// in one turn of the user. Those given here are over. What a model said between
// its calls, in separate messages, goes in front of the message that calls.
func (p *pairing) premature() (over []bool, said map[int][]int) {
	over, said = make([]bool, len(p.ms)), make(map[int][]int)
	for n := range p.calls {
		c := &p.calls[n]
		for i := c.by + 1; i < c.result && p.ms[i].Role != session.User; i++ {
			m := &p.ms[i]
			if m.Role != session.Assistant || usesTools(m) || over[i] {
				continue
			}
			over[i] = true
			if m.FinishReason == "" {
				said[c.by] = append(said[c.by], i)
			}
		}
	}
	return over, said
}

// group appends a message with its calls and their results.
func (p *pairing) group(out []session.Message, i int, calls []pairedCall, used map[string]bool, awaited bool) []session.Message {
	m := p.ms[i]
	ids := make([]string, len(calls))
	results := make([]session.Message, 0, len(calls))
	changed, older := len(calls) == 0, false
	for k := range calls {
		c := &calls[k]
		older = c.Older
		switch {
		case !c.shown(awaited):
			changed = true
		case c.Older:
			results = append(results, p.ms[c.result])
		default:
			ids[k] = ownID(c.ID, m.Seq, k, used)
			changed = changed || ids[k] != c.ID
			results = append(results, answering(p.resultOf(c, m.Seq), ids[k]))
		}
	}
	if changed {
		m = calling(m, ids, older && len(results) > 0)
	}
	if len(results) == 0 && m.Content == "" {
		return out
	}
	return append(append(out, m), results...)
}

// resultOf is the result of a call, or the notice that none has come yet.
func (p *pairing) resultOf(c *pairedCall, seq int64) session.Message {
	if c.result >= 0 {
		return p.ms[c.result]
	}
	return session.Message{
		Role: session.Tool, ToolCallID: c.ID, ToolName: c.Name, Content: noResultYet, Note: session.EchoNote,
		Seq: seq, Tokens: compression.Estimate(noResultYet),
	}
}

// ownID is an id that no other call of the prompt has: the call's own if it can be.
func ownID(id string, seq int64, k int, used map[string]bool) string {
	if id == "" {
		id = fmt.Sprintf("call_%d_%d", seq, k)
	}
	for used[id] {
		id += "_" + strconv.FormatInt(seq, 10)
	}
	used[id] = true
	return id
}

// answering is a result under the id of its call.
func answering(m session.Message, id string) session.Message {
	if m.ToolCallID == id {
		return m
	}
	m.ToolCallID = id
	m.Wire = openai.Respell(m.Wire, openai.Set{Name: "role", Value: []byte(`"tool"`)}, openai.Set{Name: "name"},
		openai.Set{Name: "tool_call_id", Value: strconv.AppendQuoteToASCII(nil, id)})
	return m
}

// calling is a message with its calls under other ids; those without an id are left
// out.
func calling(m session.Message, ids []string, older bool) session.Message {
	m.ToolCalls = openai.RenameCalls(m.ToolCalls, ids)
	sets := []openai.Set{{Name: "tool_calls", Value: m.ToolCalls}}
	if !older {
		sets = append(sets, openai.Set{Name: "function_call"})
	}
	m.Wire = openai.Respell(m.Wire, sets...)
	return m
}
