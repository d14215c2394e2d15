// Package study is what a model may do for memory behind the turns: it reads
// new messages for facts, draws sentences from folded turns for their summary,
// names conversations, and gives messages their meaning. All of it is optional and off by default.
//
// Nothing waits for it, and nothing depends on it. What a model says is held
// against the messages it cites by package memory, and stored by package run;
// here is only whom to ask, when, with which words, and for how much. Progress
// is a mark in the store, so a crash loses a call at most. A failing, hanging or
// raving model changes nothing: it is asked more and more rarely.
package study

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Reader is what is read to find work.
type Reader interface {
	Unstudied(ctx context.Context, o owner.Owner, want run.Want) ([]session.ID, error)
	Marks(ctx context.Context, o owner.Owner, root session.ID) (run.Marks, error)
	Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error)
}

// Parts are what a Study is made of.
type Parts struct {
	Runner *run.Runner
	Store  Reader
	// Owners lists whose memory is studied.
	Owners func(context.Context) ([]owner.Owner, error)
	// Chat is asked for facts, summaries and titles under the name Model; nil for
	// none of them.
	Chat  run.Model
	Model string
	// Embed gives messages their meaning with the model Embeddings; nil for none.
	Embed      run.Embedder
	Embeddings string
	// TokensPerHour bounds what all of it may cost.
	TokensPerHour int
	Now           func() time.Time
	Log           *slog.Logger
}

// How eagerly lineages are studied.
const (
	// every is how many new messages are worth a call.
	every = 8
	// rest is when a conversation has ended for now: what is left of it is read
	// even if it is less.
	rest = 10 * time.Minute
	// round is how often lineages are looked for that nobody told of.
	round = 10 * time.Minute
	// maxWaiting bounds the queue. What does not fit is found by the next round.
	maxWaiting = 4096
	// perRound is how many lineages of an owner a round takes on.
	perRound = 64
)

// Study is the background work on memory. [Study.Run] does it.
type Study struct {
	Parts
	wake  chan struct{}
	pace  *pace
	chat  patience
	embed patience
	bare  bool // the server takes no parameters beside the messages
	// raved counts unusable answers for the messages from a place on.
	raved map[place]int
	// held says that something is left to do once a patience or the pace allows.
	held time.Time

	mu      sync.Mutex
	waiting []lineage
	queued  map[lineage]bool

	stats stats
}

// lineage is whose lineage is to be studied.
type lineage struct {
	owner string
	root  session.ID
}

// stats count what was done.
type stats struct{ accepted, refused, calls, failures, vectors, summaries, titles atomic.Int64 }

// Stats are counts since the start.
type Stats struct {
	Accepted, Refused   int64 // findings
	Calls, Failures     int64 // of either model
	Vectors, Summarized int64
	Titled              int64 // lineages that got a model's title
}

// New returns a Study. Nothing happens before [Study.Run].
func New(p Parts) *Study {
	return &Study{
		Parts: p, wake: make(chan struct{}, 1), pace: newPace(p.TokensPerHour, p.Now),
		raved: make(map[place]int), queued: make(map[lineage]bool),
	}
}

// Stats returns the counts so far.
func (s *Study) Stats() Stats {
	c := &s.stats
	return Stats{
		Accepted: c.accepted.Load(), Refused: c.refused.Load(), Calls: c.calls.Load(), Failures: c.failures.Load(),
		Vectors: c.vectors.Load(), Summarized: c.summaries.Load(),
		Titled: c.titles.Load(),
	}
}

// Wake tells of a lineage in which something was stored. It never blocks.
func (s *Study) Wake(o owner.Owner, root session.ID) {
	if s.push(lineage{o.ID(), root}) {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

func (s *Study) push(l lineage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queued[l] || len(s.waiting) >= maxWaiting {
		return false
	}
	s.queued[l] = true
	s.waiting = append(s.waiting, l)
	return true
}

func (s *Study) pop() (lineage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return lineage{}, false
	}
	l := s.waiting[0]
	s.waiting = s.waiting[1:]
	delete(s.queued, l)
	return l, true
}

// Run studies until ctx ends. It returns nil: what fails is tried again later.
func (s *Study) Run(ctx context.Context) error {
	s.Log.Info("memory is studied in the background", "model", s.Model, "embeddings_model", s.Embeddings, "tokens_per_hour", s.TokensPerHour)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-timer.C:
			s.CatchUp(ctx)
			timer.Reset(s.next())
		case <-s.wake:
			s.work(ctx)
		case <-ctx.Done():
		}
	}
	return nil
}

// next is how long to wait for the next round.
func (s *Study) next() time.Duration {
	if s.held.IsZero() {
		return round
	}
	return max(time.Second, min(round, s.held.Sub(s.Now())))
}

// CatchUp looks for everything there is to do and does it, as far as the models
// and the bound on costs let it.
func (s *Study) CatchUp(ctx context.Context) {
	s.held = time.Time{}
	owners, err := s.Owners(ctx)
	if err != nil {
		s.complain(ctx, "list owners", err)
		return
	}
	want := run.Want{Limit: perRound, Rested: s.Now().Add(-rest), Embeddings: s.Embeddings}
	if s.Chat != nil {
		want.Every, want.Summaries, want.Titles = every, true, true
	}
	for _, o := range owners {
		roots, err := s.Store.Unstudied(ctx, o, want)
		if err != nil {
			s.complain(ctx, "look for work", err)
			return
		}
		for _, root := range roots {
			s.push(lineage{o.ID(), root})
		}
	}
	s.work(ctx)
}

// work empties the queue.
func (s *Study) work(ctx context.Context) {
	for ctx.Err() == nil {
		l, ok := s.pop()
		if !ok {
			return
		}
		err := s.lineage(ctx, owner.Stored(l.owner), l.root)
		if err != nil && fault.KindOf(err) != fault.NotFound { // it may have been erased meanwhile
			s.complain(ctx, "study a lineage", err)
		}
	}
}

// lineage does all there is to do for one lineage. What panics there must not
// take the server with it.
func (s *Study) lineage(ctx context.Context, o owner.Owner, root session.ID) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if s.Embed != nil {
		if err := s.vectors(ctx, o, root); err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
	}
	if s.Chat == nil {
		return nil
	}
	if err := s.summary(ctx, o, root); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	if err := s.facts(ctx, o, root); err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	if err := s.title(ctx, o, root); err != nil {
		return fmt.Errorf("title: %w", err)
	}
	return nil
}

// hold remembers that there is more to do at a time.
func (s *Study) hold(until time.Time) {
	if s.held.IsZero() || until.Before(s.held) {
		s.held = until
	}
}

func (s *Study) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.Warn("memory could not be studied; it will be tried again", "what", what, "err", err)
	}
}
