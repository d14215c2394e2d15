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
	at, err := r.store.SessionOf(ctx, req.Owner, req.Key, histories)
	if exchange := lastExchange(req.Messages); fault.KindOf(err) == fault.NotFound && exchange != nil {
		at, err = r.store.SessionOfExchange(ctx, req.Owner, req.Key, exchange)
	}
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return req, nil
	case err != nil:
		return nil, err
	}
	found := *req
	found.Session, found.Seen = at.Session, at.NextSeq
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

// lastExchange is the hash of the newest exchanges of a history up to its last answer. Clients
// that send only the newest messages of a long conversation are found by it.
func lastExchange(ms []session.Message) []byte {
	for i := len(ms) - 1; i >= 0; i-- {
		if m := &ms[i]; m.Role == session.Assistant && len(m.ToolCalls) == 0 {
			return session.Exchange(ms[:i], m)
		}
	}
	return nil
}

// exchange is the hash of the exchanges that an answer ends, as [turn.history] is of the
// history.
func (t *turn) exchange(shown *session.Message) []byte {
	if !t.req.Nameless || len(shown.ToolCalls) > 0 {
		return nil
	}
	return session.Exchange(t.req.Messages, shown)
}

// history is the hash of the client's history after an answer; nil if the client names its
// session. shown is the answer as the client got it.
func (t *turn) history(shown *session.Message) []byte {
	ms := t.req.Messages
	if !t.req.Nameless || len(ms) == 0 || len(ms[len(ms)-1].History) == 0 {
		return nil
	}
	return session.HistoryAfter(ms, shown)
}
