package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// TestPanics has handlers panic before and within their answer, and in what they
// wait for.
func TestPanics(t *testing.T) {
	t.Parallel()
	h := httpapi.Render(slog.New(slog.DiscardHandler), func(w http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/within" {
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		fail := func() error { panic("as it were") }
		if r.URL.Path == "/apart" {
			return httpapi.Apart(fail)
		}
		return fail()
	})
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	get := func(path string) (*http.Response, string, error) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return res, string(body), err
	}
	for _, path := range []string{"/before", "/apart"} {
		res, body, err := get(path)
		if res.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "internal_error") || err != nil {
			t.Errorf("%s: got %d %q, %v, want an honest status", path, res.StatusCode, body, err)
		}
	}
	_, body, err := get("/within")
	if err == nil || strings.Contains(body, "error") {
		t.Errorf("within: got %q, %v, want a broken connection and nothing more", body, err)
	}
}

// TestUnreadAnswer: a client that no longer reads its answer is not a failure of the server
// and not logged; a failure of the server is logged.
func TestUnreadAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		writes error
		wants  bool
	}{{"gone", io.ErrClosedPipe, false}, {"there", nil, true}} {
		var log strings.Builder
		h := httpapi.Render(slog.New(slog.NewTextHandler(&log, nil)), func(w http.ResponseWriter, _ *http.Request) error {
			if _, err := io.WriteString(w, "{"); err != nil {
				return err
			}
			return io.ErrUnexpectedEOF
		})
		h.ServeHTTP(failingWriter{httptest.NewRecorder(), c.writes}, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		if got := strings.Contains(log.String(), "request failed"); got != c.wants {
			t.Errorf("%s: told %v, want %v: %s", c.name, got, c.wants, log.String())
		}
	}
}

// TestCallerLeft: a request that its caller has given up is not a failure of the server and not
// logged; work that was cancelled for another reason is.
func TestCallerLeft(t *testing.T) {
	t.Parallel()
	left, leave := context.WithCancel(t.Context())
	leave()
	stopped, stop := context.WithCancelCause(t.Context())
	stop(io.ErrUnexpectedEOF)
	for name, c := range map[string]struct {
		ctx    context.Context
		status int
		logged bool
	}{"left": {left, 499, false}, "stopped": {stopped, 500, true}, "there": {t.Context(), 500, true}} {
		var log strings.Builder
		h := httpapi.Render(slog.New(slog.NewTextHandler(&log, nil)), func(http.ResponseWriter, *http.Request) error {
			return fmt.Errorf("read session: %w", context.Canceled)
		})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(c.ctx))
		if got := strings.Contains(log.String(), "request failed"); got != c.logged || w.Code != c.status {
			t.Errorf("%s: got %d, logged %v: %s", name, w.Code, got, log.String())
		}
	}
}

// failingWriter is a response whose connection may be broken.
type failingWriter struct {
	http.ResponseWriter
	err error
}

// Write implements http.ResponseWriter.
func (w failingWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	return w.ResponseWriter.Write(p)
}
