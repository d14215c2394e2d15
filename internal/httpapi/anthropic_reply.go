package httpapi

import (
	"net/http"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// messageReply is the state of one answer in Anthropic's format.
type messageReply struct {
	told *anthropic.Stream
	// thinks says that the client asked for the model's thoughts.
	thinks bool
	// result is the outcome of the turn; nil while it lasts.
	result *run.Result
	// stoppedAt is the text of the client that ended the answer.
	stoppedAt string
}

// add adds a piece and returns its events.
func (m *messageReply) add(d *run.Delta) []anthropic.Event {
	if d.Result != nil {
		m.result = d.Result
	}
	if d.StopSequence != "" {
		m.stoppedAt = d.StopSequence
	}
	p := anthropic.Piece{Text: d.Content}
	if m.thinks {
		p.Thinking = d.Reasoning
	}
	for i := range d.ToolCalls {
		c := &d.ToolCalls[i]
		p.Calls = append(p.Calls, anthropic.CallPart{Index: c.Index, ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return m.told.Add(&p)
}

// end is the outcome of the answer.
func (m *messageReply) end() *anthropic.End {
	res := m.result
	end := &anthropic.End{
		Model: res.Model, StopReason: anthropic.StopReason(res.Answer.FinishReason), Hermes: hermesObject(res),
		Usage: anthropic.Usage{Input: max(res.InputTokens-res.CachedTokens, 0), CacheRead: res.CachedTokens, Output: res.OutputTokens},
	}
	if m.stoppedAt != "" {
		end.StopReason, end.StopSequence = anthropic.StopSequence, m.stoppedAt
	}
	return end
}

// streamMessage answers piece by piece. After the first byte, a failure is sent inside the
// stream.
func (s *server) streamMessage(w http.ResponseWriter, r *http.Request, stream *run.Stream, reply *messageReply) {
	ping := anthropic.Ping()
	out := newIdleWriter(w, s.KeepAlive, "event: "+ping.Type+"\ndata: "+string(ping.Data)+"\n\n")
	defer out.close()
	out.messageEvents(reply.told.Begin())
	for d, err := range stream.Deltas(r.Context()) {
		if err != nil {
			s.messageError(out, w, r, d.Result, err)
			return
		}
		if !out.messageEvents(reply.add(&d)) {
			return // the client is gone: leaving the loop cancels the turn
		}
	}
	if reply.result == nil {
		s.messageError(out, w, r, nil, errNoResult())
		return
	}
	out.messageEvents(reply.told.End(reply.end()))
}

// messageError sends a failure as an event.
func (s *server) messageError(out *eventWriter, w http.ResponseWriter, r *http.Request, res *run.Result, err error) {
	f := asFault(ended(r.Context(), err))
	s.Log.Log(r.Context(), levelOf(status(f)), "stream failed", "code", f.Code, "err", err)
	var hermes []byte
	if res != nil {
		hermes = hermesObject(res)
	}
	out.named("error", messageErrorBody(w.Header(), f, hermes))
}

// completeMessage answers in one piece.
func (s *server) completeMessage(w http.ResponseWriter, r *http.Request, stream *run.Stream, reply *messageReply) error {
	for d, err := range stream.Deltas(r.Context()) {
		if err != nil {
			if d.Result != nil && d.Result.ReceiptID != "" {
				setSession(w.Header(), d.Result.SessionID, d.Result.RootID)
			}
			return err
		}
		reply.add(&d)
	}
	if reply.result == nil {
		return errNoResult()
	}
	w.Header().Set(responderHeader, string(reply.result.Responder))
	writeRaw(w, http.StatusOK, reply.told.Message(reply.end()))
	return nil
}

func errNoResult() error {
	return fault.New(fault.Internal, "internal_error", "The turn ended without a result.")
}

// messageEvents sends events and reports whether the client is still connected.
func (e *eventWriter) messageEvents(events []anthropic.Event) bool {
	for i := range events {
		if !e.named(events[i].Type, events[i].Data) {
			return false
		}
	}
	return true
}
