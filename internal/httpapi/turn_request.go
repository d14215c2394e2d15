package httpapi

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/errand"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// turnRequest is the common part of chats, responses and runs: the session that the
// request names, and its body.
type turnRequest struct {
	sessionHeaders
	r      *http.Request
	body   []byte
	errand errand.Kind // "" for none
	// out are the headers of the answer.
	out http.Header
}

// readTurn reads a request for a turn, and parses its body. The session key is echoed
// even if the request is refused.
func readTurn[T any](s *server, w http.ResponseWriter, r *http.Request, parse func([]byte) (T, error)) (t *turnRequest, wire T, err error) {
	t = &turnRequest{r: r, out: w.Header()}
	if t.sessionHeaders, err = parseSessionHeaders(r); err != nil {
		return nil, wire, err
	}
	if t.key != "" {
		w.Header().Set(sessionKeyHeader, string(t.key))
	}
	if t.body, err = readBody(r); err != nil {
		return nil, wire, err
	}
	wire, err = parse(t.body)
	return t, wire, err
}

// begin makes the run without its messages: its owner, its session and the settings
// from the headers.
func (t *turnRequest) begin() (*run.Request, error) {
	req := &run.Request{Owner: ownerOf(t.r), Session: t.id, Nameless: t.id == "", Key: t.key, Source: session.SourceAPI}
	if t.errand != "" {
		aside(req)
	}
	return req, parseTurnHeaders(t.r, req)
}

// idempotency makes a repeated request return the first one's result; nil if the
// request has no key.
func (t *turnRequest) idempotency(route string) (*run.Idempotency, error) {
	key, err := parseIdempotencyKey(t.r)
	if err != nil || key == "" {
		return nil, err
	}
	return &run.Idempotency{Route: route, Key: key, BodyHash: t.hash()}, nil
}

// hash is the hash by which a repeated request is recognized.
func (t *turnRequest) hash() []byte {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q ", t.id, t.key)
	sum.Write(t.body)
	return sum.Sum(nil)
}

// addMessages adds messages to a run: its system prompt and the conversation.
func addMessages(req *run.Request, ms []openai.Message) {
	req.Messages = slices.Grow(req.Messages, len(ms)) // a long history is copied once
	for i := range ms {
		m := message(&ms[i])
		if m.Role == session.System {
			req.System = append(req.System, m)
		} else {
			req.Messages = append(req.Messages, m)
		}
	}
}

// message translates a message to its stored form.
func message(m *openai.Message) session.Message {
	out := session.Message{
		Role: session.Role(m.Role), Name: m.Name, Content: m.Text,
		ToolCalls: bytes.Clone(m.ToolCalls), ToolCallID: m.ToolCallID, // a copy, so that the body can be freed
	}
	switch m.Role {
	case "developer":
		out.Role = session.System
	case "function": // the older name of a tool result
		out.Role, out.ToolName = session.Tool, m.Name
	}
	if !m.Plain || m.Role == "developer" || m.Role == "function" {
		out.Wire = bytes.Clone(m.Raw)
	}
	return out
}

// aside keeps a front end's own call, such as one for a title, out of the conversation.
func aside(req *run.Request) { req.Stateless, req.OffRecord = true, true }

// parseTurnHeaders reads the headers with settings of a turn.
func parseTurnHeaders(r *http.Request, req *run.Request) error {
	if task, err := single(r, taskHeader, "invalid_header"); err != nil {
		return err
	} else if task != "" && task != noTask {
		aside(req)
	}
	switch store := r.Header.Get(storeHeader); store {
	case "":
	case "none":
		req.OffRecord = true
	default:
		return fault.New(fault.Invalid, "invalid_header", storeHeader+" can only be \"none\".").At(storeHeader)
	}
	if text := r.Header.Get(asOfHeader); text != "" {
		at, err := bound.ParseMoment(text, bound.DayEnd)
		if err != nil {
			return fault.New(fault.Invalid, "invalid_as_of", asOfHeader+" must be "+bound.AllowedDay+".").At(asOfHeader)
		}
		req.AsOf = at
	}
	if text := r.Header.Get(budgetHeader); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 || n > bound.MaxTokens {
			return fault.New(fault.Invalid, "invalid_context_budget", budgetHeader+" must be a number of tokens, at least 1.").At(budgetHeader)
		}
		req.Budget = n
	}
	return nil
}

// parseIdempotencyKey reads the key of a request that may be repeated.
func parseIdempotencyKey(r *http.Request) (string, error) {
	key, err := single(r, idempotencyName, "invalid_idempotency_key")
	if err != nil || key == "" {
		return "", err
	}
	bad := strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' })
	if bad || len(key) > 255 {
		return "", fault.New(fault.Invalid, "invalid_idempotency_key",
			"An Idempotency-Key is 1–255 visible ASCII characters.").At(idempotencyName)
	}
	return key, nil
}
