package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// View is the memory of one scope, ready for use: its facts and the index over its
// messages. Views are shared by the turns of a scope and are safe for concurrent use.
type View struct {
	from *source // nil for a scope of which nothing is stored

	// searching guards the corpus, whose reading is not concurrent. It is locked before mu.
	searching sync.Mutex
	corpus    corpus
	quotes    quotes

	mu    sync.RWMutex
	state *State
	// archive is what the state rests on; nil if it holds all its facts. broken is the
	// error of reading it, err that of reading the facts instead.
	archive     *stored
	broken, err error
	// unreadable is the error of a message piece, which was replaced by its messages.
	unreadable error
	// unread are learnt messages that are not in the index yet.
	unread []message
	// taken counts the messages that have left unread.
	taken Horizon
	toks  []token // buffer for the sentence being read
	// meanings are the vectors of the messages; empty without an embeddings model.
	meanings ranking.Meanings
	near     antecedents
	undone   Spans // messages that pieces may hold
	course   course
	// texts are changed only by the holder of finding, which is locked before mu.
	finding  sync.Mutex
	texts    *texts
	textSize int64 // bytes
	// stale says that facts refer to others that were deleted with their messages.
	stale bool
	// edition is that of the scope whose messages and facts the view has. A view that an undo
	// has changed keeps the one before.
	edition int64
	stands  stand // if other processes write, too
	// blind says that nothing is searched: no index is made.
	blind bool
}

// NewView returns the memory of an empty scope, of which nothing is stored.
func NewView() *View { return newView(nil) }

// NewLearner returns the memory of an empty scope that only learns. Its facts are those of any
// other view, and its messages cannot be searched: an index of a large scope takes most of the
// memory and a quarter of the time.
func NewLearner() *View {
	v := newView(nil)
	v.blind = true
	return v
}

func newView(from *source) *View {
	v := &View{from: from, corpus: newCorpus(from), state: NewState(), near: antecedents{from: from}}
	v.stands.version = Unwritten
	return v
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
	if v.err = readWhole(v.from.ctx, v.from, whole); v.err == nil {
		v.state = whole
		work(whole)
	}
}

// Err is the first error of reading the store. What the view has told since then is to be
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

// damage is the errors of pieces that could not be read; nil if there are none.
func (v *View) damage() error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return errors.Join(v.broken, v.unreadable)
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
	if d.Note == EchoNote || d.Note == AsideNote {
		return Change{}
	}
	m := messageOf(d)
	if d.Note == FoundNote {
		if v.blind {
			return Change{}
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.unread = append(v.unread, m)
		return Change{}
	}
	change, unread := v.learn(m)
	if unread > 0 && (unread >= maxUnread || len(d.Text) > longUnread) {
		defer v.reading()()
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
	v.near.add(d)
	if !v.blind {
		v.unread = append(v.unread, d)
	}
	return change, len(v.unread)
}

// Distilled are the facts that Learn would learn from a message. Nothing is learnt.
func (v *View) Distilled(d ranking.Document) (facts []Fact) {
	if d.Note == EchoNote || d.Note == AsideNote || d.Note == FoundNote {
		return nil
	}
	v.with(func(*State) { facts = v.distill(messageOf(d)) })
	return facts
}

// distill reads the facts of a message. The caller holds mu.
func (v *View) distill(d message) (facts []Fact) {
	if d.Note != "" {
		return noteFacts(d)
	}
	near, err := v.near.before(&d)
	if v.err = errors.Join(v.err, err); err != nil {
		return nil
	}
	if facts, v.toks = distill(d, near, v.toks); cap(v.toks) > maxTokens {
		v.toks = nil
	}
	return facts
}

// maxTokens is the maximum size of the reused buffer.
const maxTokens = 256

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

// reading locks searching for a session of reading the index, which the function returned
// ends.
func (v *View) reading() (end func()) {
	v.searching.Lock()
	v.corpus.begin()
	return func() {
		v.noteErrors()
		v.corpus.end()
		v.searching.Unlock()
	}
}

// readAll adds messages to the index, in a session.
func (v *View) readAll(ds []message) {
	for i := range ds {
		v.corpus.add(&ds[i].Document)
	}
}

// noteErrors takes the errors of the corpus over. The caller holds searching.
func (v *View) noteErrors() {
	if v.corpus.err == nil && v.corpus.broken == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err, v.unreadable = errors.Join(v.err, v.corpus.err), cmp.Or(v.unreadable, v.corpus.broken)
	v.corpus.err = nil
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
	defer v.reading()()
	v.readAll(v.takeUnread(h))
	return v.corpus.search(q)
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

// DoubtedBy returns the newest fact that perhaps replaced another, while both hold.
func (v *View) DoubtedBy(id FactID) (by Fact, found bool) {
	v.with(func(s *State) {
		if k := s.named(id); k != nil && s.perhapsOutdated(k) {
			by, found = s.named(k.DoubtedBy).Fact, true
		}
	})
	return by, found
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

// Learnt is the approximate size of the facts that the view holds, and of what it has read to learn them, in
// bytes. It does not wait for a search, or for the making of a piece of messages.
func (v *View) Learnt() int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.state.Size()
}

// size is the approximate size of the view, in bytes.
func (v *View) size() int64 {
	v.searching.Lock()
	defer v.searching.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held()
}

// held is [View.size] for a caller that holds both locks.
func (v *View) held() int64 {
	return v.state.Size() + v.course.size() + v.textSize + v.corpus.index.Size() + v.meanings.Size() + v.quotes.Size()
}
