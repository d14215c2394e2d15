// Package study does the background work of models on memory: it
// summarizes folded turns, names conversations, and embeds messages. All of it is
// optional and off by default.
//
// No turn waits for it or depends on it. Package memory checks a model's statements
// against the messages they cite, and package curate stores them; this package decides
// which model to call, when, with which prompt and at which cost. A task is a row of a
// queue, claimed under a lease, and progress is stored, so a crash costs at most one
// call and nothing is done twice. A failing, hanging or nonsensical model changes
// nothing: it is retried with backoff.
package study

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Reader is what is read to find work.
type Reader interface {
	Unstudied(ctx context.Context, o owner.Owner, want curate.Want) ([]session.ID, error)
	Marks(ctx context.Context, o owner.Owner, root session.ID) (curate.Marks, error)
	Messages(ctx context.Context, o owner.Owner, root session.ID, r session.Range) ([]session.Message, error)
}

// Parts are what a Study is made of.
type Parts struct {
	Curator *curate.Curator
	Store   Reader
	// Queue keeps the tasks.
	Queue Queue
	// Owners lists the owners whose memory is studied.
	Owners func(context.Context) ([]owner.Owner, error)
	// Chat is called for summaries and titles under the name Model; nil for neither.
	Chat  run.Model
	Model string
	// Embed computes vectors with the model Embeddings; nil for none.
	Embed      memory.Embedder
	Embeddings string
	// TokensPerHour bounds the cost of all calls.
	TokensPerHour int
	Now           func() time.Time
	Log           *slog.Logger
}

// How eagerly lineages are studied.
const (
	// round is the interval of the scan for lineages that no Wake reported.
	round = 10 * time.Minute
	// maxHeard bounds the reported lineages that are not queued yet. The next scan
	// finds those that do not fit.
	maxHeard = 4096
	// perRound is how many lineages of an owner one scan queues.
	perRound = 64
)

// How work is carried out.
const (
	maxWorking    = 4 // at once, in this process
	ownersWorking = 2 // of one owner
	lease         = time.Minute
	// again is the pause after a failed poll of the queue.
	again = time.Minute
)

// Study is the background work on memory. [Study.Run] does it.
type Study struct {
	Parts
	bell    *claim.Bell
	permits *claim.Permits
	working sync.WaitGroup

	mu    sync.Mutex
	pace  *pace
	chat  patience
	embed patience
	paced time.Time // when the token budget allows the next call
	bare  bool      // the server rejects parameters other than the messages
	// raved counts unusable replies by the position of their messages.
	raved map[place]int
	heard map[lineage]bool // reported, and not queued yet

	stats stats
}

// lineage identifies the lineage to be studied.
type lineage struct {
	owner string
	root  session.ID
}

// stats count what was done.
type stats struct{ accepted, refused, calls, failures, vectors, summaries, titles atomic.Int64 }

// Stats are counts since the start.
type Stats struct {
	Accepted, Refused   int64 // sentences for summaries
	Calls, Failures     int64 // of either model
	Vectors, Summarized int64
	Titled              int64 // lineages that got a model's title
}

// New returns a Study. Nothing happens before [Study.Run].
func New(p Parts) *Study {
	return &Study{
		Parts: p, bell: claim.NewBell(p.Now), permits: claim.NewPermits(maxWorking, ownersWorking), pace: newPace(p.TokensPerHour, p.Now),
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

// Wake reports a lineage in which a message was stored. It never blocks and writes
// nothing.
func (s *Study) Wake(o owner.Owner, root session.ID) {
	s.mu.Lock()
	if len(s.heard) < maxHeard {
		s.heard[lineage{o.ID(), root}] = true
	}
	s.mu.Unlock()
	s.bell.Ring()
}

// Poke makes the study look for work that may be due: another process has changed some.
func (s *Study) Poke() { s.bell.Ring() }

// Run studies until ctx ends, then waits for the work under way, which ends with ctx.
// It returns nil: failed work is retried later.
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

// CatchUp finds and does all work now, within the limits of the models and the token
// budget. It is for a Study without Run.
func (s *Study) CatchUp(ctx context.Context) {
	s.round(ctx)
	s.listen(ctx)
	for begun := true; begun; {
		begun, _ = s.begin(ctx)
		s.working.Wait()
	}
}

// round scans for lineages that no Wake reported.
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

// listen queues the reported lineages that have work to do.
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
			if len(due) > 0 {
				items = append(items, s.item(l.root, kind, s.moment()))
			}
		}
		s.request(ctx, o, items)
	}
}

// want says what makes a lineage worth a kind of work; an empty root means every
// lineage.
func (s *Study) want(kind curate.Work, root session.ID) curate.Want {
	w := curate.Want{Root: root, Limit: perRound}
	if kind == curate.Vectors {
		w.Embeddings = s.Embeddings
	} else {
		w.Summaries, w.Titles = true, true
	}
	return w
}

// kinds are the kinds of work that a model is configured for.
func (s *Study) kinds() []curate.Work {
	var out []curate.Work
	if s.Embed != nil {
		out = append(out, curate.Vectors)
	}
	if s.Chat != nil {
		out = append(out, curate.Reading)
	}
	return out
}

// moment is the time in the precision it is stored with.
func (s *Study) moment() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *Study) item(root session.ID, kind curate.Work, at time.Time) Item {
	return Item{Root: root, Kind: kind, WakeAt: at, UpdatedAt: s.moment()}
}

// request queues items. The next scan finds those that could not be queued.
func (s *Study) request(ctx context.Context, o owner.Owner, items []Item) {
	if len(items) == 0 {
		return
	}
	if err := s.Queue.WantWork(ctx, o, items); err != nil {
		s.complain(ctx, "ask for work", err)
	}
}

func (s *Study) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		s.Log.Warn("memory could not be studied; it will be tried again", "what", what, "err", err)
	}
}
