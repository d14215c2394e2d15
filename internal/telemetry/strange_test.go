package telemetry_test

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/telemetry"
)

// FuzzTurn: whatever a turn is said to have cost, the measure ends no turn, and no
// counter goes backwards.
func FuzzTurn(f *testing.F) {
	for _, n := range []int{0, 1, -1, -100_000, math.MaxInt, math.MinInt} {
		f.Add(n, n, int64(n), "upstream", true)
	}
	f.Add(5, -5, int64(-5), "\xff\n", false)
	m := telemetry.New("test")
	before := make(map[string]string)
	f.Fuzz(func(t *testing.T, context, tokens int, late int64, responder string, streaming bool) {
		_, turn := m.Turn(t.Context(), run.TurnBegun{Streaming: streaming, Model: responder})
		turn.FirstPiece()
		turn.Ended(run.TurnEnded{Result: &run.Result{
			Responder: lineage.Responder(responder), Model: responder, InputTokens: tokens, OutputTokens: -tokens, CachedTokens: context, ReasoningTokens: context,
			Context: lineage.Context{Sent: context, Budget: tokens, Naive: -context},
		}})
		_, ended := m.Fire(t.Context(), time.Duration(late))
		ended(job.Completed)
		after := counters(t.Context(), m)
		for name, value := range before {
			if len(after[name]) == 0 || strings.HasPrefix(after[name], "-") || strings.Contains(after[name], "NaN") {
				t.Errorf("%s was %s, and is %q", name, value, after[name])
			}
		}
		before = after
	})
}

// counters are the values of the token counters, by name.
func counters(ctx context.Context, m *telemetry.Telemetry) map[string]string {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", http.NoBody)
	got := httptest.NewRecorder()
	m.Handler().ServeHTTP(got, r)
	found := make(map[string]string)
	for line := range strings.Lines(got.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Contains(name, "_tokens_total{") {
			found[name] = value
		}
	}
	return found
}
