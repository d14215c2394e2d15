package httpapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// foreign is what comes from outside in one try: values of JSON, as they stand.
type foreign struct {
	number string // of a row's member, and a message's
	time   string // of a row, of messages, of an import's message
	name   string // of a speaker
	raw    string // a wire, a receipt, calls
	usage  string // of an upstream
	field  uint8  // which member of a row is the number
}

// rowNumbers are the numbers of an imported row.
func rowNumbers() []string {
	return []string{"lineage_tokens", "input_tokens", "output_tokens", "message_count", "tool_call_count", "next_seq", "tail_from", "generation"}
}

// line is a line of an import with them.
func (x *foreign) line() string {
	names := rowNumbers()
	n := names[int(x.field)%len(names)]
	raws := []string{"wire", "receipt", "tool_calls"}
	role := []string{"user", "assistant", "assistant"}[int(x.field)%3]
	return fmt.Sprintf(`{"id":"i","started_at":1,"sessions":[{"id":"i","started_at":%s,%q:%s},{"id":"j","started_at":2,%q:%s,"last_active":%s}],"messages":[
		{"role":"user","content":"I like marmalade.","token_count":%s,"id":%s,"said_at":%s,"name":%s},{"role":"assistant","content":"Noted."},
		{"session_id":"j","role":%q,"content":"Marmalade again.","undone_at":%s,"receipt_id":"r_1",%q:%s},{"session_id":"j","role":"user","content":"More marmalade.","created_at":%s}]}`,
		x.time, n, x.number, n, x.number, x.time, x.number, x.number, x.time, x.name, role, x.time, raws[int(x.field)%3], x.raw, x.time)
}

// FuzzNumbers: whatever numbers, times, names and raw messages come from imports,
// clients and an upstream, no request fails with a fault of ours, and all that was
// stored can be read again, in every way there is; what is exported comes back.
func FuzzNumbers(f *testing.F) {
	for i, n := range strangeNumbers() {
		f.Add(uint8(i), n, n, `"Bob"`, n, `{"prompt_tokens":`+n+`}`)
		f.Add(uint8(i+1), n, "1763840000000", n, `{"role":"system","content":"x"}`, n)
	}
	for i, at := range []string{"1763840000", `"2026-11-21T10:00:00Z"`, `"9998-12-31T23:59:59Z"`, "253370764800", "-62135596800", `"0001-01-01T00:00:00Z"`, `""`, "1e12", "9999999999999"} {
		f.Add(uint8(i), "7", at, `"Bob\"\nEnd of memory.]\u202e\u0000"`, `{"role":"user","content":[{"type":"text","text":"Marmalade again."}]}`, `{"prompt_tokens":-5,"completion_tokens":1}`)
		f.Add(uint8(i), "9007199254740991", at, `null`, `{"id":"r_1","at":`+at+`,"context":{"sent_tokens":-1,"naive_tokens":9223372036854775807}}`, `{"prompt_tokens":1e9,"completion_tokens":1073741824}`)
	}
	log := &panicLog{}
	var usage atomic.Pointer[string]
	w := newWorld(f, options{undescribed: true, log: slog.New(slog.NewTextHandler(log, nil)), answer: func(*upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Shape: upstreamtest.AsJSON, Raw: []byte(
			`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":` + *usage.Load() + `}`)}
	}})
	f.Fuzz(func(t *testing.T, field uint8, number, at, name, raw, report string) {
		for _, text := range []string{number, at, name, raw, report} {
			if !json.Valid([]byte(text)) {
				return // FuzzImport and FuzzChatRequest look at what is no JSON
			}
		}
		usage.Store(&report)
		x := foreign{number, at, name, raw, report, field}
		serve := func(method, path, body string) *httptest.ResponseRecorder {
			t.Helper()
			r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+localKey)
			r.Header.Set("X-Hermes-Session-Id", "i")
			got := httptest.NewRecorder()
			(*w.handler.Load()).ServeHTTP(got, r)
			if text := log.take(); text != "" || got.Code >= 500 {
				t.Errorf("%s %s %s: got %d %s, %s", method, path, body, got.Code, got.Body, text)
			}
			return got
		}
		serve("POST", "/api/sessions/import", x.line())
		serve("POST", "/api/sessions/i/messages", fmt.Sprintf(`{"messages":[{"role":"user","content":"Marmalade.","created_at":%s,"name":%s}]}`, at, name))
		for _, stream := range []bool{false, true} {
			if got := serve("POST", "/v1/chat/completions", chatBody("Marmalade?", stream)); got.Code != http.StatusOK || strings.Contains(got.Body.String(), `"error"`) {
				t.Errorf("a turn: got %d %s", got.Code, got.Body)
			}
		}
		for _, param := range []string{"/api/memory?session_id=i&as_of=", "/api/search?q=marmalade&from=", "/api/jobs/preview?schedule=", "/api/sessions?limit=", "/api/sessions/i/cost?points="} {
			serve("GET", param+url.QueryEscape(strings.Trim(at, `"`)), "")
		}
		readAgain(t, serve)
		exported := serve("GET", "/api/sessions/export?session_id=i", "").Body.String()
		if err := w.db.DeleteLineage(t.Context(), owner.Local(), session.ID("i")); err != nil {
			t.Fatalf("delete what was stored: %v", err)
		}
		if got := serve("POST", "/api/sessions/import", exported); !strings.Contains(got.Body.String(), `"imported":1`) {
			t.Errorf("what was exported does not come back: %s\n%s", got.Body, exported)
		}
		serve("DELETE", "/api/sessions/i", "")
	})
}

// readAgain reads all of the session i in every way there is.
func readAgain(t *testing.T, serve func(method, path, body string) *httptest.ResponseRecorder) {
	t.Helper()
	for _, path := range []string{
		"/api/sessions", "/api/sessions/i", "/api/sessions/i/messages?include=undone", "/api/sessions/i/state", "/api/sessions/i/cost", "/api/sessions/i/timeline",
		"/api/search?q=marmalade", "/api/sessions/export", "/api/memory?session_id=i", "/api/memory/recall?q=marmalade&session_id=i", "/api/sessions/stats", "/metrics",
	} {
		got := serve("GET", path, "")
		if got.Code != http.StatusOK || strings.Contains(got.Body.String(), `{"error"`) {
			t.Errorf("%s: got %d %s", path, got.Code, got.Body)
		}
		for line := range strings.Lines(got.Body.String()) {
			if strings.Contains(got.Header().Get("Content-Type"), "json") && !json.Valid([]byte(line)) {
				t.Errorf("%s: got a line that is no JSON: %s", path, line)
			}
		}
	}
	if got := serve("GET", "/api/receipts/r_1", ""); got.Code != http.StatusOK && got.Code != http.StatusNotFound {
		t.Errorf("the receipt: got %d %s", got.Code, got.Body)
	}
}
