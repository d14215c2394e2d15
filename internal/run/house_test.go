package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/runtest"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// house is a Runner over a real database and a model that says what it is told
// to and remembers what it was shown.
type house struct {
	t       testing.TB
	db      *sqlite.DB
	store   *brittle
	model   *parrot
	runner  *run.Runner
	curator *curate.Curator
	views   *memory.Views
	now     time.Time
	clock   func() time.Time // instead of now, if set
}

// setup returns a house that ends with the test.
func setup(t testing.TB, budget int) *house {
	t.Helper()
	db := runtest.Open(t, filepath.Join(t.TempDir(), "state.db"))
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &house{t: t, db: db, model: &parrot{t: t}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	h.store = &brittle{Store: db, wrote: make(chan struct{}, 1)}
	h.views = memory.NewViews(db, 64<<20)
	h.runner = h.runs(run.Config{Budgets: compression.Budgets{Default: budget}}, nil)
	return h
}

// runs is a runner of the house, with tools if there are some.
func (h *house) runs(c run.Config, tools run.Tools) *run.Runner {
	c.IdempotencyTTL, c.Now = time.Hour, h.time
	c.Budgets.Model = "parrot"
	runner, curator := runtest.New(h.db, &runtest.Parts{Store: h.store, Views: h.views, Models: run.Models{Upstream: h.model}, Tools: tools, Config: c})
	h.curator = curator
	return runner
}

// time is the time in the house. It stands still unless a test moves it.
func (h *house) time() time.Time {
	if h.clock != nil {
		return h.clock()
	}
	return h.now
}

// brittle is a store whose writes can be made to fail.
type brittle struct {
	runtest.Store
	mu    sync.Mutex
	fails []bool        // what the next writes do; those not listed succeed
	ids   bool          // the next reservation of ids fails
	wrote chan struct{} // is told of writes that succeeded
	steps int           // how many did
}

var errBrittle = errors.New("the disk is full")

func (b *brittle) next(fails ...bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = fails
}

func (b *brittle) AppendTurn(ctx context.Context, o owner.Owner, step lineage.Step) error {
	b.mu.Lock()
	fail := len(b.fails) > 0 && b.fails[0]
	if len(b.fails) > 0 {
		b.fails = b.fails[1:]
	}
	b.mu.Unlock()
	if fail {
		return errBrittle
	}
	err := b.Store.AppendTurn(ctx, o, step)
	if err == nil {
		b.mu.Lock()
		b.steps++
		b.mu.Unlock()
		select {
		case b.wrote <- struct{}{}:
		default:
		}
	}
	return err
}

// written is how many steps were stored so far.
func (b *brittle) written() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.steps
}

func (b *brittle) ReserveMessageIDs(ctx context.Context, o owner.Owner, n int) (int64, error) {
	b.mu.Lock()
	fail := b.ids
	b.ids = false
	b.mu.Unlock()
	if fail {
		return 0, errBrittle
	}
	return b.Store.ReserveMessageIDs(ctx, o, n)
}

// parrot is a model that answers from a script, or with "ok".
type parrot struct {
	t      testing.TB
	mu     sync.Mutex
	shown  []*run.Prompt
	script []saying
}

// strict holds a prompt against what real servers refuse, on both wires: a call
// without its result, a result without its call, a wrong order.
func (p *parrot) strict(prompt *run.Prompt) error {
	type call struct {
		Role       session.Role    `json:"role"`
		ToolCallID string          `json:"tool_call_id,omitempty"`
		ToolCalls  json.RawMessage `json:"tool_calls,omitempty"`
	}
	var body struct {
		Messages []call `json:"messages"`
	}
	seen := make(map[string]bool)
	for i := range prompt.Messages {
		m := &prompt.Messages[i]
		c := call{Role: m.Role, ToolCallID: m.ToolCallID, ToolCalls: m.ToolCalls}
		if len(m.Wire) > 0 { // this is what is sent
			c = call{}
			if err := json.Unmarshal(m.Wire, &c); err != nil {
				return err
			}
		}
		if m.Role == session.Tool && seen[m.ToolCallID] {
			return fmt.Errorf("the call %q is answered twice, or its id stands twice", m.ToolCallID)
		}
		seen[m.ToolCallID] = m.Role == session.Tool
		body.Messages = append(body.Messages, c)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return upstreamtest.CheckChat(raw)
}

// saying is one answer of a parrot.
type saying struct {
	text  string
	calls []run.ToolCall
	err   error           // instead of an answer
	after <-chan struct{} // it is given when this tells of something; nil is at once
}

func (p *parrot) say(s ...saying) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = append(p.script, s...)
}

func (p *parrot) Stream(_ context.Context, prompt *run.Prompt) (iter.Seq2[run.Delta, error], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := *prompt
	kept.Messages = slices.Clone(prompt.Messages)
	p.shown = append(p.shown, &kept)
	if !prompt.Raw {
		if err := p.strict(prompt); err != nil {
			p.t.Errorf("a real server would refuse this prompt: %v\n%s", err, strings.Join(words(prompt.Messages), "\n"))
			return nil, fault.Wrap(fault.Invalid, "invalid_messages", "The prompt was refused.", err)
		}
	}
	s := saying{text: "ok"}
	if len(p.script) > 0 {
		s, p.script = p.script[0], p.script[1:]
	}
	if s.err != nil {
		return nil, s.err
	}
	finish := "stop"
	if len(s.calls) > 0 {
		finish = "tool_calls"
	}
	return func(yield func(run.Delta, error) bool) {
		if s.after != nil {
			<-s.after
		}
		if prompt.Streaming {
			for _, word := range strings.SplitAfter(s.text, " ") {
				if !yield(run.Delta{Content: word}, nil) {
					return
				}
			}
			yield(run.Delta{ToolCalls: s.calls, FinishReason: finish, Finishes: true}, nil)
			return
		}
		yield(run.Delta{Content: s.text, ToolCalls: s.calls, FinishReason: finish, Finishes: true}, nil)
	}, nil
}

// prompts are what the parrot was shown so far.
func (p *parrot) prompts() []*run.Prompt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.shown)
}

// last is the newest of them.
func (p *parrot) last() []session.Message {
	shown := p.prompts()
	return shown[len(shown)-1].Messages
}

// told is what came back of a turn.
type told struct {
	stream *run.Stream
	text   string // as it was yielded
	result *run.Result
	err    error
}

// turn runs one turn to its end.
func (h *house) turn(req *run.Request) told {
	h.t.Helper()
	if req.Owner.ID() == "" {
		req.Owner = owner.Local()
	}
	if req.Source == "" {
		req.Source = session.SourceAPI
	}
	s, err := h.runner.Start(context.Background(), req)
	if err != nil {
		return told{err: err}
	}
	out := told{stream: s}
	for d, err := range s.Deltas(context.Background()) {
		out.text += d.Content
		if d.Result != nil {
			out.result = d.Result
		}
		if err != nil {
			out.err = err
		}
	}
	return out
}

// mustTurn is a turn that must not fail.
func (h *house) mustTurn(req *run.Request) told {
	h.t.Helper()
	got := h.turn(req)
	if got.err != nil {
		h.t.Fatal(got.err)
	}
	return got
}

// chat says something in a session and expects an answer.
func (h *house) chat(id session.ID, text string, streaming bool) told {
	h.t.Helper()
	got := h.turn(&run.Request{Session: id, Messages: []session.Message{{Role: session.User, Content: text}}, Streaming: streaming})
	if got.err != nil || got.result == nil {
		h.t.Fatalf("chat in %s: got %v, want an answer", id, got.err)
	}
	return got
}

// transcript is a lineage as the store has it.
func (h *house) transcript(id session.ID) []session.Message {
	h.t.Helper()
	tip, err := h.db.Tip(context.Background(), owner.Local(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	ms, err := h.db.Messages(context.Background(), owner.Local(), tip.RootID, session.Range{})
	if err != nil {
		h.t.Fatal(err)
	}
	return ms
}

// lineage lists the sessions of a lineage, oldest first.
func (h *house) lineage(root session.ID) []session.Session {
	h.t.Helper()
	rows, err := h.db.Sessions(context.Background(), owner.Local(), session.Filter{Lineage: root})
	if err != nil {
		h.t.Fatal(err)
	}
	return rows
}

// size is what a prompt costs by the measure the budget is kept with.
func size(ms []session.Message) int {
	n := 0
	for i := range ms {
		n += compression.Estimate(ms[i].Content) + compression.Estimate(string(ms[i].ToolCalls)) + compression.MessageOverhead
	}
	return n
}

// words are the words of a transcript, "role:content" each.
func words(ms []session.Message) []string {
	var out []string
	for i := range ms {
		w := string(ms[i].Role) + ":" + ms[i].Content
		if ms[i].FinishReason != "" && ms[i].FinishReason != "stop" {
			w += " (" + ms[i].FinishReason + ")"
		}
		out = append(out, w)
	}
	return out
}
