package run

import (
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// locate returns the request with the session that its history came from, if the client
// names none. A history has an answer: many conversations begin with the same messages of
// the user.
func (r *Runner) locate(ctx context.Context, req *Request) (*Request, error) {
	if !req.Nameless || req.Session != "" {
		return req, nil
	}
	session.Histories(req.Messages)
	var histories [][]byte
	answered := false
	for i := range req.Messages {
		if answered = answered || req.Messages[i].Role == session.Assistant; answered {
			histories = append(histories, req.Messages[i].History)
		}
	}
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

// exchange is the hash of the exchange that an answer ends, as [turn.history] is of the
// history.
func (t *turn) exchange(shown *session.Message) []byte {
	if !t.req.Nameless || len(shown.ToolCalls) > 0 {
		return nil
	}
	return session.Exchange(append(slices.Clip(t.req.Messages), *shown))
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
