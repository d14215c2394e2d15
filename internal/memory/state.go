package memory

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// State is the facts of one scope in the order they were learnt. It marks those that still
// hold, and renders the block for a model. A state that rests on an archive holds only the
// facts that it has needed, and those that the archive does not index yet. It is not safe
// for concurrent use.
type State struct {
	l       *lexicon
	archive archive    // of the facts that are not in index; none for a state that holds all
	indexed int        // how many facts the archive has
	rested  FactNumber // up to which the archive has them
	lists   lists      // of the archive
	held    map[FactNumber]*record
	byID    map[FactID]*record
	// index has the facts after those that the archive indexes, order their numbers,
	// rising.
	index index
	order []FactNumber
	last  FactNumber
	// learnt counts the facts after those that the archive indexes.
	learnt int
	shelf  shelf
	size   int64
	// turned counts the links that facts were given after they were learnt.
	turned int
	// derived can be dropped at any time.
	derived derived

	pool  []candidate // buffer for the facts that a new one is compared with
	later []*record   // those found with them that were said after it
	toks  []token     // of text, the last one that was read
	text  string
	list  []glimpse // buffer for the facts of a key
	read  []*record // buffer for the records of some facts
	tops  tops      // buffer for the facts that a question finds
}

// tokensOf are the tokens of a text. The slice is valid until the next call. A fact that
// is learnt is read for its signature and for its keys, one after the other.
func (s *State) tokensOf(text string) []token {
	if s.text != text || len(s.toks) == 0 {
		s.toks, s.text = appendTokens(s.l, s.toks[:0], text, 0, len(text)), text
	}
	return s.toks
}

// Change is the effect of a message: the facts as stored, the facts that they
// contradict, and the older facts that are stored differently now.
type Change struct {
	// Learned are numbered by the store: the facts of a message in their order here.
	Learned    []Fact
	Reversals  []Reversal
	Superseded []Fact
	// Marks are the marks of learnt facts, and the new marks of older ones.
	Marks []Mark
}

// NewState returns the state of an empty scope.
func NewState() *State {
	return &State{
		l: theLexicon(), archive: nothing{}, held: map[FactNumber]*record{}, byID: map[FactID]*record{}, index: index{},
		shelf: newShelf(), lists: newLists(), derived: derived{most: mostDerived},
	}
}

// Learn adds the facts of a message. A known fact is skipped, so learning a message
// twice changes nothing. A contradicted fact is superseded, never removed.
func (s *State) Learn(facts []Fact) Change {
	var c Change
	changed := make(map[*record]bool, 2)
	fresh := s.hold(facts)
	s.prefetch(fresh)
	for _, now := range fresh {
		c.Reversals = append(c.Reversals, s.learnOne(now, changed)...)
	}
	if len(fresh) > 0 {
		c.Learned, c.Marks = make([]Fact, 0, len(fresh)), make([]Mark, 0, len(fresh)+len(changed))
	}
	for _, k := range fresh {
		delete(changed, k)
		c.Learned, c.Marks = append(c.Learned, k.Fact), append(c.Marks, k.Mark)
	}
	for i := range c.Reversals { // links may be added later in the same message
		c.Reversals[i].Was = s.named(c.Reversals[i].Was.ID).Fact
		c.Reversals[i].Now = s.named(c.Reversals[i].Now.ID).Fact
	}
	for _, k := range slices.SortedFunc(maps.Keys(changed), byNumber) {
		c.Superseded, c.Marks = append(c.Superseded, k.Fact), append(c.Marks, k.Mark)
	}
	return c
}

// learnOne links a new fact with those before it and with those said after it, and indexes it.
func (s *State) learnOne(now *record, changed map[*record]bool) (reversals []Reversal) {
	s.later = s.later[:0]
	ended, doubted := s.replaced(now)
	for _, was := range ended {
		s.supersede(was, now, changed)
		if now.Kind == Retraction {
			if s.returns(now) {
				s.revive(was, changed)
			}
			continue
		}
		reversals = append(reversals, Reversal{Was: was.Fact, Now: now.Fact, Why: now.Because})
	}
	for _, was := range doubted {
		s.doubt(was, now, changed)
	}
	s.end(now)
	s.enter(now)
	if len(s.later) > 0 && now.Kind.Asserted() && now.Current() {
		s.yield(now, slices.Clone(s.later), changed)
	}
	return reversals
}

func byNumber(a, b *record) int { return cmp.Compare(a.Number, b.Number) }

// Restore adds stored facts with their links and supersession. It does not look for
// contradictions again.
func (s *State) Restore(facts []Fact) {
	fresh := s.hold(facts)
	for _, k := range fresh {
		k.DoubtedBy = "" // the doubter tells, if it still stands
	}
	for _, k := range fresh {
		for _, link := range k.Links {
			if was := s.named(link.To); was != nil {
				s.restoreLink(link.Kind, was, k)
			}
		}
		s.enter(k)
	}
}

// restoreLink marks what a link of now says of was.
func (s *State) restoreLink(kind LinkKind, was, now *record) {
	switch kind {
	case Supersedes:
		s.chain(was, now)
	case Perhaps:
		if by := s.named(was.DoubtedBy); by == nil || now.after(by) {
			was.DoubtedBy = now.ID
		}
		was.reread()
	}
}

// hold takes the facts that are not known yet into memory, and numbers them.
func (s *State) hold(facts []Fact) []*record {
	var fresh []*record
	last := s.last
	for i := range facts {
		if s.knows(&facts[i], last) {
			continue
		}
		k := newRecord(&facts[i])
		k.Number = max(NumberOf(k.Source.MessageID, 0), s.last+1)
		s.last = k.Number
		s.keep(k)
		s.learnt++
		fresh = append(fresh, k)
	}
	return fresh
}

// knows reports whether a fact was learnt before. Facts of a message after the last one are
// new, and are not looked up in the archive.
func (s *State) knows(f *Fact, last FactNumber) bool {
	_, held := s.byID[f.ID]
	return held || NumberOf(f.Source.MessageID, 0) <= last && s.indexed > 0 && s.named(f.ID) != nil
}

// keep holds a fact in memory.
func (s *State) keep(k *record) {
	s.held[k.Number] = k
	s.byID[k.ID] = k
	s.size += k.bytes()
}

// enter indexes a fact whose links are complete.
func (s *State) enter(k *record) {
	s.order = append(s.order, k.Number)
	s.enterKeys(s.index, k)
	k.repeats = k.Current() && k.Kind.Asserted() && s.repeated(k)
	s.shelf.put(s, k)
	s.rereadReason(k)
}

// repeated reports whether another current fact says what a fact says.
func (s *State) repeated(k *record) bool {
	for range s.alike(k) {
		return true
	}
	return false
}

// alike iterates over the newest other current facts with the same content words.
func (s *State) alike(k *record) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		same := s.same(k)
		if same == 0 {
			return
		}
		for _, o := range slices.Clone(s.facts(s.newest(nil, same, visited))) {
			if o != k && o.Current() && !yield(o) {
				return
			}
		}
	}
}

// Fact returns one fact.
func (s *State) Fact(id FactID) (Fact, bool) {
	if k := s.named(id); k != nil {
		return k.Fact, true
	}
	return Fact{}, false
}

// Facts iterates over all facts in the order they were learnt.
func (s *State) Facts() iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		for k := range s.all() {
			if !yield(k.Fact) {
				return
			}
		}
	}
}

// all iterates over all facts in the order they were learnt. Those that are not in memory
// are not held there for it.
func (s *State) all() iter.Seq[*record] {
	return func(yield func(*record) bool) {
		last, more := FactNumber(0), true
		s.archive.all(func(f *StoredFact) bool {
			k := s.held[f.Number] // it may have changed since it was stored
			if k == nil {
				k = restored(f)
			}
			last, more = f.Number, yield(k)
			return more
		})
		at, _ := slices.BinarySearch(s.order, last+1)
		for ; at < len(s.order) && more; at++ {
			more = yield(s.held[s.order[at]])
		}
	}
}

// Len is the number of facts, superseded ones included.
func (s *State) Len() int { return s.indexed + s.learnt }

// Size is the approximate size of the state, in bytes.
func (s *State) Size() int64 { return s.size + s.lists.bytes() }

// named is the fact with an id; nil for none.
func (s *State) named(id FactID) *record {
	if id == "" {
		return nil
	}
	if k := s.byID[id]; k != nil {
		return k
	}
	s.admitNamed([]FactID{id})
	return s.byID[id]
}

// admitNamed reads facts by their ids into memory, all in one query.
func (s *State) admitNamed(ids []FactID) {
	if len(ids) == 0 {
		return
	}
	read := s.archive.named(ids)
	for i := range read {
		s.admit(&read[i])
	}
}

// facts are the facts of some glimpses, in memory. Numbers without a fact are left out.
// The slice is valid until the next call.
func (s *State) facts(list []glimpse) []*record {
	s.read = s.read[:0]
	var missing []FactNumber
	for i := range list {
		k := list[i].record
		if k == nil {
			if k = s.held[list[i].number]; k == nil {
				missing = append(missing, list[i].number)
			}
		}
		s.read = append(s.read, k)
	}
	if len(missing) == 0 {
		return s.read
	}
	s.fetch(missing)
	kept := s.read[:0]
	for i := range list {
		k := s.read[i]
		if k == nil {
			k = s.held[list[i].number]
		}
		if k != nil {
			kept = append(kept, k)
		}
	}
	return kept
}
