package run

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// lineage is what a turn needs to know of a lineage. Whoever holds its turn may
// read and change it; nobody else touches it.
type lineage struct {
	tip session.Session
	// exists is false until the first message is stored.
	exists bool
	// recent are the newest messages of the lineage that stand, oldest first: the
	// tail, and a little before it to recognise a history that a client resends.
	recent []session.Message
	// last is the hash of the newest message, whether it stands or not.
	last []byte
	// loaded says that tip, last and recent are true to the store.
	loaded bool
	// bare says that recent was left out, for it is large and not always wanted.
	bare bool
}

// tail returns the messages that are sent verbatim.
func (l *lineage) tail() []session.Message {
	for i := range l.recent {
		if l.recent[i].Seq >= l.tip.TailFrom {
			return l.recent[i:]
		}
	}
	return nil
}

const (
	// maxRecent bounds the messages held of a lineage, and with it the tail.
	maxRecent = 512
	// maxRecentBytes bounds their texts: a message with which they grow beyond it
	// is the oldest that is held.
	maxRecentBytes = 16 << 20
	// minRecent is how many are kept for recognising a resent history.
	minRecent = 32
	// maxIdle is how much the texts of a lineage may take between its turns, in
	// bytes. More are read again with the next turn that wants them.
	maxIdle = 1 << 20
)

// remember appends stored messages and lets go of what no turn will look at.
func (l *lineage) remember(ms []session.Message) {
	if len(ms) > 0 {
		l.last = ms[len(ms)-1].Hash
	}
	if l.bare {
		return
	}
	l.recent = append(l.recent, ms...)
	drop := 0
	for drop < len(l.recent)-minRecent && l.recent[drop].Seq < l.tip.TailFrom {
		drop++
	}
	drop = max(drop, len(l.recent)-maxRecent, heavy(l.recent))
	if drop > len(l.recent)/2 || len(l.recent) > maxRecent || heavy(l.recent) > 0 { // copy rarely
		l.recent = append(make([]session.Message, 0, len(l.recent)-drop+minRecent), l.recent[drop:]...)
	}
}

// heavy is how many of the oldest messages stand before the one with which the
// texts, counted from the newest, reach maxRecentBytes.
func heavy(ms []session.Message) int {
	size := 0
	for i := len(ms) - 1; i > 0; i-- {
		if size += ms[i].Size(); size >= maxRecentBytes {
			return i
		}
	}
	return 0
}

// rest lets go of texts that are too many to be held for nobody.
func (l *lineage) rest() {
	size := 0
	for i := range l.recent {
		size += l.recent[i].Size()
	}
	if size > maxIdle {
		l.recent, l.bare = nil, true
	}
}

// lineages hands out turns: one at a time per lineage, first come first served.
// It keeps the lineages used last in memory.
type lineages struct {
	sessions session.Store
	limit    int

	mu    sync.Mutex
	byKey map[lineageKey]*slot
	order *list.List // of *slot that nobody holds or waits for, newest in front
}

type lineageKey struct {
	owner string
	root  session.ID
}

// slot is a lineage with the queue of turns that want it.
type slot struct {
	key     lineageKey
	held    bool
	waiting []chan struct{}
	idle    *list.Element
	lineage lineage
}

// takeTurn is one of the ways to take a lineage's turn.
type takeTurn func(ctx context.Context, o owner.Owner, id session.ID) (*lineage, func(), error)

func newLineages(sessions session.Store, limit int) *lineages {
	return &lineages{sessions: sessions, limit: limit, byKey: make(map[lineageKey]*slot), order: list.New()}
}

// take waits for the turn of the lineage id belongs to and returns it with a
// function that hands the turn on. An id nobody used yet is a lineage of its
// own, and stays so: an id never changes its lineage.
//
// Most ids name the first session of their lineage, or nothing yet. So the turn is
// waited for under the id itself, and the store is asked once it is held; a later
// session of a lineage is then found to belong to another turn.
func (ls *lineages) take(ctx context.Context, o owner.Owner, id session.ID) (*lineage, func(), error) {
	return ls.hand(ctx, o, id, false)
}

// hold is take for who does not look at the newest messages: a lineage that is not
// in memory is bare.
func (ls *lineages) hold(ctx context.Context, o owner.Owner, id session.ID) (*lineage, func(), error) {
	return ls.hand(ctx, o, id, true)
}

func (ls *lineages) hand(ctx context.Context, o owner.Owner, id session.ID, bare bool) (*lineage, func(), error) {
	for root := id; ; {
		s, err := ls.acquire(ctx, lineageKey{owner: o.ID(), root: root})
		if err != nil {
			return nil, nil, err
		}
		if l := &s.lineage; !l.loaded || l.bare && !bare {
			root, err = ls.find(ctx, o, s, id, bare)
		}
		if err == nil && root == s.key.root {
			return &s.lineage, func() { ls.release(s) }, nil
		}
		ls.release(s)
		if err != nil {
			return nil, nil, err
		}
	}
}

// find reads the lineage of an id into the slot whose turn is held, and returns its
// root. If that is another slot's, nothing is read.
func (ls *lineages) find(ctx context.Context, o owner.Owner, s *slot, id session.ID, bare bool) (session.ID, error) {
	tip, err := ls.sessions.Tip(ctx, o, id)
	if fault.KindOf(err) == fault.NotFound {
		s.lineage = lineage{loaded: true}
		return s.key.root, nil
	}
	if err != nil {
		return "", fmt.Errorf("load session: %w", err)
	}
	if tip.RootID != s.key.root {
		return tip.RootID, nil
	}
	return tip.RootID, ls.load(ctx, o, &s.lineage, &tip, bare)
}

// load reads what a turn needs to know of a lineage beside its tip, for a bare one
// without its newest messages.
func (ls *lineages) load(ctx context.Context, o owner.Owner, l *lineage, tip *session.Session, bare bool) error {
	var recent []session.Message
	var err error
	if !bare {
		if recent, err = ls.recent(ctx, o, tip); err != nil {
			return fmt.Errorf("load tail: %w", err)
		}
	}
	*l = lineage{tip: *tip, exists: true, recent: recent, loaded: true, bare: bare}
	if n := len(recent); n > 0 {
		l.last = recent[n-1].Hash
	}
	if n := len(recent); tip.NextSeq > 0 && (n == 0 || recent[n-1].Seq != tip.NextSeq-1) { // it was left out, or taken back
		newest, err := ls.sessions.Messages(ctx, o, tip.RootID, session.Range{Limit: 1, Newest: true})
		if err != nil {
			return fmt.Errorf("load newest message: %w", err)
		}
		if len(newest) > 0 {
			l.last = newest[0].Hash
		}
	}
	return nil
}

// recent reads the tail and a little before it, however much of the end of the
// lineage was taken back.
func (ls *lineages) recent(ctx context.Context, o owner.Owner, tip *session.Session) ([]session.Message, error) {
	window := session.Range{
		From: min(tip.TailFrom, max(0, tip.NextSeq-minRecent)), Limit: maxRecent, Bytes: maxRecentBytes, Newest: true, Standing: true,
	}
	ms, err := ls.sessions.Messages(ctx, o, tip.RootID, window)
	if err != nil || len(ms) >= minRecent || window.From == 0 {
		return ms, err
	}
	window.From, window.Limit = 0, minRecent
	return ls.sessions.Messages(ctx, o, tip.RootID, window)
}

// acquire waits in line for a lineage's turn.
func (ls *lineages) acquire(ctx context.Context, key lineageKey) (*slot, error) {
	ls.mu.Lock()
	s := ls.byKey[key]
	if s == nil {
		s = &slot{key: key}
		ls.byKey[key] = s
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

// abandon leaves the line; if the turn was handed over meanwhile it goes on.
func (ls *lineages) abandon(s *slot, turn chan struct{}) {
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

// release hands the turn to the next in line, or lets the lineage rest.
func (ls *lineages) release(s *slot) {
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
	if !s.lineage.loaded { // nothing to keep
		delete(ls.byKey, s.key)
		return
	}
	s.idle = ls.order.PushFront(s)
	for ls.order.Len() > ls.limit {
		oldest := ls.order.Back()
		ls.order.Remove(oldest)
		if victim, ok := oldest.Value.(*slot); ok {
			victim.idle = nil
			delete(ls.byKey, victim.key)
		}
	}
}
