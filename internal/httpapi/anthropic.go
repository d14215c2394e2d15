package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// createMessage answers POST /v1/messages. The request becomes a chat completion, and
// takes the same way from there.
func (s *server) createMessage(w http.ResponseWriter, r *http.Request) error {
	t, in, err := readTurn(s, w, r, anthropic.Parse)
	if err != nil {
		return err
	}
	setRequestID(w.Header())
	setTypes(w.Header(), toolsOmitted, in.OmittedTools)
	setTypes(w.Header(), itemsOmitted, in.OmittedItems)
	if isTask(r, in) {
		r.Header.Set(taskHeader, "claude-code")
	}
	req, err := s.messageRequest(t, in)
	if err != nil {
		return err
	}
	if req.Idempotency, err = t.idempotency("messages"); err != nil {
		return err
	}
	reply, streams, key := messageReply{thinks: in.Thinking}, in.Stream, t.key // all that the answer needs: the body can be freed
	parsed(r)
	stream, err := s.Runner.Start(r.Context(), req)
	if err != nil {
		return err
	}
	defer stream.Close()
	digested(r)
	setStream(w.Header(), stream, key)
	reply.told = anthropic.NewStream(messageID(), stream.Model)
	if streams {
		s.streamMessage(w, r, stream, &reply)
		return nil
	}
	return s.completeMessage(w, r, stream, &reply)
}

// messageRequest builds the run of a message.
func (s *server) messageRequest(t *turnRequest, in *anthropic.Request) (*run.Request, error) {
	in.Model, in.MaxTokens = s.standIn(t.r.Context(), in.Model, in.MaxTokens)
	wire, err := chatOf(in)
	if err != nil {
		return nil, err
	}
	wire.Names.Metadata.SessionID = in.Session()
	t.recognise(errandCall("", wire.Messages, wire.Tools, wire.Shape))
	req, err := t.chat(wire)
	if err != nil {
		return nil, err
	}
	req.Extras = in.Extras()
	return req, nil
}

// chatOf is a request for a message as a chat completion.
func chatOf(in *anthropic.Request) (*openai.ChatRequest, error) {
	body, err := in.ChatBody()
	if err != nil {
		return nil, err
	}
	return openai.ParseChat(body)
}

// isTask reports whether a request is a task of its client, and not part of the
// conversation. The input of an agent was written by a model.
func isTask(r *http.Request, in *anthropic.Request) bool {
	return in.Task() || in.Session() != "" && r.Header.Get(anthropic.AgentHeader) != ""
}

// longAnswer is the largest limit, in tokens, that is kept for a model that stands in for
// another one.
const longAnswer = 8192

// standIn returns the model that answers for a model of Anthropic, and the limit of its
// answer. Clients of this API name such models by default. If the upstream has none of
// them, and none is configured, the configured model answers. A high limit then means as much as the model that
// the client knows can write; other servers refuse a limit above their model's own, so the
// limit is left out.
func (s *server) standIn(ctx context.Context, name string, limit int) (string, int) {
	const family = "claude"
	if !strings.HasPrefix(name, family) || strings.HasPrefix(s.Name, family) || s.Models == nil {
		return name, limit
	}
	rows, err := s.Models(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "could not list the upstream's models", "err", err)
	}
	for i := range rows {
		if strings.HasPrefix(rows[i].ID, family) {
			return name, limit
		}
	}
	if limit > longAnswer {
		limit = 0
	}
	return ownModel, limit
}

// countTokens answers POST /v1/messages/count_tokens. It counts what the client sends,
// and not what memory would add.
func (s *server) countTokens(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	in, err := anthropic.ParseCount(body)
	if err != nil {
		return err
	}
	setRequestID(w.Header())
	in.Model, _ = s.standIn(r.Context(), in.Model, 0)
	wire, err := chatOf(in)
	if err != nil {
		return err
	}
	ms := make([]session.Message, len(wire.Messages))
	for i := range wire.Messages {
		ms[i] = message(&wire.Messages[i])
	}
	return writeJSON(w, http.StatusOK, map[string]int{"input_tokens": s.Runner.Count(in.Model, ms, string(wire.Tools))})
}

func messageID() string {
	var b [14]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return "msg_" + hex.EncodeToString(b[:])
}
