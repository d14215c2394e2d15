package httpapi

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// chatCompletions answers POST /v1/chat/completions.
func (s *server) chatCompletions(w http.ResponseWriter, r *http.Request) error {
	headers, err := s.turnHeaders(w, r)
	if err != nil {
		return err
	}
	body, err := readBody(r)
	if err != nil {
		return err
	}
	wire, err := openai.ParseChat(body)
	if err != nil {
		return err
	}
	req, err := chatRequest(r, headers, wire)
	if err != nil {
		return err
	}
	detach, err := parseDetach(r)
	if err != nil {
		return err
	}
	if detach {
		return s.detachedChat(w, r, wire, req)
	}
	stream, err := s.Runner.Start(r.Context(), req)
	if err != nil {
		return err
	}
	defer stream.Close()
	setStream(w.Header(), stream, headers.key)
	head := openai.Head{ID: completionID(), Created: s.Now().Unix(), Model: stream.Model}
	if wire.Stream {
		return s.streamChat(w, r, stream, chatReply{head: head, usage: wire.IncludeUsage})
	}
	return s.completeChat(w, r, stream, head)
}

// readBody reads the whole body, whose size is limited already.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > 0 {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return nil, bodyError(err)
		}
		return body, checkShape(body)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	return body, checkShape(body)
}

// bodyError keeps the size limit's error and makes the rest the client's.
func bodyError(err error) error {
	if f := asFault(err); f.Kind == fault.TooLarge {
		return err
	}
	return fault.Wrap(fault.Invalid, "incomplete_body", "The request body ended before its stated length.", err)
}

// chatRequest builds the run of a chat completion.
func chatRequest(r *http.Request, h sessionHeaders, wire *openai.ChatRequest) (*run.Request, error) {
	req := &run.Request{
		Owner: ownerOf(r), Session: h.id, Key: h.key, Source: session.SourceAPI, UserID: wire.User,
		Model: wire.Model, Streaming: wire.Stream, Body: wire.Body, Tools: string(wire.Tools),
	}
	// A client that names no session and brings its own history manages it itself.
	req.Stateless = h.id == "" && h.key == "" && len(wire.Messages) > 1
	if err := parseTurnHeaders(r, req); err != nil {
		return nil, err
	}
	for i := range wire.Messages {
		m := message(&wire.Messages[i])
		if m.Role == session.System {
			req.System = append(req.System, m)
		} else {
			req.Messages = append(req.Messages, m)
		}
	}
	key, err := parseIdempotencyKey(r)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Idempotency = &run.Idempotency{Route: "chat.completions", Key: key, BodyHash: hashRequest(h, wire.Body)}
	}
	return req, nil
}

// hashRequest is what must be equal for two requests to be the same one.
func hashRequest(h sessionHeaders, body []byte) []byte {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q ", h.id, h.key)
	sum.Write(body)
	return sum.Sum(nil)
}

// message translates a message of the wire.
func message(m *openai.Message) session.Message {
	out := session.Message{
		Role: session.Role(m.Role), Name: m.Name, Content: m.Text,
		ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
	}
	switch m.Role {
	case "developer":
		out.Role = session.System
	case "function": // the older name of a tool result
		out.Role, out.ToolName = session.Tool, m.Name
	}
	if !m.Plain || m.Role == "developer" || m.Role == "function" {
		out.Wire = m.Raw
	}
	return out
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
	hermes := hermesObject(res)
	if raw := res.Answer.Raw; raw != nil {
		body, err := openai.WithMember(raw, "hermes", hermes)
		if err == nil && (res.UsageEstimated || res.Tools != nil) { // clients read it without asking whether it is there
			body, err = openai.Splice(body, openai.Set{Name: "usage", Value: usage(res)})
		}
		if err != nil {
			return fault.Wrap(fault.Upstream, "upstream_invalid", "The upstream's answer is no JSON object.", err)
		}
		writeRaw(w, http.StatusOK, body)
		return nil
	}
	head.Model = res.Model
	writeCompletion(w, res, head)
	return nil
}

// writeCompletion answers in our own words.
func writeCompletion(w http.ResponseWriter, res *run.Result, head openai.Head) {
	piece := openai.AppendPiece(nil, "assistant", res.Answer.Content, res.Answer.ToolCalls, true)
	writeRaw(w, http.StatusOK, head.AppendCompletion(nil, piece, res.Answer.FinishReason,
		openai.Set{Name: "usage", Value: usage(res)}, openai.Set{Name: "hermes", Value: hermesObject(res)}))
}
