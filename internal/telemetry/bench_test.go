package telemetry_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/storage"
	"github.com/hermes-memory/hermes/internal/telemetry"
)

// BenchmarkTurn is all that measuring adds to one turn.
func BenchmarkTurn(b *testing.B) {
	m := telemetry.New("v1")
	res := &run.Result{Responder: lineage.ByUpstream, Learned: make([]run.Learned, 1)}
	up := m.Transport(trip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(""))}, nil
	}))
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://h/v1/chat/completions", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		ctx, end := m.Begin(b.Context(), nil)
		_, turn := m.Turn(ctx, run.TurnBegun{})
		answer, err := up.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		m.Committed(storage.Commit{Operations: 1, Took: time.Millisecond, Synced: time.Millisecond})
		turn.FirstPiece()
		_ = answer.Body.Close()
		m.Committed(storage.Commit{Operations: 1, Took: time.Millisecond, Synced: time.Millisecond})
		turn.Ended(run.TurnEnded{Result: res})
		end(httpapi.Answered{Method: "POST", Route: "/v1/chat/completions", Status: 200, Took: time.Millisecond})
	}
}
