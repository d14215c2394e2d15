package lineage

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Lineages is the queue of turns of each lineage: one at a time per lineage, first come
// first served. It caches the most recently used lineages.
type Lineages struct {
	store    Store
	sessions session.Store
	views    *memory.Views
	shared   Shared // nil for a process that owns its store alone
	now      func() time.Time
	log      *slog.Logger
	limit    int

	orders orders

	mu    sync.Mutex
	byKey map[key]*seat
	order *list.List // of idle *seat, most recently used first
}

// Parts are what Lineages are made of.
type Parts struct {
	Store    Store
	Sessions session.Store
	Views    *memory.Views
	// Shared is set if other processes use the store, too.
	Shared Shared
	// Hot is how many idle lineages are cached.
	Hot int
	// Now is the clock, in the precision of the store.
	Now func() time.Time
	Log *slog.Logger
}

// New returns the lineages of a store.
func New(p Parts) *Lineages {
	return &Lineages{
		orders: orders{shared: p.Shared},
		store:  p.Store, sessions: p.Sessions, views: p.Views, shared: p.Shared, now: p.Now, log: p.Log, limit: p.Hot,
		byKey: make(map[key]*seat), order: list.New(),
	}
}

type key struct {
	owner string
	root  session.ID
}

// seat is a lineage with the queue of turns that wait for it.
type seat struct {
	key     key
	held    bool
	waiting []chan struct{}
	idle    *list.Element
	lineage Lineage
	leave   func() // gives the place among other processes back; nil without one
	// standing is how the lineage stood when that place was taken.
	standing Standing
}

// Held is a lineage whose turn the caller holds until Release.
type Held struct {
	*Lineage
	lineages *Lineages
	seat     *seat
}

// Release passes the turn on. Only the first call has an effect.
func (h *Held) Release() {
	if h.seat != nil {
		h.lineages.release(h.seat)
		h.seat = nil
	}
}

// Reach says how much of a lineage its holder needs.
type Reach int

// The values of Reach.
const (
	// Whole includes the newest messages.
	Whole Reach = iota
	// Bare omits the newest messages, unless they are cached.
	Bare
)

// Take acquires the turn of the lineage that id belongs to. An id that no session has
// yet is a lineage itself, and stays one: an id never changes its lineage.
//
// Most ids name the first session of their lineage, or no session yet. So Take waits
// under the id itself and asks the store once it holds that turn. If the id names a
// later session, Take then waits for the turn of the lineage's root.
func (ls *Lineages) Take(ctx context.Context, o owner.Owner, id session.ID, reach Reach) (*Held, error) {
	bare := reach == Bare
	for root := id; ; {
		s, err := ls.occupy(ctx, o, key{owner: o.ID(), root: root})
		if err != nil {
			return nil, err
		}
		if l := &s.lineage; l.lacks(bare) || !ls.fresh(s) {
			root, err = ls.find(ctx, o, s, id, bare)
		}
		if err == nil && root == s.key.root {
			return &Held{Lineage: &s.lineage, lineages: ls, seat: s}, nil
		}
		ls.release(s)
		if err != nil {
			return nil, err
		}
	}
}

// lacks reports whether the lineage must be read from the store.
func (l *Lineage) lacks(bare bool) bool { return !l.loaded || l.bare && !bare }

// Reload reads a held lineage from the store again.
func (ls *Lineages) Reload(ctx context.Context, o owner.Owner, l *Lineage) error {
	tip, err := ls.sessions.Tip(ctx, o, l.Tip.RootID)
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	version, err := ls.version(ctx, o, &tip, nil)
	if err != nil {
		return err
	}
	return ls.load(ctx, o, l, &tip, version, false)
}

// find reads the lineage of an id into the seat whose turn is held, and returns its
// root. If the root is another seat's, it reads nothing.
func (ls *Lineages) find(ctx context.Context, o owner.Owner, s *seat, id session.ID, bare bool) (session.ID, error) {
	tip, err := ls.tip(ctx, o, s, id)
	if fault.KindOf(err) == fault.NotFound {
		s.lineage = Lineage{loaded: true, version: memory.Unwritten}
		return s.key.root, nil
	}
	if err != nil {
		return "", fmt.Errorf("load session: %w", err)
	}
	if tip.RootID != s.key.root {
		return tip.RootID, nil
	}
	version, err := ls.version(ctx, o, &tip, &s.standing)
	if err != nil {
		return "", err
	}
	return tip.RootID, ls.load(ctx, o, &s.lineage, &tip, version, bare)
}

// load reads the state of a lineage except its tip; for a bare one without the newest
// messages.
func (ls *Lineages) load(
	ctx context.Context, o owner.Owner, l *Lineage, tip *session.Session, version memory.Version, bare bool,
) (err error) {
	var recent []session.Message
	if !bare {
		if recent, err = ls.recent(ctx, o, tip); err != nil {
			return fmt.Errorf("load tail: %w", err)
		}
	}
	*l = Lineage{Tip: *tip, Exists: true, Recent: recent, loaded: true, bare: bare, version: version}
	if n := len(recent); n > 0 {
		l.Last = recent[n-1].Hash
	}
	if n := len(recent); tip.NextSeq > 0 && (n == 0 || recent[n-1].Seq != tip.NextSeq-1) { // the newest message was left out, or is undone
		newest, err := ls.sessions.Messages(ctx, o, tip.RootID, session.Range{Limit: 1, Newest: true})
		if err != nil {
			return fmt.Errorf("load newest message: %w", err)
		}
		if len(newest) > 0 {
			l.Last = newest[0].Hash
		}
	}
	return nil
}

// recent reads the tail and some older messages, even if the end of the lineage is
// undone.
func (ls *Lineages) recent(ctx context.Context, o owner.Owner, tip *session.Session) ([]session.Message, error) {
	window := session.Range{
		From: min(tip.TailFrom, max(0, tip.NextSeq-MinRecent)), Limit: MaxRecent, Bytes: MaxRecentBytes, Newest: true, Standing: true,
	}
	ms, err := ls.sessions.Messages(ctx, o, tip.RootID, window)
	if err != nil || len(ms) >= MinRecent || window.From == 0 {
		return ms, err
	}
	window.From, window.Limit = 0, MinRecent
	return ls.sessions.Messages(ctx, o, tip.RootID, window)
}

// acquire queues for a lineage's turn.
func (ls *Lineages) acquire(ctx context.Context, k key) (*seat, error) {
	ls.mu.Lock()
	s := ls.byKey[k]
	if s == nil {
		s = &seat{key: k}
		ls.byKey[k] = s
	}
	if s.idle != nil {
		ls.order.Remove(s.idle)
		s.idle = nil
	}
	if !s.held {
		s.held = true
		ls.mu.Unlock()
		return s, nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	ls.mu.Unlock()
	select {
	case <-turn:
		return s, nil
	case <-ctx.Done():
		ls.abandon(s, turn)
		return nil, fault.Wrap(fault.Canceled, "", "The request was cancelled while it waited for its session.", ctx.Err())
	}
}

// abandon leaves the queue. If the turn was passed to it meanwhile, it passes the turn
// on.
func (ls *Lineages) abandon(s *seat, turn chan struct{}) {
	ls.mu.Lock()
	for i, w := range s.waiting {
		if w == turn {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			ls.mu.Unlock()
			return
		}
	}
	ls.mu.Unlock()
	ls.release(s)
}

// release passes the turn to the next in the queue, or makes the lineage idle.
func (ls *Lineages) release(s *seat) {
	if leave := s.leave; leave != nil { // those of other processes come first
		s.leave = nil
		leave()
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if len(s.waiting) > 0 {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		close(next)
		return
	}
	s.held = false
	s.lineage.rest()
	if !s.lineage.loaded { // nothing to cache
		delete(ls.byKey, s.key)
		return
	}
	s.idle = ls.order.PushFront(s)
	for ls.order.Len() > ls.limit {
		oldest := ls.order.Back()
		ls.order.Remove(oldest)
		if victim, ok := oldest.Value.(*seat); ok {
			victim.idle = nil
			delete(ls.byKey, victim.key)
		}
	}
}

// UnderWay lists the lineages of an owner whose turn is held, by id.
func (ls *Lineages) UnderWay(o owner.Owner) []session.ID {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var out []session.ID
	for k, s := range ls.byKey {
		if k.owner == o.ID() && s.held {
			out = append(out, k.root)
		}
	}
	return out
}

// Settle waits until the turns of an owner that are under way now are over, in all processes. A
// process that owns its store alone has [Lineages.UnderWay].
func (ls *Lineages) Settle(ctx context.Context, o owner.Owner) error {
	if ls.shared == nil {
		return nil
	}
	return ls.shared.Settle(ctx, o)
}

// Load counts the lineages in memory, the held turns, and the waiting turns.
func (ls *Lineages) Load() (lineages, held, waiting int) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, s := range ls.byKey {
		waiting += len(s.waiting)
	}
	return len(ls.byKey), len(ls.byKey) - ls.order.Len(), waiting
}
