// Package run carries a turn from request to stored answer. It is the only way
// through: every door (HTTP, terminal, chat platforms, scheduler, MCP) builds a
// [Request], calls [Runner.Start], ranges over [Stream.Deltas] and translates
// what it sees.
//
// One descent, one return. Start takes the lineage's turn, resolves the
// session, folds a tail that grew too long, assembles a bounded prompt and
// hands it to the model. When Start returns, the effective session is final.
// Deltas yields the answer and ends only after the turn is durable.
package run

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Runner runs turns. It is safe for concurrent use.
type Runner struct {
	store    Store
	ledger   Ledger
	sessions session.Store
	catalog  session.Catalog
	quotes   memory.Store
	views    *memory.Views
	lineages *lineages
	inflight inflight
	// copying is held for reading while a lineage is copied to another, for writing while texts are erased everywhere.
	copying sync.RWMutex
	models  Models
	tools   Tools
	config  Config
	erase   func(about string) error
	process string // names this process in claims
	studies Studies
	meaning meaning
	wake    func(owner.Owner, session.ID)
	line    *claim.Line // nil lets everybody in
	log     *slog.Logger
	// observer is nil if nobody watches.
	observer Observer
}

// Parts are what a Runner is made of.
type Parts struct {
	Store    Store
	Ledger   Ledger
	Sessions session.Store
	Catalog  session.Catalog
	Memory   memory.Store
	Views    *memory.Views
	Models   Models
	// Tools are what this server runs for models; nil for none.
	Tools  Tools
	Config Config
	// Erase takes what is about a thing out of the files of the local owner that
	// are not the store's; nil if there are none.
	Erase func(about string) error
	// Studies keeps what is worked out behind the turns; nil when nothing is.
	Studies Studies
	// Wake is told of each lineage that something was stored in; nil tells
	// nobody. It must not block.
	Wake func(owner.Owner, session.ID)
	// Embed finds the meaning of questions, within EmbedPatience; nil searches
	// by words alone.
	Embed         Embedder
	EmbedPatience time.Duration
	// Process is different for every process that runs turns.
	Process string
	// Line has the places for turns under way; nil sets no bound.
	Line *claim.Line
	// Observer is told how turns go; nil tells nobody.
	Observer Observer
	Log      *slog.Logger
}

// New returns a Runner.
func New(p Parts) *Runner {
	return &Runner{
		store: p.Store, ledger: p.Ledger, sessions: p.Sessions, catalog: p.Catalog, quotes: p.Memory, views: p.Views,
		lineages: newLineages(p.Sessions, p.Config.HotLineages),
		models:   p.Models, tools: p.Tools, config: p.Config, erase: p.Erase, process: p.Process, line: p.Line, log: p.Log,
		observer: p.Observer, studies: p.Studies, wake: p.Wake, meaning: meaning{embed: p.Embed, patience: p.EmbedPatience, now: p.Config.Now, log: p.Log},
	}
}

// Start begins a turn and returns once the effective session and the responder
// are known. The caller must range over the stream's Deltas or Close it; until
// then the lineage's next turn waits.
//
// It fails with Invalid for input no turn can be made of, with the upstream's
// own fault if that refused, and with Unavailable "no_responder" if nobody can
// answer. The user's message is kept in the last two cases. Where too many turns
// are under way it fails with RateLimited "rate_limit_exceeded" or Unavailable
// "overloaded", and nothing is kept.
func (r *Runner) Start(ctx context.Context, req *Request) (*Stream, error) {
	if !req.AsOf.IsZero() {
		req.OffRecord = true
	}
	if r.observer != nil {
		return r.observed(ctx, req)
	}
	return r.begin(ctx, req)
}

// begin is Start for the one who watches it.
func (r *Runner) begin(ctx context.Context, req *Request) (*Stream, error) {
	if req.Idempotency == nil || req.OffRecord {
		return r.start(ctx, req, nil)
	}
	pending, stored, err := r.claim(ctx, req)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return replay(stored), nil
	}
	if pending.Count > 0 {
		again := *req // a request without a session made one: it is the same again
		again.Session, again.After, req = pending.At.Root, nil, &again
	}
	s, err := r.start(ctx, req, pending)
	if err != nil {
		r.giveUp(ctx, req.Owner, &pending.Claim)
		return nil, err
	}
	return s, nil
}

// start runs a turn that is known not to be a repetition.
func (r *Runner) start(ctx context.Context, req *Request, pending *Pending) (*Stream, error) {
	place, err := r.enter(ctx, req)
	if err != nil {
		return nil, err
	}
	var t *turn
	begun := false
	defer func() {
		if begun {
			return
		}
		if t != nil { // a panic, too, must hand the lineage's turn on
			t.end()
		}
		place.Leave()
	}()
	t, err = r.open(ctx, req)
	if err == nil && t.wentOn() {
		t.end()
		t, err = r.branch(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	t.pending = pending
	s, err := t.begin(ctx)
	if err != nil {
		return nil, &Refused{SessionID: t.lineage.tip.ID, RootID: t.lineage.tip.RootID, Err: err}
	}
	begun, t.place = true, place
	return s, nil
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

// open takes the lineage's turn and the scope's memory.
func (r *Runner) open(ctx context.Context, req *Request) (*turn, error) {
	return r.openWith(ctx, req, r.lineages.take)
}

// openWith is open with what takes the lineage's turn.
func (r *Runner) openWith(ctx context.Context, req *Request, take takeTurn) (*turn, error) {
	t := &turn{runner: r, req: req, now: r.config.now(), ctx: ctx}
	t.name = r.modelName(req.Model)
	var err error
	if t.budget, err = r.config.budget(req, t.name); err != nil {
		return nil, err
	}
	t.setCounter()
	switch {
	case !req.AsOf.IsZero():
		return t, r.openPast(ctx, t)
	case req.Stateless && req.OffRecord:
		return t, r.openAside(ctx, t)
	}
	id := req.Session
	if id == "" {
		id = session.NewID(t.now)
	}
	if t.lineage, t.release, err = take(ctx, req.Owner, id); err != nil {
		return nil, err
	}
	t.now = r.config.now() // it may have waited: a lineage's times follow its order
	if !t.lineage.exists {
		t.fresh(id)
	}
	scope := memory.Scope{Root: t.lineage.tip.RootID, Key: req.Key}
	fresh := !t.lineage.exists && req.Key == ""
	if t.view, t.leave, err = r.views.Use(ctx, req.Owner, scope, fresh); err != nil {
		t.end()
		return nil, err
	}
	return t, nil
}

// modelName is the name the upstream is asked for: "hermes" and what begins
// with it mean the configured one, any other name is the upstream's business.
func (r *Runner) modelName(asked string) string {
	const own = "hermes"
	if asked == "" || asked == own || len(asked) > len(own) && asked[:len(own)+1] == own+"-" {
		return r.models.Name
	}
	return asked
}

// Responder says who answers when nothing fails.
func (r *Runner) Responder() Responder {
	if r.models.Upstream != nil {
		return ByUpstream
	}
	return ByRecall
}

// nobody is the fault of a server without any responder.
func nobody() error {
	return fault.New(fault.Unavailable, "no_responder",
		"No model is configured and the recall responder is switched off. Set HERMES_UPSTREAM_URL, or start with --responder recall.")
}
