package run_test

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
)

// fickle is a model server that can be away.
type fickle struct {
	*parrot
	away atomic.Bool
}

func (f *fickle) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	if f.away.Load() {
		return nil, fault.New(fault.Unavailable, "upstream_unreachable", "The model server does not answer.")
	}
	return f.parrot.Stream(ctx, p)
}

// TestOutageIsLogged: the log says once that the model server is away, and once that it is back.
func TestOutageIsLogged(t *testing.T) {
	t.Parallel()
	h := setup(t, 8000)
	model, log := &fickle{parrot: h.model}, &strings.Builder{}
	h.runner, _ = runtest.New(h.db, &runtest.Parts{
		Store: h.store, Views: h.views, Models: run.Models{Upstream: model, Recall: recall.New(), Fallback: true},
		Config: run.Config{Now: h.time}, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	for i, away := range []bool{false, true, true, false, false, true} {
		model.away.Store(away)
		got := h.turn(&run.Request{Session: "s", Streaming: i%2 == 0, Messages: user("Hello.")})
		if got.err != nil {
			t.Fatal(got.err)
		}
	}
	if n := strings.Count(log.String(), "cannot be reached"); n != 2 {
		t.Errorf("got %d lines of a server that is away, want 2: %s", n, log)
	}
	if n := strings.Count(log.String(), "answers again"); n != 1 {
		t.Errorf("got %d lines of a server that is back, want 1: %s", n, log)
	}
}
