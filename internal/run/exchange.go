package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// before is the history up to the position of the input, sorted by exchange. If the input
// continues an exchange, that exchange comes last.
func (t *laidOut) before() []session.Message {
	ms, to := t.history(), t.input.tailTo
	if !session.Any(ms, lineage.Apart) {
		return until(ms, to)
	}
	var out, last []session.Message
	for _, e := range lineage.Exchanges(ms) {
		i := slices.IndexFunc(e, func(m session.Message) bool { return m.Seq == to })
		switch first := &e[0]; {
		case i >= 0:
			last = e[:i]
		case first.Seq < to || first.ReplyTo != 0: // its input is older than all messages
			out = append(out, e...)
		}
	}
	return append(out, last...)
}

// until are the messages before a place.
func until(ms []session.Message, seq int64) []session.Message {
	end := len(ms)
	for end > 0 && ms[end-1].Seq >= seq {
		end--
	}
	return ms[:end:end]
}

// goingOn are the messages that tool results are appended to: the last exchange, from its
// input. If another turn stands inside an exchange, they are the exchange of the calls
// from the message that makes them, and all exchanges that began later. open is ms from
// the message that makes the calls.
func goingOn(ms, open []session.Message) []session.Message {
	if !session.Any(ms, lineage.Apart) {
		return ms[max(0, len(ms)-len(ofLastTurn(ms))-1):]
	}
	var out []session.Message
	for _, e := range lineage.Exchanges(ms) {
		i := slices.IndexFunc(e, func(m session.Message) bool { return m.Seq == open[0].Seq })
		switch {
		case i >= 0:
			out = append(out, e[i:]...)
		case len(out) > 0 && e[0].Seq > open[0].Seq:
			out = append(out, e...)
		}
	}
	return out
}

// replyTo is the ReplyTo of the turn's answers: the id of the last message of the input,
// or 0 if that is the newest message of the lineage. standing are the newest standing
// messages of the lineage.
func (in *input) replyTo(standing []session.Message) int64 {
	if len(in.fresh) > 0 || len(standing) == 0 {
		return 0
	}
	var last session.Message
	for i := range in.asked {
		if m := &in.asked[i]; m.Role != session.Assistant && m.ID != 0 && m.Seq >= last.Seq {
			last = *m
		}
	}
	if last.ID == standing[len(standing)-1].ID {
		return 0
	}
	return last.ID
}
