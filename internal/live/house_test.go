package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// house is a registry over a real database and a real runner, in a bubble.
type house struct {
	t        *testing.T
	path     string
	db       *sqlite.DB
	model    *model
	tools    run.Tools
	limits   live.Limits
	queue    func(live.Queue) live.Queue // wraps the queue; nil for none
	store    func(live.Store) live.Store // wraps the store; nil for none
	runner   *run.Runner
	registry *live.Registry
	stop     context.CancelFunc
	ended    chan error
	made     int
}

// model answers with a script: what it says to the n-th prompt, from 1.
type model struct {
	mu     sync.Mutex
	shown  int
	script func(ctx context.Context, n int, yield func(run.Delta) bool) error
}

// Stream implements run.Model.
func (m *model) Stream(ctx context.Context, _ *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	m.mu.Lock()
	m.shown++
	n := m.shown
	m.mu.Unlock()
	return func(yield func(run.Delta, error) bool) {
		ok := true
		say := func(d run.Delta) bool {
			ok = ok && yield(d, nil)
			return ok
		}
		if m.script == nil {
			say(text("An answer."))
			say(run.Delta{FinishReason: "stop", Finishes: true})
			return
		}
		if err := m.script(ctx, n, say); err != nil && ok {
			yield(run.Delta{}, err)
		}
	}, nil
}

func text(s string) run.Delta { return run.Delta{Content: s} }

func finish(reason string) run.Delta { return run.Delta{FinishReason: reason, Finishes: true} }

// setup returns a house whose registry runs. It is for use in a bubble.
func setup(t *testing.T, change func(*house)) *house {
	t.Helper()
	h := &house{t: t, path: filepath.Join(t.TempDir(), "state.db"), model: &model{}}
	if change != nil {
		change(h)
	}
	h.open()
	h.begin()
	return h
}

func (h *house) open() {
	h.t.Helper()
	h.db = runtest.Open(h.t, h.path)
	h.runner, _ = runtest.New(h.db, &runtest.Parts{
		Tools: h.tools, Models: run.Models{Upstream: h.model}, Config: run.Config{Budgets: compression.Budgets{Model: "parrot"}, Now: time.Now},
	})
	queue := live.Queue(h.db)
	if h.queue != nil {
		queue = h.queue(queue)
	}
	var store live.Store = h.db
	if h.store != nil {
		store = h.store(store)
	}
	h.registry = live.New(live.Parts{
		Store: store, Queue: queue, Runner: h.runner, Limits: h.limits, Approval: 10 * time.Minute, Grace: 10 * time.Second, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
}

// begin lets the registry run.
func (h *house) begin() {
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.ended = stop, make(chan error, 1)
	go func() { h.ended <- h.registry.Serve(ctx) }()
	<-h.registry.Begun()
}

// end stops the registry in good order, and closes the file.
func (h *house) end() {
	h.t.Helper()
	h.stop()
	if err := <-h.ended; err != nil {
		h.t.Error(err)
	}
	synctest.Wait() // those who follow have left
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

func alice() owner.Owner { return owner.Stored("alice") }

// spec is a turn that says a text to a session.
func (h *house) spec(id session.ID, said string) live.Spec {
	h.made++
	return live.Spec{ID: fmt.Sprintf("run_%d", h.made), Kind: live.KindRun, Turn: &run.Request{
		Session: id, Source: session.SourceAPI, Messages: []session.Message{{Role: session.User, Content: said}},
		Body: []byte(`{"model":"m","temperature":0.5,"messages":[]}`),
	}}
}

func (h *house) start(s live.Spec) live.Run {
	h.t.Helper()
	rec, err := h.registry.Start(context.Background(), alice(), s)
	if err != nil {
		h.t.Fatal(err)
	}
	if rec.Turn != nil {
		h.t.Errorf("got %d bytes of a turn back, which may be large, want none", len(rec.Turn))
	}
	return rec
}

// follow gathers the events of a run behind a Seq, up to the last one.
func (h *house) follow(id string, after int64) []live.Event {
	h.t.Helper()
	var out []live.Event
	for e, err := range h.registry.Follow(context.Background(), alice(), id, after, nil) {
		if err != nil {
			h.t.Errorf("follow %s: %v", id, err)
			break
		}
		out = append(out, e)
	}
	return out
}

func (h *house) record(id string) live.Run {
	h.t.Helper()
	r, err := h.registry.Run(context.Background(), alice(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// transcript is a lineage in words.
func (h *house) transcript(root session.ID) string {
	h.t.Helper()
	ms, err := h.db.Messages(context.Background(), alice(), root, session.Range{})
	if err != nil {
		h.t.Fatal(err)
	}
	var lines []string
	for _, m := range ms {
		line := string(m.Role) + ":" + m.Content
		if m.FinishReason != "" && m.FinishReason != "stop" {
			line += " (" + m.FinishReason + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// line is events in words; pieces of text are put together.
func line(events []live.Event) string {
	var out []string
	for _, e := range events {
		word := string(e.Type)
		switch e.Type {
		case live.MessageDelta:
			var p live.Piece
			_ = json.Unmarshal(e.Data, &p)
			word = p.Content
			if n := len(out); n > 0 && !strings.Contains(out[n-1], ".st") && !strings.Contains(out[n-1], "approval.") && !strings.Contains(out[n-1], "tool.") {
				out[n-1] += word
				continue
			}
		case live.ApprovalResolved:
			var r live.Resolved
			_ = json.Unmarshal(e.Data, &r)
			word += "(" + r.Reason + ")"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// gapless holds that events are numbered from one on.
func gapless(t *testing.T, events []live.Event, after int64) {
	t.Helper()
	for i, e := range events {
		if e.Seq != after+int64(i)+1 {
			t.Fatalf("event %d has the Seq %d behind %d", i, e.Seq, after)
		}
	}
}
