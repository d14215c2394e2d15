package httpapi_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// TestOwnAddress answers to the address at which a request arrived, and to no other.
func TestOwnAddress(t *testing.T) {
	t.Parallel()
	handler := httpapi.New(httpapi.Config{Hosts: []string{"Memory.Example.", "box:8080"}})
	for _, tc := range []struct {
		local, host string
		want        int
	}{
		{"192.168.1.5", "192.168.1.5:11434", 200},
		{"192.168.1.5", "192.168.1.6:11434", 421},
		{"::ffff:192.168.1.5", "192.168.1.5", 200},
		{"fd00::5", "[fd00::5]:11434", 200},
		{"fd00::5", "[fd00::6]:11434", 421},
		{"192.168.1.5", "192.168.1.5.evil.example", 421},
		{"", "192.168.1.5", 421},
		{"192.168.1.5", "memory.example:11434", 200},
		{"192.168.1.5", "BOX.", 200},
		{"192.168.1.5", "localhost.:11434", 200},
		{"", "127.0.0.1.", 200},
		{"", "127.0.0.1.:11434", 200},
		{"", "127.0.0.1.evil.example", 421},
	} {
		r := httptest.NewRequest(http.MethodGet, "/health", http.NoBody)
		r.Host = tc.host
		if tc.local != "" {
			r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(tc.local), Port: 11434}))
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%q at %s: got %d, want %d", tc.host, tc.local, w.Code, tc.want)
		}
	}
}

// TestGreetingPage loads and runs nothing, whatever the host of the request.
func TestGreetingPage(t *testing.T) {
	t.Parallel()
	handler := httpapi.New(httpapi.Config{Hosts: []string{"<b>x"}})
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Host = "<b>x"
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if got := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'") {
		t.Errorf("got policy %q", got)
	}
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "<b>x") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
