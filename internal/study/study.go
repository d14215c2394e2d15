// Package study is what a model may do for memory behind the turns: it reads
// new messages for facts, draws sentences from folded turns for their summary,
// names conversations, and gives messages their meaning. All of it is optional and off by default.
//
// Nothing waits for it, and nothing depends on it. What a model says is held
// against the messages it cites by package memory, and stored by package run;
// here is only whom to ask, when, with which words, and for how much. What is to be
// done is a row of a ledger, claimed under a lease; progress is a mark in the
// store, so a crash loses a call at most, and nothing is done twice. A failing, hanging or
// raving model changes nothing: it is asked more and more rarely.
package study

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
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
	// Ledger keeps what is to be done.
	Ledger Ledger
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
	// maxHeard bounds the lineages that were told of and are not in the ledger
	// yet. What does not fit is found by the next round.
	maxHeard = 4096
	// perRound is how many lineages of an owner a round takes on.
	perRound = 64
)

// How work is carried out.
const (
	maxWorking    = 4 // at once, in this process
	ownersWorking = 2 // of them, an owner's
	lease         = time.Minute
	// again is when a look at the ledger that failed is followed by the next.
	again = time.Minute
)

// Study is the background work on memory. [Study.Run] does it.
type Study struct {
	Parts
	bell    *claim.Bell
	places  *claim.Places
	working sync.WaitGroup

	mu    sync.Mutex
	pace  *pace
	chat  patience
	embed patience
	paced time.Time // when the bound on costs lets more be done
	bare  bool      // the server takes no parameters beside the messages
	// raved counts unusable answers for the messages from a place on.
	raved map[place]int
	heard map[lineage]bool // told of, and not in the ledger yet

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
		Parts: p, bell: claim.NewBell(p.Now), places: claim.NewPlaces(maxWorking, ownersWorking), pace: newPace(p.TokensPerHour, p.Now),
		raved: make(map[place]int), heard: make(map[lineage]bool),
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

// Wake tells of a lineage in which something was stored. It never blocks, and
// writes nothing.
func (s *Study) Wake(o owner.Owner, root session.ID) {
	s.mu.Lock()
	if len(s.heard) < maxHeard {
		s.heard[lineage{o.ID(), root}] = true
	}
	s.mu.Unlock()
	s.bell.Ring()
}

// Run studies until ctx ends, and waits for what is under way, which ends with
// it. It returns nil: what fails is tried again later.
func (s *Study) Run(ctx context.Context) error {
	s.Log.Info("memory is studied in the background", "model", s.Model, "embeddings_model", s.Embeddings, "tokens_per_hour", s.TokensPerHour)
	defer s.working.Wait()
	nextRound := s.Now()
	for ctx.Err() == nil {
		if !s.Now().Before(nextRound) {
			s.round(ctx)
			nextRound = s.Now().Add(round)
		}
		s.listen(ctx)
		_, next := s.begin(ctx)
		if next.IsZero() || next.After(nextRound) {
			next = nextRound
		}
		s.bell.Sleep(ctx, next)
	}
	return nil
}

// CatchUp looks for everything there is to do and does it, as far as the models
// and the bound on costs let it. It is for studies that do not Run.
func (s *Study) CatchUp(ctx context.Context) {
	s.round(ctx)
	s.listen(ctx)
	for begun := true; begun; {
		begun, _ = s.begin(ctx)
		s.working.Wait()
	}
}

// round looks for lineages that nobody told of.
func (s *Study) round(ctx context.Context) {
	owners, err := s.Owners(ctx)
	if err != nil {
		s.complain(ctx, "list owners", err)
		return
	}
	for _, o := range owners {
		var items []Item
		for _, kind := range s.kinds() {
			roots, err := s.Store.Unstudied(ctx, o, s.want(kind, ""))
			if err != nil {
				s.complain(ctx, "look for work", err)
				return
			}
			for i, root := range roots { // the last used comes first
				items = append(items, s.item(root, kind, s.moment().Add(time.Duration(i-len(roots))*time.Millisecond)))
			}
		}
		s.request(ctx, o, items)
	}
}

// listen puts into the ledger what was told of: what is worth a call at once,
// and the end of a conversation when it has rested.
func (s *Study) listen(ctx context.Context) {
	s.mu.Lock()
	heard := s.heard
	s.heard = make(map[lineage]bool)
	s.mu.Unlock()
	for l := range heard {
		o := owner.Stored(l.owner)
		var items []Item
		for _, kind := range s.kinds() {
			due, err := s.Store.Unstudied(ctx, o, s.want(kind, l.root))
			if err != nil {
				s.complain(ctx, "look for work", err)
				continue
			}
			switch {
			case len(due) > 0:
				items = append(items, s.item(l.root, kind, s.moment()))
			case kind == run.Reading:
				items = append(items, s.item(l.root, kind, s.moment().Add(rest)))
			}
		}
		s.request(ctx, o, items)
	}
}

// want is what makes a lineage worth some work; "" is every lineage.
func (s *Study) want(kind run.Work, root session.ID) run.Want {
	w := run.Want{Root: root, Limit: perRound}
	if kind == run.Vectors {
		w.Embeddings = s.Embeddings
	} else {
		w.Rested, w.Every, w.Summaries, w.Titles = s.Now().Add(-rest), every, true, true
	}
	return w
}

// kinds are the works that there are models for.
func (s *Study) kinds() []run.Work {
	var out []run.Work
	if s.Embed != nil {
		out = append(out, run.Vectors)
	}
	if s.Chat != nil {
		out = append(out, run.Reading)
	}
	return out
}

// moment is the time in the precision it is stored with.
func (s *Study) moment() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *Study) item(root session.ID, kind run.Work, at time.Time) Item {
	return Item{Root: root, Kind: kind, WakeAt: at, UpdatedAt: s.moment()}
}

// request puts items into the ledger. What fails is found by the next round.
func (s *Study) request(ctx context.Context, o owner.Owner, items []Item) {
	if len(items) == 0 {
		return
	}
	if err := s.Ledger.WantWork(ctx, o, items); err != nil {
		s.complain(ctx, "ask for work", err)
	}
}

func (s *Study) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.Warn("memory could not be studied; it will be tried again", "what", what, "err", err)
	}
}
