package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
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

// TestInternalErrors: what a defect is told points at a log only where there is one: above where this process shows its
// log, and nowhere where a running server has it.
func TestInternalErrors(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"message":"Internal server error.","type":"server_error","param":null,"code":"internal_error"}}`
	for _, tt := range []struct {
		name      string
		client    client
		want, not string
	}{
		{"here", client{embedded: &server{}}, "log above", "HERMES_LOG_LEVEL"},
		{"here without a log", client{embedded: &server{}, hushed: true}, "HERMES_LOG_LEVEL=error", "log above"},
		{"at a server", client{}, "Internal server error.", "log above"},
	} {
		err := tt.client.failed(http.StatusInternalServerError, []byte(body))
		if says := fault.MessageOf(err); !strings.Contains(says, tt.want) || strings.Contains(says, tt.not) || fault.CodeOf(err) != "internal_error" {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}
