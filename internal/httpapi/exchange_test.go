package httpapi_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/trail"
)

// lines is a log that is written to by many.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, c := range []struct {
		name  string
		given []string
		kept  bool
	}{
		{"a clean one", []string{"web-7f3a/1"}, true},
		{"none", nil, false},
		{"a space", []string{"a b"}, false},
		{"too long", []string{strings.Repeat("x", trail.MaxID+1)}, false},
		{"two", []string{"a", "b"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := w.send(t, "GET", "/health", "", http.Header{trail.Header: c.given})
			got := res.Header.Get(trail.Header)
			if c.kept && got != c.given[0] || !c.kept && !strings.HasPrefix(got, "req_") {
				t.Errorf("got %q for %q", got, c.given)
			}
		})
	}
}

// TestRequestLog has a turn with secrets in every place that a client fills, and
// looks at what the log says at its most talkative.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	var log lines
	w := newWorld(t, options{log: slog.New(trail.Handler(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	h := http.Header{
		trail.Header: {"mine-1"}, "Content-Type": {"application/json"}, "User-Agent": {"canary-agent"},
		"X-Hermes-Session-Id": {"canary-session"}, "X-Hermes-Session-Key": {"canary-key"}, "Idempotency-Key": {"canary-idem"},
	}
	w.send(t, "POST", "/v1/chat/completions?q=canary-query", `{"model":"canary-model","messages":[{"role":"user","content":"canary-text"}]}`, h)
	w.send(t, "GET", "/api/sessions/canary-session", "", nil)
	w.send(t, "GET", "/canary-path", "", nil)
	w.send(t, "CANARY-METHOD", "/health", "", nil)
	if m := w.call("GET", "/metrics", "").body; strings.Contains(strings.ToLower(m), "canary") || !strings.Contains(m, `route="/api/sessions/{id}"`) {
		t.Errorf("the metrics tell what they must not, or nothing:\n%s", m)
	}
	sent := w.up.Requests()
	if len(sent) == 0 || sent[0].Header.Get(trail.Header) != "mine-1" {
		t.Errorf("the upstream was not sent the request's id: %d calls", len(sent))
	}
	w.srv.Close() // every request has ended
	text := log.String()
	if strings.Contains(strings.ToLower(text), "canary") || strings.Contains(text, localKey) {
		t.Errorf("the log tells what it must not:\n%s", text)
	}
	var routes []string
	for line := range strings.Lines(text) {
		var l struct{ Msg, Method, Route, Actor string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.Msg == "request" {
			routes = append(routes, l.Method+" "+l.Route+" "+l.Actor)
			if l.Route == "/v1/chat/completions" && !strings.Contains(line, `"request_id":"mine-1"`) {
				t.Errorf("no request id: %s", line)
			}
		}
	}
	want := "POST /v1/chat/completions configured,GET /api/sessions/{id} configured,GET unknown ,other unknown ,GET /metrics configured"
	if got := strings.Join(routes, ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// send makes a request with the local key and returns its answer, read.
func (w *world) send(t *testing.T, method, path, body string, h http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range h {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+localKey)
	res, err := w.srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	_, _ = got.ReadFrom(res.Body)
	_ = res.Body.Close()
	return res
}
