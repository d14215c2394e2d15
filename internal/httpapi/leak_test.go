package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// secrets are what no answer may hold: the insides of this program, the address
// and the key of the upstream, places on this machine.
func (w *world) secrets() []string {
	return []string{
		"sql:", "SQL logic", "sqlite", "UNIQUE constraint", "PRAGMA", ".go:", "goroutine", "runtime error", "nil pointer",
		"json: ", "jsontext", "context canceled", "context deadline", "dial tcp", "connection re", "EOF:", "file:", "mode=rw",
		"internal/", upstreamKey, strings.TrimPrefix(w.up.URL, "http://"), w.dir, "/var/lib/secret.db",
	}
}

var runtimeMetrics = regexp.MustCompile(`(?m)^(# [A-Z]+ )?go_.*$`)

// checkSecrets holds one answer against them. What the caller sent itself is no
// secret from the caller.
func (w *world) checkSecrets(what string, got reply) {
	w.t.Helper()
	if strings.Contains(what, "/metrics") { // what the Go runtime says of itself is for everybody to know
		got.body = runtimeMetrics.ReplaceAllString(got.body, "")
	}
	for _, secret := range w.secrets() {
		if strings.Contains(got.body, secret) {
			w.t.Errorf("%s: got %d with %q in it: %.400s", what, got.status, secret, got.body)
		}
		for name, values := range got.header {
			if strings.Contains(strings.Join(values, "\n"), secret) {
				w.t.Errorf("%s: got %q in the header %s", what, secret, name)
			}
		}
	}
	if got.status >= 400 && got.header.Get("Content-Type") == "application/json" && got.body != "" {
		var shape struct {
			Error  *struct{ Message, Type string }
			Status string // of /readyz
		}
		if err := json.Unmarshal([]byte(got.body), &shape); err != nil || shape.Status == "" && (shape.Error == nil || shape.Error.Message == "" || shape.Error.Type == "") {
			w.t.Errorf("%s: got %d %.400s, want an error object", what, got.status, got.body)
		}
	}
	if got.status >= 400 && got.body != "" && !json.Valid([]byte(got.body)) {
		w.t.Errorf("%s: got %d %.400s, want JSON", what, got.status, got.body)
	}
}

// brokenBodies are bodies that no route can make sense of.
func brokenBodies() []string {
	return []string{
		"", "{", "null", "[]", "7", `"x"`, "\x00", "\xff\xfe", `{"a":1}{"b":2}`, `{"messages":null}`, `{"messages":[null]}`,
		`{"messages":[{"role":"user","content":{"a":1}}]}`, `{"messages":[{"role":"user","content":"\ud800"}]}`,
		`{"messages":[{"role":"tool","tool_call_id":"x","content":"y"}]}`, `{"messages":[{"role":"user","content":"hi"}],"model":{}}`,
		`{"title":["x"],"end_reason":{}}`, `{"title":null,"id":null}`, `{"id":"` + strings.Repeat("x", 300) + `"}`,
		`{"name":"'; DROP TABLE api_keys; --","scopes":[1]}`, `{"name":"` + strings.Repeat("n", 100) + `"}`,
		strings.Repeat("[", 5000), `{"x":` + strings.Repeat(`{"x":`, 1000), "<xml/>", "messages=hi",
	}
}

// brokenIDs stand in for the parts of a path that a client chooses.
func brokenIDs() []string {
	return []string{
		"nonesuch", "%00", "%ff", strings.Repeat("x", 5000), "'%20OR%201=1--", "..%2F..%2Fetc%2Fpasswd", "%25s%25n", "20260301", "99999999",
	}
}

// brokenQueries are search parts of a URL.
func brokenQueries() []string {
	return []string{
		"", "?limit=x", "?limit=-1", "?limit=99999999999999999999", "?cursor=%00", "?cursor=Og", "?from=9223372036854775808", "?from=x",
		"?kind='", "?as_of=x", "?axis=x", "?q=%22%00", "?q=" + strings.Repeat("a%20", 2000), "?session_id=%00", "?session_key=%ff&session_id=s",
		"?include=x", "?topic=%22*", "?a=%zz;b",
	}
}

// TestErrorsDoNotLeak: over every route, with everything broken that a caller can
// break, no answer shows the insides.
func TestErrorsDoNotLeak(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.chat("s", "We use Rust because of latency.")
	for _, v := range httpapi.Table() {
		body := routeCases()[v.Method+" "+v.Path].body
		for _, id := range brokenIDs() {
			path := fillPath(v.Path, id)
			w.checkSecrets(v.Method+" "+path, w.call(v.Method, path, body))
		}
		for _, query := range brokenQueries() {
			path := fillPath(v.Path, "s") + query
			w.checkSecrets(v.Method+" "+path, w.call(v.Method, path, body))
		}
		if v.Method == http.MethodGet || v.Method == http.MethodDelete {
			continue
		}
		for _, body := range brokenBodies() {
			w.checkSecrets(v.Method+" "+v.Path+" "+body[:min(len(body), 60)], w.call(v.Method, fillPath(v.Path, "s"), body))
		}
	}
}

// fillPath puts an id in place of the names of a route's path.
func fillPath(path, id string) string {
	start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
	if start < 0 {
		return path
	}
	return path[:start] + id + path[end+1:]
}

// TestUpstreamErrorsDoNotLeak: nor do they when it is the upstream that breaks,
// and quotes its own key and address at us.
func TestUpstreamErrorsDoNotLeak(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{NoFallback: true})
	quoting := `{"error":{"message":"the key ` + upstreamKey + ` is wrong for ` + w.up.URL + `/v1","type":"` + upstreamKey + `","param":"` + upstreamKey + `","code":"` + upstreamKey + `"}}`
	steps := []upstreamtest.Step{
		{Raw: []byte("not JSON " + upstreamKey)}, {Raw: []byte(quoting)}, {Raw: []byte(`{"choices":[]}`)}, {Cut: true, Text: "hello"},
		{Shape: upstreamtest.AsStream, Garbage: upstreamKey}, {Shape: upstreamtest.AsStream, ErrorMidStream: `{"message":"` + upstreamKey + ` at ` + w.up.URL + `"}`},
		{Raw: []byte("data: {\"error\":\"" + upstreamKey + "\"}\n\n"), Shape: upstreamtest.AsStream},
	}
	for _, status := range []int{301, 400, 401, 403, 404, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529} {
		steps = append(steps, upstreamtest.Step{Status: status, Body: quoting, Header: http.Header{"Location": {w.up.URL + "/" + upstreamKey}}},
			upstreamtest.Step{Status: status, Body: "<html>goroutine 1 [running]: main.go:7 " + upstreamKey + "</html>"})
	}
	for _, step := range steps {
		for _, stream := range []bool{true, false} {
			w.up.Queue(step)
			got := w.call("POST", "/v1/chat/completions", chatBody("hi", stream), "X-Hermes-Session-Id", "s")
			w.checkSecrets("upstream says "+step.Body+string(step.Raw), reply{200, got.header, got.body})
			if got.status < 400 && !strings.Contains(got.body, `"error"`) {
				t.Errorf("step %+v: got %d %s, want an error", step, got.status, got.body)
			}
		}
	}
	w.up.Close()
	w.checkSecrets("upstream gone", w.call("POST", "/v1/chat/completions", chatBody("hi", false)))
	w.checkSecrets("upstream gone, streamed", w.call("POST", "/v1/chat/completions", chatBody("hi", true)))
	w.checkSecrets("upstream gone, models", w.call("GET", "/v1/models", ""))
}

// withoutStore are the routes that answer without the database, or refuse before they read it.
func withoutStore() []string {
	return []string{
		"GET /v1/capabilities", "POST /mcp", "GET /api/jobs/preview", "GET /api/me", "GET /api/events", "GET /api/config", "GET /api/doctor",
		"POST /api/provider/test", "GET /api/backup", "DELETE /api/page/token", "GET /metrics", "POST /v1/responses/compact",
		"GET /v1/responses", "POST /v1/messages/count_tokens",
		"GET /api/platforms", // without bots, nothing is read
	}
}

// TestStoreErrorsDoNotLeak: nor when the database is gone.
func TestStoreErrorsDoNotLeak(t *testing.T) {
	t.Parallel()
	w, fill := routeWorld(t)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, v := range httpapi.Table() {
		c := routeCases()[v.Method+" "+v.Path]
		got := w.call(v.Method, fill(c.path), c.body)
		w.checkSecrets(v.Method+" "+v.Path, got)
		route := v.Method + " " + v.Path
		stateless := v.Scope == "" || strings.HasPrefix(v.Path, "/v1/models") || slices.Contains(withoutStore(), route)
		if got.status < 500 && !stateless {
			t.Errorf("%s %s without a database: got %d %.200s, want 5xx", v.Method, v.Path, got.status, got.body)
		}
	}
	for _, headers := range [][]string{{"X-Hermes-Session-Id", "s"}, {"X-Hermes-Session-Id", "new"}, {"Idempotency-Key", "k"}, {"X-Hermes-Store", "none"}} {
		for _, stream := range []bool{true, false} {
			got := w.call("POST", "/v1/chat/completions", chatBody("hi", stream), headers...)
			w.checkSecrets("chat "+headers[0], got)
			if strings.Contains(got.body, `"content":"ok"`) && headers[0] != "X-Hermes-Store" {
				t.Errorf("chat with %s, stream %t: got an answer that was not stored: %s", headers[0], stream, got.body)
			}
		}
	}
}
