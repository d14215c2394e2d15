package provider_test

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/honcho"
	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// house is a server's memory and a Honcho, and a model that keeps what it was
// shown.
type house struct {
	t       testing.TB
	db      *sqlite.DB
	honcho  *honchotest.Server
	manager *provider.Manager
	runner  *run.Runner
	curator *curate.Curator
	model   *listener
	answers run.Model // instead of model, if it is set
	tools   run.Tools

	mu  sync.Mutex
	now time.Time
}

// listener is a model that says "ok".
type listener struct {
	mu     sync.Mutex
	shown  []session.Message
	answer string
}

func (l *listener) Stream(_ context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = slices.Clone(p.Messages)
	text := cmp.Or(l.answer, "ok")
	return func(yield func(run.Delta, error) bool) {
		yield(run.Delta{Content: text, FinishReason: "stop", Finishes: true}, nil)
	}, nil
}

// prompt is the newest prompt as one text.
func (l *listener) prompt() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for i := range l.shown {
		b.WriteString(string(l.shown[i].Role) + ": " + l.shown[i].Content + "\n")
	}
	return b.String()
}

// clock is the time in the house, which stands still unless a test moves it.
func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) later(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// build returns a house. change may change the settings of the provider.
func build(t testing.TB, change func(*provider.Parts)) *house {
	t.Helper()
	h := &house{t: t, honcho: honchotest.Start(t), model: &listener{}, now: time.Now().UTC().Truncate(time.Millisecond)}
	h.db = runtest.Open(t, filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() { _ = h.db.Close() })
	h.restart(change)
	return h
}

// restart is the house after a new start of the server, with the same data.
func (h *house) restart(change func(*provider.Parts)) {
	h.t.Helper()
	p, err := honcho.New(h.honcho.URL, honchotest.Key, false)
	if err != nil {
		h.t.Fatal(err)
	}
	parts := provider.Parts{
		Config:   provider.Config{ID: "honcho@test", Type: "honcho", Owners: []string{owner.LocalID}, Wait: 5 * time.Second},
		Provider: p, Names: h.db, Tellings: h.db, Debts: h.db, Queue: h.db, Sessions: h.db, Now: h.clock, Log: slog.New(slog.DiscardHandler),
		List: func(context.Context) ([]owner.Owner, error) { return []owner.Owner{owner.Local(), ada()}, nil },
	}
	if change != nil {
		change(&parts)
	}
	h.manager = provider.New(parts)
	if err := h.manager.Start(context.Background()); err != nil {
		h.t.Fatal(err)
	}
	if h.answers == nil {
		h.answers = h.model
	}
	h.runner, h.curator = runtest.New(h.db, &runtest.Parts{
		Models: run.Models{Upstream: h.answers}, Tools: h.tools, Config: run.Config{Now: h.clock}, Wake: h.manager.Wake, External: h.manager, Owed: h.manager,
	})
}

// off restarts the house without a provider.
func (h *house) off() { h.restart(func(p *provider.Parts) { p.Provider = nil }) }

func ada() owner.Owner { return owner.Stored("ada") }

// ask runs a turn and returns its result.
func (h *house) ask(req *run.Request) *run.Result {
	h.t.Helper()
	if req.Owner.ID() == "" {
		req.Owner = owner.Local()
	}
	req.Source = cmp.Or(req.Source, session.SourceAPI)
	h.later(time.Second)
	s, err := h.runner.Start(context.Background(), req)
	if err != nil {
		h.t.Fatalf("start: %v", err)
	}
	var got *run.Result
	for d, err := range s.Deltas(context.Background()) {
		if err != nil {
			h.t.Fatalf("turn: %v", err)
		}
		if d.Result != nil {
			got = d.Result
		}
	}
	return got
}

// say says something in a session under a key, and returns the result.
func (h *house) say(id session.ID, key session.Key, text string) *run.Result {
	h.t.Helper()
	return h.ask(&run.Request{Session: id, Key: key, Messages: []session.Message{{Role: session.User, Content: text}}})
}

// catchUp does the background work that is due within an hour.
func (h *house) catchUp() {
	h.t.Helper()
	for range 4 {
		h.later(20 * time.Minute)
		h.manager.CatchUp(context.Background())
	}
}

// texts are what a place at the provider has.
func (h *house) texts(workspace, place string) []string {
	var out []string
	for _, m := range h.honcho.Messages(workspace, place) {
		out = append(out, m.Content)
	}
	return out
}

func (h *house) has(place string, want ...string) {
	h.t.Helper()
	if got := h.texts("hermes", place); !slices.Equal(got, want) {
		h.t.Errorf("%s: got %q, want %q", place, got, want)
	}
}

// everything is all that the provider was ever sent, as one text.
func (h *house) everything() string {
	var b strings.Builder
	for _, r := range h.honcho.Requests() {
		b.WriteString(r.Method + " " + r.Path + "?" + r.Query + " " + r.Body + "\n")
	}
	return b.String()
}
