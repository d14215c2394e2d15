package run

import (
	"context"

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

// history is the hash of the client's history after an answer; nil if the client names its
// session. shown is the answer as the client got it.
func (t *turn) history(shown *session.Message) []byte {
	ms := t.req.Messages
	if !t.req.Nameless || len(ms) == 0 || len(ms[len(ms)-1].History) == 0 {
		return nil
	}
	return session.NextHistory(ms[len(ms)-1].History, shown)
}
