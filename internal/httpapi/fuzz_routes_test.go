package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// FuzzRoutes: whatever stands in the path, the query, the body and the small
// headers of whatever route, no handler falls over, none fails with a 500, and what
// is answered is readable: search queries, cursors, times, zones, schedules, tags
// of versions, calls of MCP clients.
func FuzzRoutes(f *testing.F) {
	table := httpapi.Table()
	cases := routeCases()
	for i, v := range table {
		body := cases[v.Method+" "+v.Path].body
		f.Add(uint8(i), "s", "", body, "")
		f.Add(uint8(i), "../../etc/passwd", "limit=2&cursor=%00&from=1&q=a+OR+(b*&as_of=2026-03-01T12:00:00Z", body, `"1"`)
	}
	for _, seed := range []struct{ path, query, body, header string }{
		{"/api/search", `q="a b" AND (c OR NOT d*)&limit=1`, "", ""}, {"/api/search", "q=" + strings.Repeat("a*+", 40), "", ""},
		{"/api/jobs/preview", "schedule=0+0+31+2+*&timezone=../../etc&count=9", "", ""}, {"/api/jobs/preview", "schedule=TZ=UTC", "", ""},
		{"/api/audit", "since=x&action=..&cursor=LTE", "", ""}, {"/api/sessions", "cursor=" + strings.Repeat("A", 300), "", "*"},
		{"/mcp", "", `[{"jsonrpc":"2.0","id":1e400,"method":"tools/call","params":{"name":"recall","arguments":null}}]`, "2026-03-01T12:00:00Z"},
		{"/api/sessions/{id}", "", `{"title":"a","title":"b"}`, `W/"1", "2"`}, {"/v1/runs/{id}/events", "after=-1", "", "18446744073709551616"},
		{"/api/jobs", "", `{"name":"n","schedule":"@every 0s","prompt":"p","timezone":"\u0000","deliver":{"kind":"webhook","url":"http://127.0.0.1/"}}`, ""},
	} {
		for i, v := range table {
			if v.Path == seed.path {
				f.Add(uint8(i), "s", seed.query, seed.body, seed.header)
			}
		}
	}
	log := &panicLog{}
	w := fuzzWorld(f, log)
	w.chat("s", "We use Rust because of latency.")
	f.Fuzz(func(t *testing.T, route uint8, id, query, body, header string) {
		v := table[int(route)%len(table)]
		ctx := t.Context()
		if v.Path == "/api/events" { // it ends with its client
			gone, leave := context.WithCancel(ctx)
			leave()
			ctx = gone
		}
		r := httptest.NewRequestWithContext(ctx, v.Method, "http://localhost/", strings.NewReader(body))
		path := fillPath(v.Path, url.PathEscape(id))
		parsed, err := url.ParseRequestURI(path)
		if err != nil {
			return // net/http refuses it before us
		}
		r.URL.Path, r.URL.RawPath, r.URL.RawQuery = parsed.Path, parsed.RawPath, query
		r.Header.Set("Authorization", "Bearer "+localKey)
		for _, name := range []string{"If-Match", "If-None-Match", "X-Hermes-As-Of", "X-Hermes-Context-Budget", "X-Hermes-Detach", "X-Request-Id", "Last-Event-Id"} {
			r.Header[name] = []string{header}
		}
		if strings.HasPrefix(v.Path, "/mcp") {
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Content-Type", "application/json")
		}
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		if text := log.take(); text != "" {
			t.Fatal(text)
		}
		checkReadable(t, v.Method+" "+path+"?"+query+" "+body, got)
	})
}

// checkReadable holds an answer to what a client can read: JSON, or what is said
// to be something else, and no fault of ours.
func checkReadable(t *testing.T, what string, got *httptest.ResponseRecorder) {
	t.Helper()
	if got.Code == http.StatusInternalServerError {
		t.Errorf("%.500q: got %d %s", what, got.Code, got.Body)
	}
	kind := got.Header().Get("Content-Type")
	if strings.HasPrefix(kind, "application/json") && got.Body.Len() > 0 && !json.Valid(got.Body.Bytes()) {
		t.Errorf("%.500q: got %d %s, want JSON", what, got.Code, got.Body)
	}
	for name, values := range got.Header() {
		for _, value := range values {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\ufffd' }) {
				t.Errorf("%.500q: got %q in the header %s", what, value, name)
			}
		}
	}
}

// FuzzAuthorization: a header either is our key behind the word Bearer, or it is
// refused; nothing in between, and nothing else is looked at.
func FuzzAuthorization(f *testing.F) {
	for _, seed := range []string{
		"Bearer " + localKey, "bearer  " + localKey + " ", "Bearer\t" + localKey, localKey, "Basic " + localKey, "Bearer " + localKey + ",", "Bearer Bearer " + localKey,
		"Bearer " + localKey + ", Bearer x", "Bearer hermes", "Bearer hk_0123456789ab_x", "", " ", "Bearer", "Bearer \x00", "BEARER " + strings.ToUpper(localKey), "Digest username=\"" + localKey + "\"",
	} {
		f.Add(seed)
	}
	log := &panicLog{}
	w := fuzzWorld(f, log)
	f.Fuzz(func(t *testing.T, value string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/jobs", http.NoBody)
		r.Header["Authorization"] = []string{value}
		got := httptest.NewRecorder()
		(*w.handler.Load()).ServeHTTP(got, r)
		scheme, token, _ := strings.Cut(strings.TrimSpace(value), " ")
		want := http.StatusUnauthorized
		if token = strings.TrimSpace(token); strings.EqualFold(scheme, "Bearer") && (token == localKey || token == "local-token-of-this-machine") {
			want = http.StatusOK
		}
		if got.Code != want || log.take() != "" {
			t.Errorf("%q: got %d %s, want %d", value, got.Code, got.Body, want)
		}
	})
}

// TestOneResolver: a key is believed in one place only (T4). Elsewhere it is no
// key, and in two places at once it is refused or not looked at there.
func TestOneResolver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for _, tt := range []struct {
		name, path string
		header     http.Header
		want       int
	}{
		{"Bearer", "", http.Header{"Authorization": {"Bearer " + localKey}}, 200},
		{"the scheme in small letters", "", http.Header{"Authorization": {"bearer " + localKey}}, 200},
		{"spaces around", "", http.Header{"Authorization": {"  Bearer   " + localKey + "  "}}, 200},
		{"no scheme", "", http.Header{"Authorization": {localKey}}, 401},
		{"Basic", "", http.Header{"Authorization": {"Basic " + localKey}}, 401},
		{"two in one", "", http.Header{"Authorization": {"Bearer " + localKey + ", Bearer " + localKey}}, 401},
		{"two headers", "", http.Header{"Authorization": {"Bearer " + localKey, "Bearer " + localKey}}, 400},
		{"two headers, the second is none", "", http.Header{"Authorization": {"Bearer " + localKey, ""}}, 400},
		{"x-api-key", "", http.Header{"X-Api-Key": {localKey}}, 401},
		{"api-key", "", http.Header{"Api-Key": {localKey}}, 401},
		{"a cookie", "", http.Header{"Cookie": {"authorization=" + localKey + "; api_key=" + localKey}}, 401},
		{"the proxy's", "", http.Header{"Proxy-Authorization": {"Bearer " + localKey}}, 401},
		{"a query", "?api_key=" + localKey + "&key=" + localKey + "&access_token=" + localKey + "&token=" + localKey, nil, 401},
		{"a wrong one, and a right one elsewhere", "?api_key=" + localKey, http.Header{"Authorization": {"Bearer wrong"}, "X-Api-Key": {localKey}}, 401},
		{"who a proxy says it is", "", http.Header{"X-Forwarded-User": {"local"}, "X-Forwarded-For": {"127.0.0.1"}, "X-Real-Ip": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1"}}, 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := w.request("GET", "/api/jobs"+tt.path, "")
			r.Header = tt.header.Clone()
			if tt.header == nil {
				r.Header = http.Header{}
			}
			if got := w.do(r); got.status != tt.want {
				t.Errorf("got %d %s, want %d", got.status, got.body, tt.want)
			}
		})
	}
}

// TestFoldedHeaders: two headers, and headers that were folded into two lines, as
// they stand on the wire (T5): they are refused, or they are one value as HTTP
// reads it; nothing of them gets into the header of the answer in another shape.
func TestFoldedHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for _, tt := range []struct {
		name, lines string
		want        int
		echo        string
	}{
		{"two", "X-Hermes-Session-Id: a\r\nX-Hermes-Session-Id: a", 400, ""},
		{"two, spelled otherwise", "X-Hermes-Session-Id: a\r\nx-hermes-session-id: b", 400, ""},
		{"two keys", "X-Hermes-Session-Key: a\r\nX-Hermes-Session-Key: b", 400, ""},
		{"folded", "X-Hermes-Session-Id: a\r\n b", 200, "a b"},
		{"folded with a bare line feed", "X-Hermes-Session-Id: a\n b", 200, "a b"},
		{"another header behind a bare line feed", "X-Hermes-Session-Id: a\nX-Evil: 1", 200, "a"},
		{"a carriage return", "X-Hermes-Session-Id: a\rX-Evil: 1", 400, ""},
		{"a space before the colon", "X-Hermes-Session-Id : a", 400, ""},
		{"257 bytes", "X-Hermes-Session-Id: " + strings.Repeat("a", 257), 400, ""},
		{"an underscore", "X_Hermes_Session_Id: a", 200, "made"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res, answer := w.raw(t, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+localKey+"\r\n"+tt.lines+
				"\r\nConnection: close\r\nContent-Length: 45\r\n\r\n"+body)
			if res == nil || res.StatusCode != tt.want {
				t.Fatalf("got %v %s, want %d", res, answer, tt.want)
			}
			echo := strings.Join(res.Header.Values("X-Hermes-Session-Id"), ",")
			if tt.echo == "made" && strings.HasPrefix(echo, "2026") {
				echo = "made"
			}
			if echo != tt.echo || res.Header.Get("X-Evil") != "" {
				t.Errorf("got the echo %q in %v, want %q", echo, res.Header, tt.echo)
			}
		})
	}
}
