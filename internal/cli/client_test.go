package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
)

// TestGivenUp: a request without a socket that is given up ends as one with a
// socket does, and not as if what was written were all.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	web := &http.Client{Transport: handlerTransport{calls: &calls, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "a half")
		<-r.Context().Done()
	})}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hermes.local/", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := web.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	half := make([]byte, 6)
	if _, err := io.ReadFull(res.Body, half); err != nil {
		t.Fatal(err)
	}
	giveUp()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was given up", err)
	}
	calls.Wait()
}
