// Package run carries a turn from request to stored answer. Every door (HTTP, terminal,
// chat platforms, scheduler, MCP) builds a [Request], calls [Runner.Start], ranges over
// [Stream.Deltas], and translates the deltas.
//
// Start acquires the lineage's turn, resolves the session, folds a tail that is too
// long, assembles a bounded prompt and calls the model. When Start returns, the
// effective session is final. Deltas yields the answer and ends only after the turn is
// durable.
package run

import (
	"context"
	"log/slog"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Runner runs turns. It is safe for concurrent use.
type Runner struct {
	store     Store
	sessions  session.Store
	quotes    memory.Store
	views     *memory.Views
	lineages  *lineage.Lineages
	shared    lineage.Shared // nil for a process that owns its store alone
	curator   *curate.Curator
	inflight  inflight
	models    Models
	tools     Tools
	config    Config
	process   string // the name of this process in request keys
	questions *memory.Questions
	wake      func(owner.Owner, session.ID)
	line      *claim.Line // nil means no bound
	log       *slog.Logger
	outage    *outage
	observer  Observer // nil without an observer
	images    Images   // nil if models are sent no images of files
	external  External // nil without an external memory
}

// Parts are what a Runner is made of.
type Parts struct {
	Store    Store
	Sessions session.Store
	Memory   memory.Store
	Views    *memory.Views
	Lineages *lineage.Lineages
	// Shared is set if other processes use the store, too.
	Shared lineage.Shared
	// Curator forks lineages, undoes messages and erases facts for turns.
	Curator *curate.Curator
	Models  Models
	// Tools are the tools that this server runs for models; nil for none.
	Tools Tools
	// Images reads the images that people sent with their messages; nil if models are not
	// sent them.
	Images Images
	// External is the external memory that turns ask; nil for none.
	External External
	Config   Config
	// Wake is called with each lineage in which a message was stored; nil for none. It
	// must not block.
	Wake func(owner.Owner, session.ID)
	// Questions computes the vectors of questions.
	Questions *memory.Questions
	// Process is unique for every process that runs turns.
	Process string
	// Line is the queue for turns; nil means no bound.
	Line *claim.Line
	// Observer is told of the progress of turns; nil for none.
	Observer Observer
	Log      *slog.Logger
}

// New returns a Runner.
func New(p Parts) *Runner {
	return &Runner{
		store: p.Store, sessions: p.Sessions, quotes: p.Memory, views: p.Views, lineages: p.Lineages, shared: p.Shared, curator: p.Curator,
		models: p.Models, tools: p.Tools, config: p.Config, process: p.Process, questions: p.Questions,
		wake: p.Wake, line: p.Line, log: p.Log, outage: &outage{log: p.Log}, observer: p.Observer, images: p.Images, external: p.External,
	}
}

// Start begins a turn and returns once the effective session and the responder are
// known. The caller must range over the stream's Deltas or Close it; until then the
// lineage's next turn waits.
//
// It fails with Invalid for input that cannot be a turn, with the upstream's own fault
// if the upstream refused, and with Unavailable "no_responder" if there is no
// responder. The user's message is stored in the last two cases. If too many turns are
// under way, it fails with RateLimited "rate_limit_exceeded" or Unavailable
// "overloaded", and stores nothing.
func (r *Runner) Start(ctx context.Context, req *Request) (*Stream, error) {
	if !req.AsOf.IsZero() {
		req.OffRecord = true
	}
	ctx, watched := r.watch(ctx, req)
	s, err := r.start(ctx, req)
	watched.began(s, err)
	return s, err
}

// start carries a turn through its phases until its answer begins.
func (r *Runner) start(ctx context.Context, req *Request) (s *Stream, err error) {
	if err := r.checkChoice(req); err != nil {
		return nil, err
	}
	if req, err = r.Locate(ctx, req); err != nil {
		return nil, err
	}
	pending, stored, err := r.claim(ctx, req)
	switch {
	case err != nil:
		return nil, err
	case stored != nil:
		return replay(stored), nil
	}
	var t *opened
	defer func() {
		if s == nil { // also after a panic: the lineage's lock and the permit are released
			t.end()
			r.giveUp(ctx, req.Owner, pending)
		}
	}()
	if t, err = r.open(ctx, again(req, pending)); err != nil {
		return nil, err
	}
	t.pending = pending
	if s, err = t.answer(ctx); err != nil {
		return nil, &Refused{SessionID: t.lineage.Tip.ID, RootID: t.lineage.Tip.RootID, Err: err}
	}
	return s, nil
}

// again is a request whose input an earlier try has stored: it goes on in the session
// that the earlier try made.
func again(req *Request, pending *lineage.Pending) *Request {
	if pending == nil || pending.Count == 0 {
		return req
	}
	same := *req
	same.Session, same.After = pending.At.Root, nil
	return &same
}

// answer carries an opened turn on to its stream.
func (t *opened) answer(ctx context.Context) (*Stream, error) {
	laid, err := t.layOut(ctx)
	if err != nil {
		return nil, err
	}
	s := &turn{laidOut: laid}
	begun := false
	defer func() {
		if !begun { // also after a panic: the input may be in the store's queue
			_ = s.durable(ctx)
		}
	}()
	if err := s.store(ctx); err != nil {
		return nil, err
	}
	stream, err := s.ask(ctx)
	begun = err == nil
	return stream, err
}

// Refused is a turn that got no answer, with the session it belongs to.
type Refused struct {
	SessionID session.ID
	RootID    session.ID
	Err       error
}

// Error returns the cause's text.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the cause.
func (r *Refused) Unwrap() error { return r.Err }

// open takes a permit, the lineage's turn and the scope's memory. The caller ends the
// returned turn, even after an error.
func (r *Runner) open(ctx context.Context, req *Request) (*opened, error) {
	permit, err := r.enter(ctx, req)
	if err != nil {
		return nil, err
	}
	t := &opened{runner: r, permit: permit}
	if err := t.openFor(ctx, req); err != nil {
		return t, err
	}
	if later, is := t.overtaken(); is {
		req = later
	} else if !t.wentOn() {
		return t, nil
	}
	t.open.Close()
	made, err := r.copyFor(ctx, req)
	if err != nil {
		return t, err
	}
	t.branched = true
	return t, t.openFor(ctx, made)
}

// openFor opens the lineage that a request names.
func (t *opened) openFor(ctx context.Context, req *Request) error {
	r := t.runner
	t.req, t.ctx, t.now = req, ctx, r.config.Clock()
	t.name = r.config.Budgets.ModelName(req.Model)
	t.count, t.exact = compression.CounterFor(t.name)
	var err error
	if t.budget, err = r.config.budget(req, t.name); err != nil {
		return err
	}
	var open *lineage.Open
	switch {
	case !req.AsOf.IsZero():
		t.now = req.AsOf
		open, err = r.openPast(ctx, req)
	case req.Stateless && req.OffRecord:
		open, err = r.openAside(ctx, req)
	default:
		open, err = r.lineages.Open(ctx, &lineage.Opening{
			Owner: req.Owner, Session: req.Session, Key: req.Key, Source: req.Source, UserID: req.UserID,
		})
	}
	if err != nil {
		return err
	}
	t.open, t.lineage, t.view, t.now = open, open.Lineage, open.View, open.At
	if open.Key != req.Key { // the session has its own key; the caller's request is left unchanged
		keyed := *req
		keyed.Key = open.Key
		t.req = &keyed
	}
	t.created = open.Fresh && !req.OffRecord
	return nil
}

// Responder is the responder of turns without a failure.
func (r *Runner) Responder() lineage.Responder {
	if r.models.Upstream != nil {
		return lineage.ByUpstream
	}
	return lineage.ByRecall
}

// noResponder is the fault for a turn without any responder.
func noResponder() error {
	return fault.New(fault.Unavailable, "no_responder",
		"No model is configured and the recall responder is switched off. Set HERMES_UPSTREAM_URL, or start with --responder recall.")
}
