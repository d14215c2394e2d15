package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
)

// chatCompletions answers POST /v1/chat/completions.
func (s *server) chatCompletions(w http.ResponseWriter, r *http.Request) error {
	t, wire, err := readTurn(s, w, r, openai.ParseChat)
	if err != nil {
		return err
	}
	t.recognise(errandCall("", wire.Messages, wire.Tools, wire.Shape))
	req, err := t.chat(wire)
	if err != nil {
		return err
	}
	if req.Idempotency, err = t.idempotency("chat.completions"); err != nil {
		return err
	}
	detach, err := parseDetach(r)
	if err != nil {
		return err
	}
	reply, streams, key := chatReply{usage: wire.IncludeUsage}, wire.Stream, t.key // all that the answer needs: the body can be freed
	parsed(r)
	if detach {
		return s.detachedChat(w, r, req, reply, streams)
	}
	stream, err := s.Runner.Start(r.Context(), req)
	if err != nil {
		return err
	}
	defer stream.Close()
	digested(r)
	setStream(w.Header(), stream, key)
	reply.head = openai.Head{ID: completionID(), Created: s.Now().Unix(), Model: stream.Model}
	if streams {
		return s.streamChat(w, r, stream, reply)
	}
	return s.completeChat(w, r, stream, reply.head)
}

// chat builds the run of a chat completion.
func (t *turnRequest) chat(wire *openai.ChatRequest) (*run.Request, error) {
	t.use(&wire.Names)
	req, err := t.begin()
	if err != nil {
		return nil, err
	}
	req.UserID, req.Model, req.Streaming, req.Body, req.Tools = wire.Names.User, wire.Model, wire.Stream, wire.Body, string(wire.Tools)
	// A client that names no session and sends its own history manages the history
	// itself.
	if t.id == "" && t.key == "" && len(wire.Messages) > 1 {
		req.Stateless = true
	}
	if !req.Stateless && len(wire.Body) > smallBody {
		req.Body = wire.Rest() // its messages are taken from below
	}
	addMessages(req, wire.Messages)
	return req, nil
}

func completionID() string {
	var b [14]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return "chatcmpl-" + hex.EncodeToString(b[:])
}

// completeChat answers in one piece.
func (s *server) completeChat(w http.ResponseWriter, r *http.Request, stream *run.Stream, head openai.Head) error {
	var last run.Delta
	for d, err := range stream.Deltas(r.Context()) {
		if err != nil {
			if d.Result != nil && d.Result.ReceiptID != "" {
				setSession(w.Header(), d.Result.SessionID, d.Result.RootID)
			}
			return err
		}
		if d.Result != nil {
			last = d
		}
	}
	res := last.Result
	if res == nil {
		return fault.New(fault.Internal, "internal_error", "The turn ended without a result.")
	}
	w.Header().Set(responderHeader, string(res.Responder))
	if body, ok := withHermes(res); ok {
		writeRaw(w, http.StatusOK, body)
		return nil
	}
	head.Model = res.Model
	writeCompletion(w, res, head)
	return nil
}

// withHermes is the upstream's answer with the members that this server adds. ok is
// false if the answer was streamed, or if JSON parsers may disagree about it. The text
// is stored in either case, and the caller builds the answer from it.
func withHermes(res *run.Result) (body []byte, ok bool) {
	if res.Answer.Raw == nil {
		return nil, false
	}
	body, err := openai.WithMember(res.Answer.Raw, "hermes", hermesObject(res))
	if err == nil && (res.UsageEstimated || res.Tools != nil) { // clients rely on "usage"
		body, err = openai.Splice(body, openai.Set{Name: "usage", Value: usage(res)})
	}
	return body, err == nil
}

// writeCompletion writes a completion built from the stored result.
func writeCompletion(w http.ResponseWriter, res *run.Result, head openai.Head) {
	piece := openai.AppendPiece(nil, "assistant", res.Answer.Content, res.Answer.ToolCalls, true)
	writeRaw(w, http.StatusOK, head.AppendCompletion(nil, piece, res.Answer.FinishReason,
		openai.Set{Name: "usage", Value: usage(res)}, openai.Set{Name: "hermes", Value: hermesObject(res)}))
}
