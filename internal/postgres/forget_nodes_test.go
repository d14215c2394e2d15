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

// TestForgetWaitsForOtherNodes: a turn on another node that was sent the thing, in a session that
// is not stored yet, says nothing of it once it is forgotten.
func TestForgetWaitsForOtherNodes(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	models := []*listening{{}, {answer: func() string {
		close(asked)
		<-release
		return "The project is called Zanzibar."
	}}}
	nodes := serversWith(openNodes(t, 2), models)
	a, b := &nodes[0], &nodes[1]
	a.mustSay(t, "s", "k", "The project is called Zanzibar.")
	var turn sync.WaitGroup
	turn.Go(func() {
		if _, err := b.say("new", "k", "What is the project called?"); err != nil {
			t.Error(err)
		}
	})
	<-asked
	forgotten := make(chan error, 1)
	go func() {
		_, err := a.curator.Forget(context.Background(), owner.Local(), "Zanzibar", false)
		forgotten <- err
	}()
	var err error
	select {
	case err = <-forgotten:
		t.Error("it was forgotten while a turn that had been sent it was under way")
		close(release)
	case <-time.After(2 * time.Second):
		close(release)
		err = <-forgotten
	}
	turn.Wait()
	if err != nil {
		t.Fatal(err)
	}
	left, err := b.curator.Forget(t.Context(), owner.Local(), "Zanzibar", true)
	if err != nil || left.Messages != 0 {
		t.Errorf("%d messages have it after it was forgotten, %v", left.Messages, err)
	}
}

// TestSettle: it waits for the places that are held or waited for now, on all nodes, and not for others.
func TestSettle(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, 2)
	alice, bob := owner.Stored("alice"), owner.Stored("bob")
	leave, err := nodes[0].Hold(t.Context(), alice, "turn s")
	if err != nil {
		t.Fatal(err)
	}
	if err := nodes[1].Settle(t.Context(), bob); err != nil {
		t.Errorf("another owner: %v", err)
	}
	brief, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := nodes[1].Settle(brief, alice); err == nil {
		t.Error("it did not wait for a place that is held")
	}
	settled := make(chan error, 1)
	go func() { settled <- nodes[1].Settle(context.Background(), alice) }()
	leave()
	if err := <-settled; err != nil {
		t.Errorf("after the place was left: %v", err)
	}
	if _, err := nodes[0].Hold(t.Context(), alice, "turn s"); err != nil {
		t.Fatal(err)
	}
	expire(t, nodes[0])
	if err := nodes[1].Settle(t.Context(), alice); err != nil {
		t.Errorf("a node that is gone: %v", err)
	}
}
