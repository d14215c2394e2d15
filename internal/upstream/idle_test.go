package upstream

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestIdleConnection: a server that closes a kept connection when the next request comes on it
// gets the request again on a new one, once.
func TestIdleConnection(t *testing.T) {
	t.Parallel()
	var requests, kept atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Idempotency-Key"] != nil {
			t.Errorf("the server is sent a key: %q", r.Header["Idempotency-Key"])
		}
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 2 {
			kept.Add(1)
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	m := New(Options{BaseURL: s.URL + "/v1", Model: "m", Transport: pool(t)})
	for turn := range 2 {
		if got, err := listen(m.Stream(t.Context(), streamed())); err != nil || got.Content != "Hello." {
			t.Errorf("turn %d: got %+v, %v", turn, got, err)
		}
	}
	if requests.Load() != 3 || kept.Load() != 1 {
		t.Errorf("the server got %d requests, want 3", requests.Load())
	}
}
