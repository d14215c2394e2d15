package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
)

// ownModel is the name that means the configured model.
const ownModel = "hermes"

// models answers GET /v1/models: the name "hermes", then the upstream's models. It
// succeeds even if the upstream cannot be reached.
func (s *server) models(w http.ResponseWriter, r *http.Request) error {
	list := s.modelList(r)
	if ofAnthropic(r) {
		out := make([]anthropic.Model, len(list))
		for i := range list {
			out[i] = list[i].ofAnthropic()
		}
		return writeJSON(w, http.StatusOK, anthropic.NewModelList(out))
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

type modelJSON struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// ofAnthropic is the model in the form of Anthropic's API.
func (m *modelJSON) ofAnthropic() anthropic.Model {
	return anthropic.NewModel(m.ID, time.Unix(m.Created, 0))
}

func (s *server) modelList(r *http.Request) []modelJSON {
	list := []modelJSON{{ID: ownModel, Object: "model", Created: 1_760_000_000, OwnedBy: "hermes"}}
	if s.Models == nil {
		return list
	}
	rows, err := s.Models(r.Context())
	if err != nil {
		s.Log.WarnContext(r.Context(), "could not list the upstream's models", "err", err)
	}
	for _, m := range rows {
		if m.ID != ownModel {
			list = append(list, modelJSON{ID: m.ID, Object: "model", Created: m.Created, OwnedBy: m.OwnedBy})
		}
	}
	return list
}

// model answers GET /v1/models/{id}.
func (s *server) model(w http.ResponseWriter, r *http.Request) error {
	for _, m := range s.modelList(r) {
		switch {
		case m.ID != r.PathValue("id"):
		case ofAnthropic(r):
			return writeJSON(w, http.StatusOK, m.ofAnthropic())
		default:
			return writeJSON(w, http.StatusOK, m)
		}
	}
	return fault.New(fault.NotFound, "model_not_found", "No model with this id. GET /v1/models lists them.").At("model")
}

// capabilities answers GET /v1/capabilities: the features that a client can rely on.
func (s *server) capabilities(w http.ResponseWriter, _ *http.Request) error {
	type endpoint struct {
		Method string `json:"method"`
		Path   string `json:"path"`
	}
	var endpoints []endpoint
	for _, rt := range s.routes() {
		endpoints = append(endpoints, endpoint{rt.method, rt.path})
	}
	return writeJSON(w, http.StatusOK, map[string]any{
		"object":   "hermes.api_server.capabilities",
		"platform": "hermes",
		"version":  s.Version,
		"model":    s.Name,
		"auth":     map[string]any{"type": "bearer", "required": !s.NoAuth},
		"features": map[string]any{
			"chat_completions":           true,
			"chat_completions_streaming": true,
			"messages":                   true,
			"messages_streaming":         true,
			"responses":                  true,
			"responses_streaming":        true,
			"conversations":              true,
			"responses_websocket":        true,
			"session_resources":          true,
			"session_continuity_header":  sessionIDHeader,
			"session_key_header":         sessionKeyHeader,
			"stream_session_id":          "choices finish chunk: hermes.session_id",
			"idempotency":                map[string]any{"header": idempotencyName, "durable": true, "retention_seconds": 86400},
			"off_the_record":             storeHeader + ": none",
			"runs":                       true,
			"run_approval":               true,
			"detach_header":              detachHeader,
			"client_tools":               true,
			"server_tools":               some(s.Tools),
			"mcp_server":                 s.MCP != nil,
			"receipts":                   true,
			"responder":                  s.Responder,
			"cors":                       len(s.Origins) > 0,
			"background":                 s.Background,
		},
		"limits":    map[string]any{"body_bytes": maxBody, "session_id_characters": 256},
		"endpoints": endpoints,
	})
}

// The kinds of databases.
const (
	Embedded   = "embedded"
	PostgreSQL = "postgresql"
)

// Placement is where the data of a server is, and among how many servers it works.
type Placement struct {
	Database string `json:"database"`        // embedded or postgresql
	Node     string `json:"node,omitempty"`  // names this server among those that share the database
	Nodes    int    `json:"nodes,omitempty"` // how many there are; 0 if none can share the database
}

// health answers GET /health while the process runs. It waits for no other component.
func (s *server) health(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, struct {
		Status   string `json:"status"`
		Platform string `json:"platform"`
		Version  string `json:"version"`
		Placement
	}{"ok", "hermes", s.Version, s.Placement()})
}

// ready answers whether the server accepts work. The reason for a refusal goes to the
// log only.
func (s *server) ready(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		s.Log.WarnContext(r.Context(), "not ready", "err", err)
		return writeJSON(w, http.StatusServiceUnavailable, struct {
			Status string `json:"status"`
			Reason string `json:"reason,omitempty"`
		}{"unavailable", fault.CodeOf(err)})
	}
	return writeJSON(w, http.StatusOK, map[string]any{"status": "ready"})
}
