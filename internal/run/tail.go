package run

import (
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/session"
)

// fitTail takes the newest messages that fit, whole groups only: a message of
// the user, or an answer with the tool results it called for.
func (t *turn) fitTail(room int) ([]session.Message, int) {
	tail := standing(t.history(), t.input.asked)
	end := len(tail)
	for end > 0 && tail[end-1].Seq >= t.input.tailTo {
		end--
	}
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
		t.sightFrom = tail[from].Seq
	}
	return tail[from:end], used
}

// history is what may be shown before the input: the lineage's tail, or the past
// that came with the input.
func (t *turn) history() []session.Message {
	if len(t.input.past) > 0 {
		return t.input.past
	}
	return t.lineage.tail()
}

// standing leaves out what no longer stands: an answer that was asked for again,
// and calls that nobody answered, which models refuse to see.
func standing(tail, asked []session.Message) []session.Message {
	var out []session.Message
	for i := range tail {
		next := asked
		if i+1 < len(tail) {
			next = tail[i+1:]
		}
		m, stands := stands(&tail[i], next)
		if stands && out == nil && m == &tail[i] {
			continue // the usual case copies nothing
		}
		if out == nil {
			out = append(make([]session.Message, 0, len(tail)), tail[:i]...)
		}
		if stands {
			out = append(out, *m)
		}
	}
	if out == nil {
		return tail
	}
	return out
}

// stands returns a message as it may be shown before the next ones.
func stands(m *session.Message, next []session.Message) (*session.Message, bool) {
	if m.Role != session.Assistant || len(next) == 0 {
		return m, true
	}
	if next[0].Role == session.Assistant && m.FinishReason != "" && next[0].FinishReason != "" {
		return nil, false // both were given here: the later one replaced it
	}
	if len(m.ToolCalls) == 0 || next[0].Role == session.Tool {
		return m, true
	}
	text := *m
	text.ToolCalls, text.Wire = nil, nil
	return &text, text.Content != ""
}
