package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/session"
)

// An exchange is a message of the user with the messages that answer it: tool calls,
// results, answers. The transcript usually holds an exchange without a gap. If the server
// ended between an input and its answer, another turn may be stored before the request is
// retried. The answer then names its input by [session.Message.ReplyTo]. Prompts show
// exchanges without gaps, in the order of their first messages.

// inExchanges sorts messages by exchange. The transcript does not change.
func inExchanges(ms []session.Message) []session.Message {
	if !slices.ContainsFunc(ms, apart) {
		return ms
	}
	return slices.Concat(exchangesOf(ms)...)
}

// apart reports whether a message is an answer that does not directly follow its input.
func apart(m session.Message) bool { return m.ReplyTo != 0 }

// exchangesOf divides messages into exchanges, in the order of their first messages. An
// exchange whose input is not among the messages is older than all of them, so it comes
// first.
func exchangesOf(ms []session.Message) [][]session.Message {
	x := exchanges{byMessage: make(map[int64]*exchange), byCall: make(map[string]*exchange)}
	for i := range ms {
		x.add(&ms[i])
	}
	out := make([][]session.Message, 0, len(x.older)+len(x.begun))
	for _, e := range slices.Concat(x.older, x.begun) {
		out = append(out, e.messages)
	}
	return out
}

type exchange struct{ messages []session.Message }

// exchanges collects exchanges, message by message.
type exchanges struct {
	older     []*exchange // exchanges whose input is not among the messages
	begun     []*exchange
	newest    *exchange            // the exchange of the newest message; nil before the first
	byMessage map[int64]*exchange  // by message id
	byCall    map[string]*exchange // by the id of a tool call
}

func (x *exchanges) add(m *session.Message) {
	e := x.of(m)
	e.messages = append(e.messages, *m)
	x.newest = e
	if m.ID != 0 {
		x.byMessage[m.ID] = e
	}
	if m.Role == session.Assistant {
		for _, c := range callsOf(m) {
			x.byCall[c.ID] = e
		}
	}
}

// of is the exchange of a message. A result belongs to the exchange of its call. An answer
// belongs to the exchange of the input it names, or of the message before it. Messages
// that a client sent start an exchange.
func (x *exchanges) of(m *session.Message) *exchange {
	switch {
	case m.Role == session.Tool:
		if e := x.byCall[m.ToolCallID]; e != nil {
			return e
		}
	case m.ReplyTo != 0:
		if e := x.byMessage[m.ReplyTo]; e != nil {
			return e
		}
		e := &exchange{}
		x.older = append(x.older, e)
		x.byMessage[m.ReplyTo] = e
		return e
	case !given(m):
		return x.begin()
	}
	if x.newest == nil {
		return x.begin()
	}
	return x.newest
}

func (x *exchanges) begin() *exchange {
	e := &exchange{}
	x.begun = append(x.begun, e)
	return e
}

// before is the history up to the position of the input, sorted by exchange. If the input
// continues an exchange, that exchange comes last.
func (t *laidOut) before() []session.Message {
	ms, to := t.history(), t.input.tailTo
	if !slices.ContainsFunc(ms, apart) {
		return until(ms, to)
	}
	var out, last []session.Message
	for _, e := range exchangesOf(ms) {
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

// goingOn are the messages that tool results are appended to: the exchange of the calls,
// from the message that makes them, and all exchanges that began later. open is ms from
// the message that makes the calls.
func goingOn(ms, open []session.Message) []session.Message {
	if !slices.ContainsFunc(ms, apart) {
		return open
	}
	var out []session.Message
	for _, e := range exchangesOf(ms) {
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
