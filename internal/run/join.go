package run

import (
	"fmt"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// joinCalls puts the message that the input's results belong to, and all messages since,
// in front of the input, so that no budget separates calls from results, or cuts the
// work on one message of the user. It refuses results without
// a call in the user's turn. A model server would refuse them too, but only after they
// had been stored. A stored result is not stored again.
func (t *laidOut) joinCalls() error {
	if t.req.Stateless {
		return nil
	}
	t.nameTools()
	asked := t.input.asked
	if !session.Any(asked, isResult) {
		return nil
	}
	earlier := until(t.history(), t.input.tailTo)
	open := ofLastTurn(earlier)
	from, err := callers(open, asked)
	if err != nil {
		return err
	}
	if from == len(open) {
		return nil // the input has the calls of its results
	}
	if len(t.input.fresh) > 0 {
		t.input.fresh = slices.DeleteFunc(slices.Clone(asked), func(m session.Message) bool { return repeats(open, &m) })
		t.number()
		asked = t.input.fresh
	}
	open = goingOn(earlier, open[from:])
	t.input.tailTo = open[0].Seq
	if len(asked) == 0 { // all results are stored: the client wants another answer
		for !isResult(&open[len(open)-1]) {
			open = open[:len(open)-1]
		}
	}
	t.input.asked = paired(append(slices.Clone(open), asked...), true)
	return nil
}

func isResult(m *session.Message) bool { return m.Role == session.Tool }

// ofLastTurn returns the messages after the user's last one.
func ofLastTurn(ms []session.Message) []session.Message {
	i := len(ms)
	for i > 0 && ms[i-1].Role != session.User {
		i--
	}
	return ms[i:]
}

// callers is the index of the first message of open with a call that asked answers;
// len(open) if asked itself has the calls of its results.
func callers(open, asked []session.Message) (int, error) {
	first, made := len(open), make(map[string]bool)
	for i := range asked {
		m := &asked[i]
		for _, c := range openai.CallNames(m.ToolCalls) {
			made[c.ID] = true
		}
		if m.Role != session.Tool || made[m.ToolCallID] {
			continue
		}
		at := callerOf(open, m.ToolCallID)
		if at < 0 {
			return 0, uncalled(open, m.ToolCallID)
		}
		first = min(first, at)
	}
	return first, nil
}

// callerOf is the newest message with a call of an id. Some servers send no ids; a
// result with any id answers such a call.
func callerOf(open []session.Message, id string) int {
	newest := -1
	for i := len(open) - 1; i >= 0; i-- {
		names := openai.CallNames(open[i].ToolCalls)
		if slices.ContainsFunc(names, func(c openai.CallName) bool { return c.ID == id }) {
			return i
		}
		if newest < 0 && len(names) > 0 {
			newest = i
		}
	}
	if newest >= 0 && slices.ContainsFunc(openai.CallNames(open[newest].ToolCalls), func(c openai.CallName) bool { return c.ID == "" }) {
		return newest
	}
	return -1
}

func uncalled(open []session.Message, id string) error {
	if id == "" || !slices.ContainsFunc(open, func(m session.Message) bool { return len(m.ToolCalls) > 0 }) {
		return fault.New(fault.Invalid, "tool_call_not_found",
			"This session has no open tool call that the message of role 'tool' could answer.").At("messages")
	}
	return fault.New(fault.Invalid, "tool_call_not_found",
		fmt.Sprintf("No tool call with the id %q is open in this session.", id)).At("messages")
}

// repeats reports whether a message repeats the newest result of its call.
func repeats(open []session.Message, m *session.Message) bool {
	if m.Role != session.Tool || m.ToolCallID == "" {
		return false
	}
	for i := len(open) - 1; i >= 0; i-- {
		switch o := &open[i]; {
		case o.Role == session.Tool && o.ToolCallID == m.ToolCallID:
			return equal(m, o)
		case slices.ContainsFunc(openai.CallNames(o.ToolCalls), func(c openai.CallName) bool { return c.ID == m.ToolCallID }):
			return false
		}
	}
	return false
}

// nameTools gives the results among the new messages the names of their tools.
func (t *laidOut) nameTools() {
	if !session.Any(t.input.fresh, isResult) && !session.Any(t.input.past, isResult) {
		return
	}
	names := make(map[string]string)
	if len(t.input.past) == 0 {
		lineage.NameTools(names, slices.Clone(ofLastTurn(until(t.history(), t.input.tailTo))))
	}
	lineage.NameTools(names, t.input.past)
	lineage.NameTools(names, t.input.fresh)
}
