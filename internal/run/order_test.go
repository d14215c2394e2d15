package run_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestConcurrentTurnsUnderOneKey: sessions that share a key speak at the same time
// and contradict one another. What is stored, what is held in memory and what a
// rebuild makes of the messages are the same, every time.
func TestConcurrentTurnsUnderOneKey(t *testing.T) {
	t.Parallel()
	for n := range 100 {
		concurrentTurns(t, n)
		if t.Failed() {
			t.Fatalf("run %d", n)
		}
	}
}

func concurrentTurns(t *testing.T, n int) {
	h := setup(t, 4000)
	databases := []string{"Postgres", "MySQL", "SQLite", "Oracle", "MariaDB"}
	var all sync.WaitGroup
	for s := range 4 {
		all.Go(func() {
			for turn := range 4 {
				text := fmt.Sprintf("The request limit is %d MB. We use %s for the ledger.", 10*s+turn, databases[(s+turn)%5])
				h.speak(t, session.ID(fmt.Sprintf("s%d", s)), text, (n+turn)%2 == 0)
			}
		})
	}
	if n%4 == 0 { // and one of them takes something back meanwhile
		all.Go(func() {
			if _, err := h.curator.Undo(context.Background(), owner.Local(), "s0"); err != nil && fault.KindOf(err) != fault.NotFound { // it may not be there yet
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.verify()
	scope := memory.Scope{Key: "team"}
	held, err := h.curator.Facts(t.Context(), owner.Local(), scope)
	if err != nil {
		t.Fatal(err)
	}
	h.views.Drop(owner.Local(), scope)
	read, err := h.curator.Facts(t.Context(), owner.Local(), scope)
	if err != nil {
		t.Fatal(err)
	}
	if len(held) != len(read) {
		t.Fatalf("memory holds %d facts, the store %d", len(held), len(read))
	}
	for i := range held {
		if held[i].ID != read[i].ID || held[i].SupersededBy != read[i].SupersededBy {
			t.Errorf("fact %d: memory has %q, superseded by %q; the store %q, superseded by %q",
				i, held[i].Statement, held[i].SupersededBy, read[i].Statement, read[i].SupersededBy)
		}
	}
}

// speak runs a turn under the key "team".
func (h *house) speak(t *testing.T, id session.ID, text string, streaming bool) {
	s, err := h.runner.Start(context.Background(), &run.Request{
		Owner: owner.Local(), Session: id, Key: "team", Source: session.SourceAPI, Messages: user(text), Streaming: streaming,
	})
	if err != nil {
		t.Error(err)
		return
	}
	for _, err := range s.Deltas(context.Background()) {
		if err != nil {
			t.Error(err)
		}
	}
}
