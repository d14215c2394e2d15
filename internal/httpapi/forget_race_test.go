package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestForgetNextToDelete: sessions that are deleted and turns that are answered while
// something is forgotten neither break it off nor lose what they taught.
func TestForgetNextToDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{quiet: true, undescribed: true})
	for i := range 12 {
		got := w.call("POST", "/v1/chat/completions", chatBody("My zebra is number "+fmt.Sprint(i)+". We use Redis "+fmt.Sprint(i)+" for queues.", false),
			"X-Hermes-Session-Id", fmt.Sprint("s", i), "X-Hermes-Session-Key", "shared")
		if got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { w.call("DELETE", fmt.Sprint("/api/sessions/s", i), "") })
		all.Go(func() {
			w.call("POST", "/v1/chat/completions", chatBody("I moved to Oslo "+fmt.Sprint(i)+".", false), "X-Hermes-Session-Id", fmt.Sprint("s", 6+i), "X-Hermes-Session-Key", "shared")
		})
	}
	got := w.call("POST", "/api/memory/forget", `{"about":"zebra"}`)
	all.Wait()
	if got.status != http.StatusOK || !strings.Contains(got.body, `"left":0`) {
		t.Errorf("forget: got %d %s", got.status, got.body)
	}
	if got := w.call("POST", "/api/memory/rebuild", `{"verify":true}`); !strings.Contains(got.body, `"verify":true,"identical":true`) {
		t.Errorf("a rebuild differs: %s", got.body)
	}
}
