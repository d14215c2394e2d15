package run

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

// fitTail returns the newest messages that fit, in whole groups: a message of the user,
// or an answer with the results of its calls.
func (t *laidOut) fitTail(room int) ([]session.Message, int) {
	tail := standing(paired(t.before(), false), t.input.asked)
	end := len(tail)
	from, used, size := end, 0, 0
	for i := end - 1; i >= 0; i-- {
		size += tail[i].Tokens + compression.MessageOverhead
		if tail[i].Role == session.Tool {
			continue
		}
		if used+size > room {
			break
		}
		used += size
		size = 0
		from = i
	}
	t.sightFrom = t.input.tailTo
	if from < end {
		t.sightFrom = oldest(tail[from:])
	}
	for i := range tail[:from] {
		if tail[i].Seq >= t.sightFrom {
			t.unseen = append(t.unseen, tail[i].Seq)
		}
	}
	return tail[from:end], used
}

// oldest is the lowest Seq of some messages. Results follow their calls and answers follow
// their input, not the order of Seq.
func oldest(ms []session.Message) int64 {
	first := ms[0].Seq
	for i := range ms {
		first = min(first, ms[i].Seq)
	}
	return first
}

// history are the messages that may be shown before the input: the lineage's tail, or
// the past that came with the input.
func (t *laidOut) history() []session.Message {
	if len(t.input.past) > 0 {
		return t.input.past
	}
	tail := t.lineage.Tail()
	if t.leavesBranch() {
		tail = until(tail, *t.req.After+1)
	}
	return tail
}

// standing omits answers that were replaced by a later answer to the same input, and
// answers without content, which model servers refuse.
func standing(tail, asked []session.Message) []session.Message {
	omitted := func(i int) bool {
		if blank(&tail[i]) {
			return true
		}
		next := asked
		if i+1 < len(tail) {
			next = tail[i+1:]
		}
		return given(&tail[i]) && len(next) > 0 && given(&next[0])
	}
	first := 0
	for first < len(tail) && !omitted(first) {
		first++
	}
	if first == len(tail) {
		return tail // the usual case copies nothing
	}
	out := append(make([]session.Message, 0, len(tail)), tail[:first]...)
	for i := first; i < len(tail); i++ {
		if !omitted(i) {
			out = append(out, tail[i])
		}
	}
	return out
}

// given reports whether a message is an answer of this server.
func given(m *session.Message) bool { return m.Role == session.Assistant && m.FinishReason != "" }

// blank reports whether a message is an answer without content.
func blank(m *session.Message) bool {
	return m.Role == session.Assistant && len(m.ToolCalls)+len(m.Wire) == 0 && strings.TrimSpace(m.Content) == ""
}
