package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/owner"
)

// TestDevelopmentKeyIsDirect: the key that all know counts for requests that come
// straight from this machine, and for no others.
func TestDevelopmentKeyIsDirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{development: true, Hosts: []string{"memory.example"}})
	dev := []string{"Authorization", "Bearer " + owner.DevelopmentKey}
	for _, host := range []string{"localhost", "127.0.0.1:11434", "[::1]:80", "LOCALHOST:1"} {
		if got := w.call("GET", "/api/sessions", "", append(dev, "Host", host)...); got.status != http.StatusOK {
			t.Errorf("addressed to %s: got %d %s, want 200", host, got.status, got.body)
		}
	}
	for _, header := range []string{
		"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server",
		"X-Real-IP", "Via", "x-forwarded-anything", "CF-Connecting-IP", "True-Client-IP", "X-Envoy-External-Address", "X-Original-Forwarded-For",
		"X-Vercel-Forwarded-For", "WL-Proxy-Client-IP", "Proxy-Client-IP", "Z-Forwarded-For", "X-Originating-IP", "X-Remote-User", "X-Nginx-Proxy",
		"Client-IP", "X-Real-Port", "X-ProxyUser-IP", "X-Host", "CDN-Loop", "Fly-Client-IP", "Ngrok-Trace-Id", "Tailscale-User-Login",
		"X-Remote-Addr", "Remote-User", "X_Forwarded_For", "Proxy-Authorization",
	} {
		got := w.call("GET", "/api/sessions", "", append(dev, header, "127.0.0.1")...)
		if got.status != http.StatusUnauthorized || !strings.Contains(got.body, "proxy") || !strings.Contains(got.body, "hermes keys create") {
			t.Errorf("with %s: got %d %s, want 401 and what to do", header, got.status, got.body)
		}
		if got := w.call("GET", "/api/sessions", "", "Authorization", terminalToken, header, "127.0.0.1"); got.status != http.StatusOK {
			t.Errorf("another key with %s: got %d %s, want 200", header, got.status, got.body)
		}
	}
	for _, header := range []string{ // what browsers, SDKs and other direct clients send
		"Proxy-Connection", "Sec-Fetch-Mode", "Sec-CH-UA-Platform", "Sec-GPC", "DNT", "Upgrade-Insecure-Requests", "X-Stainless-Lang",
		"X-Stainless-Retry-Count", "X-Stainless-Helper-Method", "OpenAI-Organization", "OpenAI-Beta", "HTTP-Referer", "X-Title", "X-Request-Id",
		"X-Requested-With", "X-OpenWebUI-User-Name", "Idempotency-Key", "Anthropic-Version", "Traceparent", "Mcp-Session-Id", "X-Goog-Api-Client",
	} {
		if got := w.call("GET", "/api/sessions", "", append(dev, header, "1")...); got.status != http.StatusOK {
			t.Errorf("with %s: got %d %s, want 200", header, got.status, got.body)
		}
	}
	r := w.request("GET", "/api/sessions", "", dev...)
	r.Header["Via"] = []string{""} // an empty value is still a proxy's
	if got := w.do(r); got.status != http.StatusUnauthorized {
		t.Errorf("with an empty Via: got %d %s, want 401", got.status, got.body)
	}
	if got := w.call("GET", "/api/sessions", "", append(dev, "Host", "memory.example")...); got.status != http.StatusUnauthorized {
		t.Errorf("addressed to a name of server.hosts: got %d %s, want 401", got.status, got.body)
	}
	for _, peer := range []string{"192.0.2.1:1234", "[2001:db8::1]:1", "nonsense"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/api/sessions", nil)
		r.Header.Set("Authorization", "Bearer "+owner.DevelopmentKey)
		r.RemoteAddr = peer
		rec := httptest.NewRecorder()
		if (*w.handler.Load()).ServeHTTP(rec, r); rec.Code != http.StatusUnauthorized {
			t.Errorf("from %s: got %d %s, want 401", peer, rec.Code, rec.Body)
		}
	}
}

// TestFetchMetadata: what another site makes a browser ask reaches no handler, also
// where no Origin is sent. A link to follow is left alone, and so is a known origin.
func TestFetchMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{Origins: []string{"https://app.example"}})
	for _, tt := range []struct {
		name, method string
		headers      []string
		want         int
	}{
		{"no browser", "GET", nil, 200},
		{"an address that was typed", "GET", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"our own page", "GET", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 200},
		{"an image of another site", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, 403},
		{"a script of another port", "GET", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403},
		{"a frame", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"an object", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "object"}, 403},
		{"a link", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a form", "POST", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"in capitals", "GET", []string{"Sec-Fetch-Site", "Cross-Site"}, 403},
		{"a word to come", "GET", []string{"Sec-Fetch-Site", "sibling-site"}, 403},
		{"a known origin", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://app.example"}, 200},
		{"an unknown origin", "GET", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Origin", "https://evil.example"}, 403},
	} {
		for _, path := range []string{"/api/sessions", "/health", "/openapi.json"} {
			if tt.method == "POST" {
				path = "/api/memory/rebuild"
			}
			got := w.call(tt.method, path, "", tt.headers...)
			if got.status != tt.want {
				t.Errorf("%s: %s %s: got %d %s, want %d", tt.name, tt.method, path, got.status, got.body, tt.want)
			}
		}
	}
	r := w.request("GET", "/api/sessions", "")
	r.Header["Sec-Fetch-Site"] = []string{"same-origin", "cross-site"}
	if got := w.do(r); got.status != http.StatusForbidden {
		t.Errorf("said twice: got %d %s, want 403", got.status, got.body)
	}
}
