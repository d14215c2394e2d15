package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// messageBody is a request for a message with more members, each followed by a comma.
func messageBody(text, members string) string {
	ms, _ := json.Marshal([]map[string]string{{"role": "user", "content": text}})
	return `{"model":"hermes","max_tokens":99,` + members + `"messages":` + string(ms) + `}`
}

// claudeCode are the members by which Claude Code names its session, and its tools.
const (
	claudeSession = `"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"728b33f1-00db-4b16\"}"},`
	claudeTools   = `"tools":[{"name":"Bash","input_schema":{"type":"object"}}],`
)

// TestMessageKeys: the key may come in either header, on these routes only.
func TestMessageKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	other := w.key("other")
	for _, tt := range []struct {
		name, path, authorization, apiKey string
		status                            int
		body                              string
	}{
		{"in its own header", "/v1/messages", "", localKey, 200, `"type":"message"`},
		{"in both", "/v1/messages", "Bearer " + localKey, localKey, 200, `"type":"message"`},
		{"two keys", "/v1/messages", "Bearer " + localKey, other, 401, `"type":"authentication_error"`},
		{"none", "/v1/messages", "", "", 401, `"type":"error"`},
		{"a wrong one", "/v1/messages", "", "wrong", 401, `"type":"authentication_error"`},
		{"below a session key", "/k/me/v1/messages", "", localKey, 200, `"type":"message"`},
		{"a wrong one below a session key", "/k/me/v1/messages", "", "wrong", 401, `"type":"authentication_error"`},
		{"to count", "/v1/messages/count_tokens", "", localKey, 200, `"input_tokens"`},
		{"on another route", "/v1/chat/completions", "", localKey, 401, `"param":null`},
	} {
		got := w.call("POST", tt.path, messageBody("hi", ""), "Authorization", tt.authorization, "X-Api-Key", tt.apiKey)
		if got.status != tt.status || !strings.Contains(got.body, tt.body) {
			t.Errorf("%s: got %d %s, want %d", tt.name, got.status, got.body, tt.status)
		}
	}
	r := w.request("POST", "/v1/messages", messageBody("hi", ""))
	r.Header["X-Api-Key"] = []string{localKey, localKey}
	if got := w.do(r); got.status != http.StatusBadRequest {
		t.Errorf("two headers: got %d %s, want 400", got.status, got.body)
	}
}

// TestMessageGuards: the checks before the handler refuse in Anthropic's shape, too.
func TestMessageGuards(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for name, tt := range map[string]struct {
		body   string
		change func(*http.Request)
		kind   string
		status int
	}{
		"origin": {"{}", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, "permission_error", 403},
		"host":   {"{}", func(r *http.Request) { r.Host = "evil.example" }, "invalid_request_error", 421},
		"size":   {strings.Repeat(" ", 10_000_001), func(*http.Request) {}, "request_too_large", 413},
		"verb":   {"{}", func(r *http.Request) { r.Method = http.MethodDelete }, "invalid_request_error", 405},
		"header": {messageBody("hi", ""), func(r *http.Request) { r.Header.Set("X-Hermes-As-Of", "soon") }, "invalid_request_error", 400},
	} {
		r := w.request("POST", "/v1/messages", tt.body)
		tt.change(r)
		got := w.do(r)
		var told struct {
			Type      string
			RequestID string `json:"request_id"`
			Error     struct{ Type string }
		}
		if err := json.Unmarshal([]byte(got.body), &told); err != nil {
			t.Fatalf("%s: got %q: %v", name, got.body, err)
		}
		if got.status != tt.status || told.Type != "error" || told.Error.Type != tt.kind {
			t.Errorf("%s: got %d %s, want %d %s", name, got.status, got.body, tt.status, tt.kind)
		}
		if id := got.header.Get("Request-Id"); id == "" || id != told.RequestID {
			t.Errorf("%s: got the request id %q in the header and %q in the body", name, id, told.RequestID)
		}
	}
}

// TestClaudeCodeSessions: Claude Code's session is the session, and what it asks for
// itself is not remembered.
func TestClaudeCodeSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const summary = `{"model":"hermes","max_tokens":9,` + claudeSession + claudeTools + `"messages":[{"role":"user","content":"My cat is called Mo."},{"role":"assistant","content":"Fine."},` +
		`{"role":"user","content":[{"type":"text","text":"Your task is to create a detailed summary of the conversation so far."}]}]}`
	for name, body := range map[string]string{
		"title": messageBody("My dog is called Rex.", claudeSession), "summary": summary,
	} {
		if got := w.call("POST", "/v1/messages", body); got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s", name, got.status, got.body)
		}
	}
	if got := w.call("POST", "/v1/messages", messageBody("My dog is called Rex.", claudeSession+claudeTools), "X-Claude-Code-Agent-Id", "a1"); got.status != http.StatusOK {
		t.Fatalf("agent: got %d %s", got.status, got.body)
	}
	if sessions, _ := w.sessions(); sessions != 0 {
		t.Errorf("got %d sessions from tasks, want none", sessions)
	}
	got := w.call("POST", "/v1/messages", messageBody("My cat is called Mo.", claudeSession+claudeTools))
	if id := got.header.Get("X-Hermes-Session-Id"); id != "728b33f1-00db-4b16" {
		t.Errorf("got the session %q, want Claude Code's", id)
	}
	if sessions, messages := w.sessions(); sessions != 1 || messages != 2 {
		t.Errorf("got %d sessions with %d messages, want 1 with 2", sessions, messages)
	}
}

// TestMessageHistory: a history that is sent again is one session, with no message stored
// twice.
func TestMessageHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	c := &resender{w: w, path: "/v1/messages", members: `"max_tokens":9,`, headers: []string{"X-Api-Key", w.keyWithMemory("phone", "me"), "Authorization", ""}}
	for i := range 6 {
		c.says(fmt.Sprintf("Turn %d about the harbour.", i))
	}
	if sessions, messages := w.sessions("Authorization", "Bearer "+c.headers[1]); sessions != 1 || messages != 12 {
		t.Errorf("got %d sessions with %d messages, want 1 with 12", sessions, messages)
	}
}

// TestStandIn: the configured model answers for a model that the upstream lacks.
func TestStandIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, tt := range []struct{ model, limit, want string }{
		{"claude-opus-4-8", "64000", `"model":"scripted"`},
		{"claude-opus-4-8", "100", `"max_completion_tokens":100`},
		{"other", "64000", `"model":"other"`},
		{"other", "64000", `"max_completion_tokens":64000`},
	} {
		body := `{"model":"` + tt.model + `","max_tokens":` + tt.limit + `,"messages":[{"role":"user","content":"hi"}]}`
		if got := w.call("POST", "/v1/messages", body); got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s", tt.model, got.status, got.body)
		}
		sent := string(w.up.Last().Body)
		if !strings.Contains(sent, tt.want) || tt.model != "other" && strings.Contains(sent, "64000") {
			t.Errorf("%s with a limit of %s: got %s, want %s in it", tt.model, tt.limit, sent, tt.want)
		}
	}
}

// TestMessagePing: an idle stream gets Anthropic's event, not a comment.
func TestMessagePing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{patience: 20 * time.Millisecond, keepAlive: 30 * time.Millisecond})
	hold := make(chan struct{})
	w.up.Queue(upstreamtest.Step{Text: "late", Hold: hold})
	s := w.openLines(t, w.request("POST", "/v1/messages", messageBody("hi", `"stream":true,`)))
	var lines []string
	for len(lines) < 5 {
		line, ok := s.line()
		if !ok {
			t.Fatal("the stream ended")
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	close(hold)
	got := strings.Join(lines, "\n")
	if !strings.HasPrefix(got, "event: message_start\n") || !strings.Contains(got, "event: ping\ndata: {\"type\":\"ping\"}\nevent: ping") {
		t.Errorf("got %s", got)
	}
}

// TestMessageIdempotency: a repeated request gets the stored answer.
func TestMessageIdempotency(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for key, stream := range map[string]string{"whole": "", "streamed": `"stream":true,`} {
		w.up.Queue(upstreamtest.Step{Text: "Once.", ToolCalls: []upstreamtest.ToolCall{{ID: "c", Name: "f", Arguments: `{"a":1}`}}})
		calls := len(w.up.Requests())
		for range 2 {
			got := w.call("POST", "/v1/messages", messageBody("hi", stream+claudeTools), "Idempotency-Key", key)
			if !strings.Contains(got.body, "Once.") || !strings.Contains(got.body, `"tool_use"`) {
				t.Errorf("%s: got %s", key, got.body)
			}
		}
		if n := len(w.up.Requests()) - calls; n != 1 {
			t.Errorf("%s: got %d upstream calls, want 1", key, n)
		}
	}
}

// TestMessageTooLong: a request beyond the model's window is refused in the words that
// Anthropic's clients know.
func TestMessageTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.up.Queue(upstreamtest.Refuse(http.StatusBadRequest, "context_length_exceeded", "At most 9 tokens."))
	got := w.call("POST", "/v1/messages", messageBody("hi", ""))
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"message":"prompt is too long: At most 9 tokens."`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
