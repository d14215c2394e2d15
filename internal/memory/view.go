package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

// View is the memory of one scope, ready for use: its facts and the index over its
// messages. Views are shared by the turns of a scope and are safe for concurrent use.
type View struct {
	// searching guards the index, which reuses buffers between searches. It is locked
	// before mu.
	searching sync.Mutex
	index     *ranking.Index
	quotes    quotes

	mu    sync.RWMutex
	state *State
	// archive is what the state rests on; nil if it holds all its facts. broken is the
	// error of reading it, err that of reading the facts instead.
	archive     *stored
	broken, err error
	// unread are learnt messages that are not in the index yet.
	unread []message
	// taken counts the messages that have left unread.
	taken Horizon
	toks  []token // buffer for the sentence being read
	// meanings are the vectors of the messages; empty without an embeddings model.
	meanings ranking.Meanings
	// recent are the newest few messages of each lineage, newest first, to which a
	// sentence such as "yes, do that" refers.
	recent map[session.ID][]message
	// newest is the Seq of the newest message of each lineage. gone are the messages
	// that were undone since the view was read.
	newest map[session.ID]int64
	gone   []withdrawn
}

// Reach is how many messages back a message may refer without naming a thing.
const Reach = 4

// NewView returns the memory of an empty scope.
func NewView() *View {
	return &View{state: NewState(), index: ranking.New(), recent: make(map[session.ID][]message), newest: make(map[session.ID]int64)}
}

// load reads a scope's memory from the store, its facts and its messages concurrently.
func (c *Views) load(ctx context.Context, o owner.Owner, scope Scope) (*View, error) {
	v, err := c.tryLoad(ctx, o, scope)
	if isPiece(err) { // it is damaged, or was replaced since the manifest was read
		if err := c.mend(ctx, o, err); err != nil {
			return nil, err
		}
		return c.tryLoad(ctx, o, scope)
	}
	return v, err
}

func (c *Views) tryLoad(ctx context.Context, o owner.Owner, scope Scope) (*View, error) {
	v := NewView()
	restored := recovery.Async(func() error { return c.loadFacts(ctx, v, o, scope) })
	err := c.store.Documents(ctx, o, scope, 0, func(d ranking.Document) bool {
		m := messageOf(d)
		v.note(m)
		v.read(m)
		return ctx.Err() == nil
	})
	if err != nil {
		err = fmt.Errorf("load messages: %w", err)
	}
	if err := errors.Join(<-restored, err, ctx.Err()); err != nil {
		return nil, err
	}
	if err := v.loadMeanings(ctx, c.store, o, scope, c.embeddings); err != nil {
		return nil, err
	}
	return v, nil
}

// loadFacts makes the state rest on the scope's fact pieces, and reads the facts that they
// lack. The past, a whole lineage, and a scope without marks have no pieces: all their facts
// are read.
func (c *Views) loadFacts(ctx context.Context, v *View, o owner.Owner, scope Scope) error {
	if scope.AsOf.IsZero() && !scope.Whole {
		m, err := c.store.Manifest(ctx, o, scope)
		if err != nil {
			return fmt.Errorf("read manifest: %w", err)
		}
		if !m.Stale && m.Version != Unwritten {
			return c.restFacts(ctx, v, o, scope, &m)
		}
	}
	return readWhole(ctx, c.store, o, scope, v.state)
}

// readWhole reads all facts of a scope.
func readWhole(ctx context.Context, st Store, o owner.Owner, scope Scope, s *State) error {
	var facts []Fact
	err := st.Facts(ctx, o, scope, func(f *StoredFact) bool {
		facts = append(facts, f.Fact)
		return ctx.Err() == nil
	})
	if err := errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("load facts: %w", err)
	}
	s.Restore(asKnown(facts, scope))
	return nil
}

// restFacts opens the fact pieces of a manifest and reads the facts after them.
func (c *Views) restFacts(ctx context.Context, v *View, o owner.Owner, scope Scope, m *Manifest) error {
	// The view outlives the request for which it is read.
	on, err := openStored(context.Background(), c.store, c.cache, o, scope, m)
	if err != nil {
		return err
	}
	facts, err := factsAfter(ctx, c.store, o, scope, on.last())
	if err != nil {
		return err
	}
	v.archive = on
	v.state.rest(on, on.last())
	v.state.take(facts)
	return nil
}

// factsAfter reads the facts after a number.
func factsAfter(ctx context.Context, st Reader, o owner.Owner, scope Scope, last FactNumber) ([]StoredFact, error) {
	const page = 512
	var facts []StoredFact
	for {
		more, err := st.FactsSince(ctx, o, scope, last, page)
		if err != nil {
			return nil, fmt.Errorf("load facts: %w", err)
		}
		if facts = append(facts, more...); len(more) < page {
			return facts, nil
		}
		last = more[page-1].Number
	}
}

// with runs work on the state. If a piece of its index cannot be read, the state is read
// whole from the facts, and work runs again.
func (v *View) with(work func(*State)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	work(v.state)
	if v.archive == nil || v.broken != nil {
		return
	}
	if v.broken = v.archive.failed(); !isPiece(v.broken) {
		return
	}
	whole := NewState()
	if v.err = readWhole(v.archive.ctx, v.archive.store, v.archive.owner, v.archive.scope, whole); v.err == nil {
		v.state = whole
		work(whole)
	}
}

// Err is the first error of reading facts. What the view has told since then is to be
// thrown away, and the view with it.
func (v *View) Err() error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	err := v.err
	if err == nil && !isPiece(v.broken) {
		err = v.broken
	}
	if err != nil {
		return fmt.Errorf("read memory: %w", err)
	}
	return nil
}

// damage is the error of a damaged piece; nil if none is.
func (v *View) damage() error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.broken
}

// Restore adds stored facts.
func (v *View) Restore(facts []Fact) {
	v.with(func(s *State) { s.Restore(facts) })
}

// Learn distils a message and adds its facts to the state. From then on the message can
// be recalled. The returned change must be stored.
//
// It does not wait for a search under way: the next search adds the message to the
// index, or a later Learn once many messages have gathered.
func (v *View) Learn(d ranking.Document) Change {
	if d.Note == EchoNote {
		return Change{}
	}
	m := messageOf(d)
	if d.Note == FoundNote {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.unread = append(v.unread, m)
		return Change{}
	}
	change, unread := v.learn(m)
	if unread >= maxUnread || len(d.Text) > longUnread {
		v.searching.Lock()
		defer v.searching.Unlock()
		v.readAll(v.takeUnread(v.Horizon()))
	}
	return change
}

// Bounds on the messages that wait for the index: their number, and the length of each
// in bytes.
const (
	maxUnread  = 32
	longUnread = 32 << 10
)

// learn is Learn without the index. It returns the number of messages that the index
// lacks.
func (v *View) learn(d message) (change Change, unread int) {
	v.with(func(s *State) { change = s.Learn(v.distill(d)) })
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note(d)
	v.unread = append(v.unread, d)
	return change, len(v.unread)
}

// distill reads the facts of a message. The caller holds mu.
func (v *View) distill(d message) (facts []Fact) {
	if d.Note != "" {
		return noteFacts(d)
	}
	if facts, v.toks = distill(d, v.recent[d.Root], v.toks); cap(v.toks) > maxTokens {
		v.toks = nil
	}
	return facts
}

// maxTokens is the maximum size of the reused buffer.
const maxTokens = 256

// note records a message as the newest of its lineage. The caller holds mu or owns the
// view.
func (v *View) note(d message) {
	if d.Text == "" || session.Echo(d.Note) {
		return
	}
	v.newest[d.Root] = d.Seq
	v.keepNear(d)
}

// read adds a message to the index. The caller holds searching or owns the view.
func (v *View) read(d message) {
	v.quotes.pass(&d)
	if d.Text != "" && !session.Echo(d.Note) {
		v.index.Add(d.Document)
		v.quotes.add(&d)
	}
}

// takeUnread returns the messages that the index lacks, up to a horizon. The caller
// holds searching until it has passed them to readAll.
func (v *View) takeUnread(h Horizon) []message {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := max(0, min(int(h-v.taken), len(v.unread)))
	unread := v.unread[:n:n]
	if v.unread = v.unread[n:]; len(v.unread) == 0 {
		v.unread = nil // the index has them by then
	}
	v.taken += Horizon(n)
	return unread
}

func (v *View) readAll(ds []message) {
	for i := range ds {
		v.read(ds[i])
	}
}

// keepNear adds a message to recent.
func (v *View) keepNear(d message) {
	if d.Text == "" {
		return
	}
	near := v.recent[d.Root]
	if len(near) < Reach {
		near = append(near, message{})
	}
	copy(near[1:], near)
	if len(d.Text) > 2*maxDistilled { // a later message may refer to either end
		d.Text = language.Ends(d.Text, 2*maxDistilled)
		d = messageOf(d.Document)
	}
	near[0] = d
	v.recent[d.Root] = near
}

// Horizon is the number of messages that a view had learnt at a moment.
type Horizon int

// Horizon returns the number of messages learnt so far.
func (v *View) Horizon() Horizon {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.taken + Horizon(len(v.unread))
}

// Search ranks the scope's messages for a question.
func (v *View) Search(q ranking.Query) []ranking.Hit { return v.SearchTo(v.Horizon(), q) }

// SearchTo ranks the messages learnt up to a horizon, and those that another search has
// added to the index since. A turn searches while its own input is learnt.
func (v *View) SearchTo(h Horizon, q ranking.Query) []ranking.Hit {
	q = v.skipping(q)
	if q.Vector != nil {
		return v.searchByMeaning(h, q)
	}
	return v.searchIndex(h, q)
}

// searchIndex ranks by words.
func (v *View) searchIndex(h Horizon, q ranking.Query) []ranking.Hit {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.readAll(v.takeUnread(h))
	return v.index.Search(q)
}

// Match returns the facts that answer a question, best first.
func (v *View) Match(question string, at time.Time, limit int) []Fact {
	var out []Fact
	v.with(func(s *State) { out = factsOf(s.match(question, at, limit)) })
	return out
}

// Block renders the part of the state for a model.
func (v *View) Block(budget int, count func(string) int, opt BlockOptions) Block {
	var out Block
	v.with(func(s *State) { out = s.Block(budget, count, opt) })
	return out
}

// Fact returns one fact of the scope.
func (v *View) Fact(id FactID) (Fact, bool) {
	var fact Fact
	var known bool
	v.with(func(s *State) { fact, known = s.Fact(id) })
	return fact, known
}

// Facts returns all facts of the scope in the order they were learnt.
func (v *View) Facts() []Fact {
	var out []Fact
	v.with(func(s *State) { out = slices.AppendSeq(make([]Fact, 0, s.Len()), s.Facts()) })
	return out
}

// Marks are the marks of all facts, in the order of [View.Facts].
func (v *View) Marks() []Mark {
	var out []Mark
	v.with(func(s *State) {
		out = make([]Mark, 0, s.Len())
		for k := range s.all() {
			out = append(out, k.Mark)
		}
	})
	return out
}

// Hash is the state hash: equal transcripts have equal hashes on every machine.
func (v *View) Hash() string {
	var hash string
	v.with(func(s *State) { hash = s.Hash() })
	return hash
}

// size is the approximate size of the view, in bytes.
func (v *View) size() int64 {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state.Size() + v.index.Size() + v.meanings.Size() + v.quotes.Size()
}
