package httpapi

import (
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// streamResponse streams a turn that is not stored as a response. A client that
// disconnects cancels the turn.
func (s *server) streamResponse(w http.ResponseWriter, r *http.Request, stream *run.Stream, head *openai.Response) {
	out := newEventWriter(w, s.KeepAlive)
	defer out.close()
	told := openai.NewResponseStream(*head)
	out.events(told.Begin(""), -1)
	for d, err := range stream.Deltas(r.Context()) {
		if err != nil {
			f := asFault(ended(r.Context(), err))
			s.Log.Log(r.Context(), levelOf(status(f)), "stream failed", "code", f.Code, "err", err)
			end := s.responseEnd(d.Result, f)
			out.events(told.End(&end), -1)
			return
		}
		events := told.Add(pieceOf(&d))
		if d.Result != nil {
			end := s.responseEnd(d.Result, nil)
			events = append(events, told.End(&end)...)
		}
		if !out.events(events, -1) {
			return // the client is gone: leaving the loop cancels the turn
		}
	}
}

// completeResponse answers in one piece.
func (s *server) completeResponse(w http.ResponseWriter, r *http.Request, stream *run.Stream, head *openai.Response) error {
	told := openai.NewResponseStream(*head)
	var res *run.Result
	for d, err := range stream.Deltas(r.Context()) {
		if err != nil {
			if d.Result != nil && d.Result.ReceiptID != "" {
				setSession(w.Header(), d.Result.SessionID, d.Result.RootID)
			}
			return err
		}
		told.Add(pieceOf(&d))
		if d.Result != nil {
			res = d.Result
		}
	}
	if res == nil {
		return fault.New(fault.Internal, "internal_error", "The turn ended without a result.")
	}
	end := s.responseEnd(res, nil)
	told.End(&end)
	w.Header().Set(responderHeader, string(res.Responder))
	writeRaw(w, http.StatusOK, told.Response().Append(nil))
	return nil
}

// pieceOf is a piece of an answer in the terms of the wire.
func pieceOf(d *run.Delta) *openai.Piece {
	p := &openai.Piece{Content: d.Content, Reasoning: d.Reasoning}
	for i := range d.ToolCalls {
		p.ToolCalls = append(p.ToolCalls, callOf(&d.ToolCalls[i]))
	}
	return p
}

func callOf(c *run.ToolCall) openai.Call {
	out := openai.Call{Index: c.Index, ID: c.ID}
	out.Function.Name, out.Function.Arguments = c.Name, c.Arguments
	return out
}

// responseEnd is the outcome of a turn that has just ended.
func (s *server) responseEnd(res *run.Result, f *fault.Error) openai.ResponseEnd {
	end := endOf(res, f)
	end.At = s.Now().Unix()
	return end
}

// endOf is the outcome of a turn, made from its result and its fault; either may be
// nil.
func endOf(res *run.Result, f *fault.Error) (end openai.ResponseEnd) {
	if res != nil {
		end.Finish, end.Model, end.Hermes = res.Answer.FinishReason, res.Model, hermesObject(res)
		end.Usage = &openai.Usage{
			PromptTokens: res.InputTokens, CompletionTokens: res.OutputTokens, CachedTokens: res.CachedTokens, ReasoningTokens: res.ReasoningTokens,
		}
	}
	if f != nil {
		e := errorOf(f)
		end.Error = &e
	}
	return end
}

// events sends the events after the last one that the client has, and reports whether
// the client is still connected.
func (e *eventWriter) events(events []openai.ResponseEvent, after int) bool {
	for i := range events {
		if events[i].Seq > after && !e.named(events[i].Type, events[i].Data) {
			return false
		}
	}
	return true
}
