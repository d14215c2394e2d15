package job_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/job"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/recall"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// house is a scheduler over a real database and a real runner.
type house struct {
	t         testing.TB
	path      string
	db        *sqlite.DB
	model     *model
	targets   job.Targets
	noModel   bool
	runner    *run.Runner
	curator   *curate.Curator
	scheduler *job.Scheduler
	planner   *job.Planner
	now       func() time.Time

	mu sync.Mutex
	at time.Time
}

// model answers with what it is told to, and remembers what it was shown.
type model struct {
	mu     sync.Mutex
	shown  []string
	answer func(n int, ctx context.Context) (string, error)
	finish string // why the answer ends; "" for "stop"
}

// Stream implements run.Model.
func (m *model) Stream(ctx context.Context, p *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	var text strings.Builder
	for i := range p.Messages {
		fmt.Fprintf(&text, "%s: %s\n", p.Messages[i].Role, p.Messages[i].Content)
	}
	m.mu.Lock()
	m.shown = append(m.shown, text.String())
	n := len(m.shown)
	m.mu.Unlock()
	said := fmt.Sprintf("Report %d.", n)
	if m.answer != nil {
		var err error
		if said, err = m.answer(n, ctx); err != nil {
			return nil, err
		}
	}
	return func(yield func(run.Delta, error) bool) {
		yield(run.Delta{Content: said, FinishReason: cmp.Or(m.finish, "stop"), Finishes: true}, nil)
	}, nil
}

func (m *model) prompts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.shown...)
}

// setup returns a house whose clock stands at nine on a Monday, until it is set.
func setup(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, path: filepath.Join(t.TempDir(), "state.db"), model: &model{}, targets: job.Targets{}, at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	h.now = h.clock
	h.open()
	t.Cleanup(h.close)
	return h
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(time.Millisecond) // what comes later is later
	return h.at
}

// set moves the clock to so long after the day's nine o'clock.
func (h *house) set(after time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = nine(after)
}

func nine(after time.Duration) time.Time {
	return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(after)
}

func (h *house) open() {
	h.t.Helper()
	db := runtest.Open(h.t, h.path)
	h.db = db
	models := run.Models{Upstream: h.model, Recall: recall.New(), Fallback: true}
	if h.noModel {
		models.Upstream = nil
	}
	h.runner, h.curator = runtest.New(db, &runtest.Parts{Models: models, Config: run.Config{Budgets: compression.Budgets{Model: "parrot"}, Now: h.now}})
	h.scheduler = job.NewScheduler(job.SchedulerParts{
		Ledger: db, Store: db, Runner: h.runner, Curator: h.curator, Targets: h.targets, Now: h.now, Grace: 10 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
	h.planner = job.NewPlanner(job.PlannerParts{Store: db, Targets: h.targets, Zone: "UTC", Now: h.now, Changed: h.scheduler.Poke})
}

func (h *house) close() {
	if err := h.db.Close(); err != nil {
		h.t.Error(err)
	}
}

func alice() owner.Owner { return owner.Stored("alice") }

func (h *house) create(j job.Job) job.Job {
	h.t.Helper()
	if j.Name == "" {
		j.Name = "report"
	}
	if j.Prompt == "" {
		j.Prompt = "What is new?"
	}
	got, err := h.planner.Create(context.Background(), alice(), j)
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

func (h *house) pass() {
	h.t.Helper()
	if err := h.scheduler.Pass(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) runs(id job.ID) []job.Fire {
	h.t.Helper()
	runs, err := h.db.Fires(context.Background(), alice(), id, time.Time{}, 200)
	if err != nil {
		h.t.Fatal(err)
	}
	return runs
}

// ledger is a job's fires in one line each, oldest first.
func (h *house) ledger(id job.ID) string {
	h.t.Helper()
	var lines []string
	for _, r := range h.runs(id) {
		line := fmt.Sprintf("%s %s", r.DueAt.Format("15:04"), r.Status)
		if late := r.Late().Truncate(time.Second); late > 0 {
			line += " late " + late.String()
		}
		if r.Reason != "" {
			line += " (" + r.Reason + ")"
		}
		lines = append([]string{line}, lines...)
	}
	return strings.Join(lines, "\n")
}

func (h *house) job(id job.ID) job.Job {
	h.t.Helper()
	j, err := h.db.Job(context.Background(), alice(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return j
}

// say is a turn of a person in a chat.
func (h *house) say(id session.ID, text string) {
	h.t.Helper()
	ctx := context.Background()
	s, err := h.runner.Start(ctx, &run.Request{
		Owner: alice(), Session: id, Source: session.SourceAPI, Messages: []session.Message{{Role: session.User, Content: text}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, err := range s.Deltas(ctx) {
		if err != nil {
			h.t.Fatal(err)
		}
	}
}
