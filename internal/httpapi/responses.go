package httpapi

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// responsesRoute is the idempotency route of responses.
const responsesRoute = "responses"

// readResponse reads a request for a response, and builds its run.
func (s *server) readResponse(w http.ResponseWriter, r *http.Request) (*turnRequest, *openai.ResponseRequest, *run.Request, error) {
	t, wire, err := readTurn(s, w, r, openai.ParseResponse)
	if err != nil {
		return nil, nil, nil, err
	}
	setOmitted(w.Header(), wire)
	req, err := s.responseRequest(t, wire)
	return t, wire, req, err
}

// createResponse answers POST /v1/responses.
func (s *server) createResponse(w http.ResponseWriter, r *http.Request) error {
	t, wire, req, err := s.readResponse(w, r)
	if err != nil {
		return err
	}
	if req.Idempotency, err = t.idempotency(responsesRoute); err != nil {
		return err
	}
	head, streams, key := s.responseHead(req, wire), wire.Stream, t.key // so that the body can be freed
	head.Previous = cmp.Or(head.Previous, continued(r.Context()))
	if isStored(req, wire) {
		parsed(r)
		return s.storeResponse(w, r, req, &head, streams)
	}
	if wire.Background {
		return fault.New(fault.Invalid, "invalid_background", "A response that is off the record cannot run in the background.").At("background")
	}
	head.Settings.Store = false
	parsed(r)
	stream, err := s.Runner.Start(r.Context(), req)
	if err != nil {
		return ofInput(err)
	}
	defer stream.Close()
	digested(r)
	setStream(w.Header(), stream, key)
	head.Model = stream.Model
	if streams {
		s.streamResponse(w, r, stream, &head)
		return nil
	}
	return s.completeResponse(w, r, stream, &head)
}

// responseRequest builds the run of a response.
func (s *server) responseRequest(t *turnRequest, wire *openai.ResponseRequest) (*run.Request, error) {
	req, items, err := s.responseItemsOf(t, wire)
	if err != nil {
		return nil, err
	}
	messages, err := openai.ChatMessages(items)
	if err != nil {
		return nil, err
	}
	if wire.Previous == "" && !wire.Background {
		t.recognise(errandCall(wire.Instructions, messages, wire.Tools, wire.Shape))
	}
	if t.errand != "" {
		aside(req)
	}
	if wire.Instructions != "" {
		req.System = append(req.System, session.Message{Role: session.System, Content: wire.Instructions})
	}
	addMessages(req, messages)
	if len(req.Messages) == 0 {
		return nil, errNoInput()
	}
	if first := &req.Messages[0]; isSummary(first) {
		first.Note = session.EchoNote // nothing new is said in it
	}
	if err := keepLess(t, req, wire); err != nil {
		return nil, err
	}
	// The turn of a stored response streams, even if its client does not ask for a
	// stream.
	req.Body = wire.ChatBody(passed(req, wire.Instructions, messages), req.Streaming || isStored(req, wire))
	return req, nil
}

// responseItemsOf begins the run of a response, and reads its input: references and
// compactions are replaced by what they stand for.
func (s *server) responseItemsOf(t *turnRequest, wire *openai.ResponseRequest) (*run.Request, []openai.Item, error) {
	err := errors.Join(refuseSession(t.r, "conversation", wire.Conversation), refuseSession(t.r, "previous_response_id", wire.Previous))
	if err == nil {
		err = conversation(&t.sessionHeaders, wire)
	}
	if err != nil {
		return nil, nil, err
	}
	if wire.Previous == "" {
		t.use(&wire.Names)
	}
	req, err := t.begin()
	if err != nil {
		return nil, nil, err
	}
	req.UserID, req.Model, req.Streaming, req.Tools = wire.User, wire.Model, wire.Stream, string(wire.Tools)
	ctx := t.r.Context()
	if wire.Previous != "" {
		req.Nameless = false // the previous response names the session
		if err := s.goOn(ctx, req, wire.Previous); err != nil {
			return nil, nil, err
		}
	}
	items, err := s.resolve(ctx, req.Owner, req.Session, wire.Input)
	if err != nil {
		return nil, nil, err
	}
	if err := refuseCompactions(t.r, items); err != nil {
		return nil, nil, err
	}
	items, err = s.expand(ctx, req, items, isKept(t, req, wire))
	return req, items, err
}

// refuseCompactions refuses compactions that name a session, of a caller without a key.
func refuseCompactions(r *http.Request, items []openai.Item) error {
	for i := range items {
		if c := items[i].Compaction; c != nil {
			if err := refuseSession(r, "input", c.Session); err != nil {
				return err
			}
		}
	}
	return nil
}

// isKept reports whether the turn of a response is stored in a session that it names.
func isKept(t *turnRequest, req *run.Request, wire *openai.ResponseRequest) bool {
	named := wire.Store || t.id != "" || t.key != ""
	return named && !req.OffRecord && req.AsOf.IsZero()
}

func errNoInput() error {
	return fault.New(fault.Invalid, "no_input", "'input' holds nothing to answer: send a message of the user, or the output of a call.").At("input")
}

// keepLess sets the parts of a response's turn that are not stored.
func keepLess(t *turnRequest, req *run.Request, wire *openai.ResponseRequest) error {
	named := t.id != "" || t.key != ""
	if !(wire.Store || named) {
		req.OffRecord = true // neither the response nor the turn is to be stored
	}
	// A client that names no session and sends its own history manages the history
	// itself.
	if named || req.Session != "" || len(req.Messages) < 2 {
		return nil
	}
	req.Stateless = true
	return checkPaired(req.Messages)
}

// isStored reports whether a response can be fetched later. A response that is off the
// record, or asks about the past, cannot.
func isStored(req *run.Request, wire *openai.ResponseRequest) bool {
	return wire.Store && !req.OffRecord && req.AsOf.IsZero()
}

// passed are the messages that a stateless turn sends unchanged; nil for any other
// turn.
func passed(req *run.Request, instructions string, messages []openai.Message) []openai.Message {
	if !req.Stateless {
		return nil
	}
	if instructions != "" {
		first := openai.AppendPiece(nil, "system", instructions, nil, false)
		return append([]openai.Message{{Role: "system", Raw: first}}, messages...)
	}
	return messages
}

// checkPaired refuses the output of a call that is missing from a client's own history.
func checkPaired(ms []session.Message) error {
	made := make(map[string]bool)
	for i := range ms {
		for _, c := range openai.UnmarshalCalls(ms[i].ToolCalls) {
			made[c.ID] = true
		}
		if id := ms[i].ToolCallID; ms[i].Role == session.Tool && !made[id] {
			return fault.New(fault.Invalid, "tool_call_not_found",
				fmt.Sprintf("No tool call with the call_id %q was found in the input.", id)).At("input")
		}
	}
	return nil
}

// conversation replaces the session of the header with the one that the body names.
func conversation(h *sessionHeaders, wire *openai.ResponseRequest) error {
	if wire.Conversation == "" {
		return nil
	}
	id, err := session.ParseID(wire.Conversation)
	if err != nil {
		f := *asFault(err)
		return f.At("conversation")
	}
	if h.id != "" && h.id != id {
		return fault.New(fault.Invalid, "session_mismatch",
			"'conversation' and the header "+sessionIDHeader+" name different sessions. Send one of them.").At("conversation")
	}
	h.id = id
	return nil
}

// responseHead is the part of a response that is known before its turn begins.
func (s *server) responseHead(req *run.Request, wire *openai.ResponseRequest) openai.Response {
	return openai.Response{
		ID: responseID(req), CreatedAt: s.Now().Unix(), Background: wire.Background, Conversation: wire.Conversation,
		Previous: wire.Previous, Model: req.Model, Settings: wire.Settings,
	}
}

// responseID makes an id. A repeated request gets the same id.
func responseID(req *run.Request) string {
	var b [16]byte
	if i := req.Idempotency; i != nil {
		sum := sha256.New()
		_, _ = fmt.Fprintf(sum, "%q %q %x", req.Owner.ID(), i.Key, i.BodyHash)
		copy(b[:], sum.Sum(nil))
	} else {
		return newResponseID()
	}
	return openai.ResponsePrefix + hex.EncodeToString(b[:])
}

func newResponseID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return openai.ResponsePrefix + hex.EncodeToString(b[:])
}

// ofInput rewrites faults about "messages" to name "input", the field's name in this
// API.
func ofInput(err error) error {
	if f := asFault(err); f.Param == "messages" {
		f.Param = "input"
	}
	return err
}
