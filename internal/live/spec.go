package live

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Spec is a request for a run.
type Spec struct {
	ID   string
	Kind Kind
	// Turn is the turn. Its Session must be named: the door makes up an id for a client
	// that sent none. Streaming and Attendant are set here, and so is Idempotency if
	// the door sets none.
	Turn *run.Request
	// Request is stored for the door unchanged; nil for none.
	Request   json.RawMessage
	OnRestart OnRestart // "" is Retry
	// Patience is how long events that nobody waits for may wait to be stored together. A run that
	// was queued, or goes on after a restart, has none.
	Patience time.Duration
	// ClientKey and ClientHash make a repeated request return the first one's
	// run; "" for none.
	ClientKey  string
	ClientHash []byte
}

// route is the idempotency route that keeps these turns from running twice.
const route = "live"

// stored is a turn as it waits to be run. Texts are stored as texts, so that forgetting
// finds them.
type stored struct {
	Scopes      []owner.Scope    `json:"scopes,omitempty"` // of the caller's key
	KeyID       string           `json:"key_id,omitempty"`
	Turns       int              `json:"concurrent_turns,omitempty"` // the key's limit
	Source      session.Source   `json:"source"`
	UserID      string           `json:"user_id,omitempty"`
	System      []storedMessage  `json:"system,omitempty"`
	Messages    []storedMessage  `json:"messages"`
	Model       string           `json:"model,omitempty"`
	Body        json.RawMessage  `json:"body,omitempty"`
	Tools       string           `json:"tools,omitempty"`
	Only        []run.ToolChoice `json:"only,omitzero"`
	Budget      int              `json:"budget,omitempty"`
	Stateless   bool             `json:"stateless,omitempty"`
	Nameless    bool             `json:"nameless,omitempty"`
	Seen        int64            `json:"seen,omitempty"`
	Fresh       bool             `json:"fresh,omitempty"`
	After       *int64           `json:"after,omitempty"`
	NoFallback  bool             `json:"no_fallback,omitempty"`
	Idempotency *run.Idempotency `json:"idempotency"`
}

type storedMessage struct {
	Role       session.Role     `json:"role"`
	Name       string           `json:"name,omitempty"`
	Content    string           `json:"content"`
	Wire       json.RawMessage  `json:"wire,omitempty"`
	ToolCalls  json.RawMessage  `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
	ToolName   string           `json:"tool_name,omitempty"`
	Note       string           `json:"note,omitempty"`
	Files      []session.FileID `json:"files,omitempty"`
	SaidAt     *time.Time       `json:"said_at,omitempty"`
}

func storedMessages(ms []session.Message) []storedMessage {
	out := make([]storedMessage, len(ms))
	for i := range ms {
		m := &ms[i]
		out[i] = storedMessage{
			Role: m.Role, Name: m.Name, Content: m.Content, Wire: m.Wire, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
			ToolName: m.ToolName, Note: m.Note, Files: m.Files,
		}
		if !m.SaidAt.IsZero() {
			out[i].SaidAt = &m.SaidAt
		}
	}
	return out
}

func messagesOf(ms []storedMessage) []session.Message {
	var out []session.Message
	for i := range ms {
		m := &ms[i]
		msg := session.Message{
			Role: m.Role, Name: m.Name, Content: m.Content, Wire: m.Wire, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
			ToolName: m.ToolName, Note: m.Note, Files: m.Files,
		}
		if m.SaidAt != nil {
			msg.SaidAt = *m.SaidAt
		}
		out = append(out, msg)
	}
	return out
}

// encode is the turn of a spec as it is stored.
func (s *Spec) encode(o owner.Owner) (json.RawMessage, error) {
	t := s.Turn
	idempotency := t.Idempotency
	if idempotency == nil {
		idempotency = &run.Idempotency{Route: route, Key: s.ID, BodyHash: []byte(s.ID)}
	}
	body, err := streaming(t.Body)
	if err != nil {
		return nil, err
	}
	out, err := json.Marshal(stored{
		Scopes: o.Scopes(), KeyID: o.Key(), Turns: o.Limits().ConcurrentTurns, Source: t.Source, UserID: t.UserID,
		System: storedMessages(t.System), Messages: storedMessages(t.Messages), Model: t.Model, Body: body,
		Tools: t.Tools, Only: t.Only, Budget: t.Budget, Stateless: t.Stateless, Nameless: t.Nameless, Seen: t.Seen, Fresh: t.Fresh,
		After: t.After, NoFallback: t.NoFallback, Idempotency: idempotency,
	})
	if err != nil {
		return nil, fmt.Errorf("encode turn: %w", err)
	}
	return out, nil
}

// streaming rewrites a body to ask for a stream, whatever the client asked for: a
// partial answer can then be kept.
func streaming(body []byte) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	out, err := openai.Splice(body, openai.Set{Name: "stream", Value: []byte("true")},
		openai.Set{Name: "stream_options", Value: []byte(`{"include_usage":true}`)})
	if err != nil {
		return nil, fmt.Errorf("ask for a stream: %w", err)
	}
	return out, nil
}

// request decodes the turn of a run.
func (r *Run) request(o owner.Owner) (*run.Request, error) {
	var t stored
	if err := json.Unmarshal(r.Turn, &t); err != nil {
		return nil, fmt.Errorf("decode turn: %w", err)
	}
	return &run.Request{
		Owner: owner.Stored(o.ID(), t.Scopes...).Through(t.KeyID, t.Turns), Session: r.Session, Key: r.Key, Source: t.Source, UserID: t.UserID,
		System: messagesOf(t.System), Messages: messagesOf(t.Messages),
		Model: t.Model, Streaming: true, Body: t.Body, Tools: t.Tools, Only: t.Only, Budget: t.Budget, Stateless: t.Stateless,
		Nameless: t.Nameless, Seen: t.Seen, Fresh: t.Fresh, After: t.After, NoFallback: t.NoFallback, Idempotency: t.Idempotency,
	}, nil
}
