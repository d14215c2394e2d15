package postgres

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
)

// listening is a model that keeps what it is sent, and answers "ok".
type listening struct {
	mu   sync.Mutex
	sent string
	// answer says something else, once it is asked; nil for "ok".
	answer func() string
}

// Stream implements run.Model.
func (l *listening) Stream(_ context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = ""
	for i := range p.Messages {
		l.sent += p.Messages[i].Content + "\n"
	}
	text := "ok"
	if l.answer != nil {
		text = l.answer()
	}
	return func(yield func(run.Delta, error) bool) {
		yield(run.Delta{Content: text, FinishReason: "stop", Finishes: true, Model: "m"}, nil)
	}, nil
}

// serversWith are servers over open nodes, with models of their own.
func serversWith(nodes []*DB, models []*listening) (out []server) {
	for i, db := range nodes {
		runner, curator := runtest.New(db, &runtest.Parts{Shared: db, Models: run.Models{Upstream: models[i]}, Config: run.Config{Now: time.Now}})
		out = append(out, server{db, runner, curator})
	}
	return out
}

// TestForgottenUnderAnotherKey: what is forgotten on one node is in no later turn on another one, also
// if the session has got another key since it was said.
func TestForgottenUnderAnotherKey(t *testing.T) {
	t.Parallel()
	for _, key := range []session.Key{"", "first"} {
		models := []*listening{{}, {}}
		nodes := serversWith(openNodes(t, 2), models)
		a, b := &nodes[0], &nodes[1]
		b.mustSay(t, "s", key, "Let us plan the summer party.") // its title has no word of the next
		b.mustSay(t, "s", key, "The project is called Zanzibar.")
		b.mustSay(t, "s", "second", "We like tea.")
		if !strings.Contains(models[1].sent, "Zanzibar") {
			t.Fatalf("key %q: the session was not sent:\n%s", key, models[1].sent)
		}
		if _, err := a.curator.Forget(t.Context(), owner.Local(), "Zanzibar", false); err != nil {
			t.Fatal(err)
		}
		b.mustSay(t, "s", "", "Go on.")
		if strings.Contains(models[1].sent, "Zanzibar") || !strings.Contains(models[1].sent, "tea") {
			t.Errorf("key %q: forgotten on a, and b sends:\n%s", key, models[1].sent)
		}
	}
}
