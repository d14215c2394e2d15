package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// TestHeadOfAStream: a HEAD request for a stream is answered at once, and the next request on its
// connection is answered, too.
func TestHeadOfAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{RunsWait: true})
	run := w.startRun(`{"input":"Wait."}`)
	var response struct{ ID string }
	if err := json.Unmarshal([]byte(w.call("POST", "/v1/responses", `{"input":"Wait.","background":true}`).body), &response); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/events", "/v1/runs/" + run + "/events", "/v1/responses/" + response.ID + "?stream=true"} {
		for range 2 { // the second one comes on the same connection
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			res, err := w.srv.Client().Do(w.request("HEAD", path, "").WithContext(ctx))
			if err != nil {
				cancel()
				t.Errorf("%s: %v", path, err)
				break
			}
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("%s: got %d and %v", path, res.StatusCode, res.Header)
			}
			_ = res.Body.Close()
			cancel()
		}
	}
}
