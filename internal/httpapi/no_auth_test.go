package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
)

// terminalToken is the token of the command line in a test world.
const terminalToken = "Bearer local-token-of-this-machine"

// TestNoAuthRoutes walks the route table of a server with --no-auth: a caller
// without a key reads, and has turns in fresh sessions, and does nothing else. The
// command line on the same machine goes on as with keys.
func TestNoAuthRoutes(t *testing.T) {
	t.Parallel()
	open := map[string]bool{
		"POST /v1/chat/completions": true, "POST /v1/messages": true, "POST /v1/messages/count_tokens": true, "POST /v1/responses": true, "POST /v1/runs": true, "POST /mcp": true,
		"POST /v1/responses/compact": true, "POST /v1/responses/input_tokens": true,
	}
	for _, v := range httpapi.Table() {
		if v.Scope == "" {
			continue
		}
		w := newWorld(t, options{NoAuth: true})
		c := routeCases()[v.Method+" "+v.Path]
		path := strings.ReplaceAll(c.path, "?session_id=s&", "?")
		path = strings.TrimSuffix(path, "?session_id=s")
		got := w.call(v.Method, path, c.body, "Authorization", "")
		refused := got.status == http.StatusForbidden && strings.Contains(got.body, "session_auth_required")
		if want := v.Method != "GET" && !open[v.Method+" "+v.Path]; refused != want {
			t.Errorf("%s %s: got %d %s, want refused: %t", v.Method, path, got.status, got.body, want)
		}
		got = w.call(v.Method, path, c.body, "Authorization", terminalToken)
		if got.status == http.StatusForbidden || got.status == http.StatusUnauthorized {
			t.Errorf("%s %s by the command line: got %d %s", v.Method, path, got.status, got.body)
		}
	}
}

// TestNoAuthNamesNoSession: a caller without a key names a session, or a session
// key, in no header, query and body of any route.
func TestNoAuthNamesNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{NoAuth: true})
	tell := w.call("POST", "/v1/chat/completions", chatBody("We use Rust because of latency.", false),
		"Authorization", terminalToken, "X-Hermes-Session-Id", "s", "X-Hermes-Session-Key", "k")
	made := w.call("POST", "/v1/responses", `{"input":"hi","conversation":"s"}`, "Authorization", terminalToken)
	if tell.status != http.StatusOK || made.status != http.StatusOK {
		t.Fatalf("got %d %s and %d %s, want 200", tell.status, tell.body, made.status, made.body)
	}
	response := strings.SplitN(strings.SplitN(made.body, `"id":"`, 2)[1], `"`, 2)[0]
	type attempt struct{ method, path, body, header string }
	attempts := []attempt{
		{"POST", "/v1/runs", `{"input":"hi","session_id":"s"}`, ""},
		{"POST", "/v1/runs", `{"input":"hi","session_key":"k"}`, ""},
		{"POST", "/v1/responses", `{"input":"hi","conversation":"s"}`, ""},
		{"POST", "/v1/responses", `{"input":"hi","conversation":{"id":"s"}}`, ""},
		{"POST", "/v1/responses", fmt.Sprintf(`{"input":"hi","previous_response_id":%q}`, response), ""},
		{"POST", "/v1/responses/compact", `{"model":"hermes","conversation":"s"}`, ""},
		{"POST", "/v1/responses", `{"input":[{"type":"compaction","encrypted_content":"hermes1.eyJzZXNzaW9uIjoicyJ9"},{"role":"user","content":"hi"}]}`, ""},
		{"POST", "/api/jobs", `{"name":"n","schedule":"@daily","prompt":"p","session_id":"s"}`, ""},
		{"POST", "/api/jobs", `{"name":"n","schedule":"@daily","prompt":"p","session_key":"k"}`, ""},
		{"POST", "/api/sessions", `{"id":"t"}`, ""},
		{"POST", "/api/sessions", `{"session_key":"k"}`, ""},
		{"POST", "/api/memory/forget", `{"session_key":"k"}`, ""},
		{"POST", "/api/memory/forget", `{"about":"Rust"}`, ""},
		{"POST", "/api/memory?session_key=k", `{"statement":"I like tea"}`, ""},
		{"POST", "/api/sessions/s/messages", `{"messages":[{"role":"user","content":"x"}]}`, ""},
		{"POST", "/api/sessions/import", `{"id":"s","started_at":"2026-01-01T00:00:00Z","messages":[]}`, ""},
		{"POST", "/api/keys", `{"name":"admin","owner":"local","scopes":["admin"]}`, ""},
	}
	for _, v := range httpapi.Table() {
		if v.Scope == "" {
			continue
		}
		path := strings.NewReplacer("{id}", "s", "{id...}", "hermes", "{fact_id}", "f").Replace(v.Path)
		for _, query := range []string{"?q=Rust&session_key=k", "?q=Rust&session_id=s", "?session_id=", "?session_key=k&session_key="} {
			attempts = append(attempts, attempt{v.Method, path + query, "", ""})
		}
		for _, header := range []string{"X-Hermes-Session-Id", "X-Hermes-Session-Key"} {
			attempts = append(attempts, attempt{v.Method, path, routeCases()[v.Method+" "+v.Path].body, header})
		}
	}
	for _, a := range attempts {
		headers := []string{"Authorization", "Bearer anything"}
		if a.header != "" {
			headers = append(headers, a.header, "s")
		}
		got := w.call(a.method, a.path, a.body, headers...)
		if got.status != http.StatusForbidden || !strings.Contains(got.body, "session_auth_required") || strings.Contains(got.body, "latency") {
			t.Errorf("%s %s %s %s: got %d %s, want it refused", a.method, a.path, a.header, a.body, got.status, got.body)
		}
	}
	keys, err := w.keyring.List(t.Context())
	if err != nil || len(keys) > 0 {
		t.Errorf("got keys %v, %v, want none", keys, err)
	}
}

// TestNoAuthMCP: the MCP door leads through the same gate.
func TestNoAuthMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{NoAuth: true})
	w.call("POST", "/v1/chat/completions", chatBody("We use Rust because of latency.", false), "Authorization", terminalToken, "X-Hermes-Session-Key", "k")
	for _, call := range []string{
		`{"name":"recall","arguments":{"query":"Rust","session_key":"k"}}`,
		`{"name":"remember","arguments":{"statement":"I like tea","session_key":"k"}}`,
		`{"name":"forget","arguments":{"about":"Rust"}}`,
	} {
		got := w.call("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+call+`}`, "Authorization", "")
		if got.status != http.StatusOK || !strings.Contains(got.body, `"isError":true`) || strings.Contains(got.body, "latency") {
			t.Errorf("%s: got %d %s, want an error", call, got.status, got.body)
		}
	}
}

// TestExportNeedsItsScope: the scope export is what exports, and reading is not enough.
func TestExportNeedsItsScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, tt := range []struct {
		scope owner.Scope
		want  int
	}{{owner.Export, http.StatusOK}, {owner.SessionsRead, http.StatusForbidden}, {owner.Admin, http.StatusForbidden}} {
		key := w.key("only "+string(tt.scope), tt.scope)
		if got := w.call("GET", "/api/sessions/export", "", "Authorization", "Bearer "+key); got.status != tt.want {
			t.Errorf("with %q only: got %d %s, want %d", tt.scope, got.status, got.body, tt.want)
		}
	}
}
