package run_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// under is a request under an idempotency key.
func under(key string, id session.ID, ms []session.Message) *run.Request {
	return &run.Request{Session: id, Messages: ms, Streaming: true, Idempotency: &run.Idempotency{Route: "chat", Key: key, BodyHash: []byte(key)}}
}

// cutOff runs a turn whose input is stored and whose answer is not, as a crash would
// leave it.
func (h *house) cutOff(req *run.Request) {
	h.t.Helper()
	h.store.next(false, true)
	if got := h.turn(req); !errors.Is(got.err, errBrittle) {
		h.t.Fatalf("got %v, want the answer lost", got.err)
	}
}

// TestRetryAtTheEnd: where nothing was said since, the input stays where it stands.
func TestRetryAtTheEnd(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	h.cutOff(under("k", "s", user("Hello.")))
	if got := h.turn(under("k", "s", user("Hello."))); got.err != nil {
		t.Fatal(got.err)
	}
	if diff := cmp.Diff([]string{"user:Hello.", "assistant:ok"}, words(h.transcript("s"))); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}
