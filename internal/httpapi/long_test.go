package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// TestLongRequests: long requests of one owner run one at a time. Another owner's long
// request begins at once, and short requests never wait. A request that has waited too
// long is refused.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{long: newLongLine()}
		inside, ended := make(map[string]int), make(chan error, 64)
		var mu sync.Mutex // guards inside
		count := func(who string, n int) {
			mu.Lock()
			defer mu.Unlock()
			inside[who] += n
		}
		next := make(chan struct{})
		begin := func(who, method, path string) {
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), ownerKey{}, owner.Stored(who)), method, path, http.NoBody)
			go func() {
				leave, err := s.queue(r, &route{method: method, path: path})
				if err == nil {
					count(who, 1)
					<-next
					count(who, -1)
					leave()
				}
				ended <- err
			}()
			synctest.Wait()
		}
		want := func(when string, a, b int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if inside["a"] != a || inside["b"] != b {
				t.Errorf("%s: got %v, want %d of a and %d of b", when, inside, a, b)
			}
		}
		for i := range 24 {
			begin("a", "POST", []string{"/api/memory/rebuild", "/api/memory/forget"}[i%2])
		}
		want("24 of one owner", 1, 0)
		begin("b", "POST", "/api/memory/rebuild")
		want("one of another's", 1, 1)
		begin("a", "GET", "/api/sessions")
		want("what is short", 2, 1)
		<-time.After(longPatience + time.Second)
		refused := 0
		for len(ended) > 0 {
			if f := asFault(<-ended); f.Code != "overloaded" || f.Kind != fault.Unavailable || f.RetryAfter == 0 {
				t.Errorf("got %v, want it told to come back", f)
			}
			refused++
		}
		if refused != 23 {
			t.Errorf("%d were told to come back, want 23", refused)
		}
		close(next)
	})
}

// TestLongRoutes: every route that is said to take long is there.
func TestLongRoutes(t *testing.T) {
	t.Parallel()
	found := 0
	for _, rt := range (&server{}).routes() {
		if isLong(&rt) {
			found++
		}
	}
	if found != 6 {
		t.Errorf("got %d routes, want six: one was renamed", found)
	}
	if isLong(&route{method: "GET", path: "/api/sessions"}) {
		t.Error("a list takes long")
	}
}
