package lineage

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// An exchange is a message of the user with the messages that answer it: tool calls,
// results, answers. The transcript usually holds an exchange without a gap. If the server
// ended between an input and its answer, another turn may be stored before the request is
// retried. The answer then names its input by [session.Message.ReplyTo]. Prompts show
// exchanges without gaps, in the order of their first messages.

// InExchanges sorts messages by exchange. The transcript does not change.
func InExchanges(ms []session.Message) []session.Message {
	if !session.Any(ms, Apart) {
		return ms
	}
	return slices.Concat(Exchanges(ms)...)
}

// Apart reports whether a message is an answer that does not directly follow its input.
func Apart(m *session.Message) bool { return m.ReplyTo != 0 }

// Exchanges divides messages into exchanges, in the order of their first messages. An
// exchange whose input is not among the messages is older than all of them, so it comes
// first.
func Exchanges(ms []session.Message) [][]session.Message {
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
		for _, c := range openai.CallNames(m.ToolCalls) {
			x.byCall[c.ID] = e
		}
		if openai.HasFunctionCall(m.Wire) { // the older form, which has no ids
			x.byCall[""] = e
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
	case m.Role == session.User || m.FinishReason == "":
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

// Uninterrupted omits the turns that were stored between the input of the newest answer and
// that answer. ms are consecutive messages of a lineage.
func Uninterrupted(ms []session.Message) []session.Message {
	last := len(ms) - 1
	for last >= 0 && ms[last].Role != session.Assistant {
		last--
	}
	if last < 0 || !Apart(&ms[last]) {
		return ms
	}
	input := slices.IndexFunc(ms, func(m session.Message) bool { return m.ID == ms[last].ReplyTo })
	if input < 0 {
		return ms
	}
	out := slices.Clone(ms[:input])
	for _, e := range Exchanges(ms) {
		if i := slices.IndexFunc(e, func(m session.Message) bool { return m.ID == ms[input].ID }); i >= 0 {
			out = append(out, e[i:]...)
		}
	}
	return out
}
