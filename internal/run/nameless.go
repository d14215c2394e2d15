package run

import (
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// Locate returns the request with the session that its history came from, if the client
// names none and the history is known. [Runner.Start] does so, too: a door calls Locate if
// it needs the session before the turn starts. A history has an answer to a message of the user: many conversations begin
// with the same messages of the user, or with the same greeting.
func (r *Runner) Locate(ctx context.Context, req *Request) (*Request, error) {
	if !req.Nameless {
		return req, nil
	}
	session.Histories(req.Messages)
	if req.Session != "" { // found or made up by the door
		return req, nil
	}
	histories := answered(req.Messages)
	if len(histories) == 0 {
		return req, nil
	}
	id, err := r.store.SessionOf(ctx, req.Owner, req.Key, histories)
	if exchange := lastExchange(req.Messages); fault.KindOf(err) == fault.NotFound && exchange != nil {
		id, err = r.store.SessionOfExchange(ctx, req.Owner, req.Key, exchange)
	}
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return req, nil
	case err != nil:
		return nil, err
	}
	found := *req
	found.Session = id
	return &found, nil
}

// answered are the histories from the first answer to a message of the user on.
func answered(ms []session.Message) (histories [][]byte) {
	isUser := func(m session.Message) bool { return m.Role == session.User }
	asked := slices.IndexFunc(ms, isUser)
	if asked < 0 {
		return nil
	}
	isAnswer := func(m session.Message) bool { return m.Role == session.Assistant }
	first := slices.IndexFunc(ms[asked:], isAnswer)
	if first < 0 {
		return nil
	}
	for i := asked + first; i < len(ms); i++ {
		histories = append(histories, ms[i].History)
	}
	return histories
}

// lastExchange is the hash of the newest exchange of a history that has an answer. Clients
// that send only the newest messages of a long conversation are found by it.
func lastExchange(ms []session.Message) []byte {
	for i := len(ms) - 1; i >= 0; i-- {
		if m := &ms[i]; m.Role == session.Assistant && len(m.ToolCalls) == 0 {
			return session.Exchange(ms[:i+1])
		}
	}
	return nil
}

// ofExchange are the messages from the user's last one on.
func ofExchange(ms []session.Message) []session.Message {
	from := len(ms) - len(ofLastTurn(ms))
	return ms[max(0, from-1):]
}

// exchange is the hash of the exchange that an answer ends, as [turn.history] is of the
// history.
func (t *turn) exchange(shown *session.Message) []byte {
	if !t.req.Nameless || len(shown.ToolCalls) > 0 {
		return nil
	}
	asked := ofExchange(t.req.Messages)
	return session.Exchange(append(slices.Clip(asked), *shown)) // a copy of the newest messages only
}

// history is the hash of the client's history after an answer; nil if the client names its
// session. shown is the answer as the client got it.
func (t *turn) history(shown *session.Message) []byte {
	ms := t.req.Messages
	if !t.req.Nameless || len(ms) == 0 || len(ms[len(ms)-1].History) == 0 {
		return nil
	}
	return session.NextHistory(ms[len(ms)-1].History, shown)
}
