package memory

import (
	"slices"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// archive is where a state finds the facts that it does not hold.
type archive interface {
	// len is the number of facts.
	len() int
	// numbered are the facts with some numbers. Numbers without a fact are left out.
	numbered(numbers []FactNumber) []StoredFact
	// named are the facts with some ids. Ids without a fact are left out.
	named(ids []FactID) []StoredFact
	// count is the number of facts with a key, and newest appends the newest ones, newest
	// first.
	count(k key) int
	newest(to []glimpse, k key, most int) []glimpse
	// distant reports whether each read is a round trip. ahead reads together what newest is going to
	// read for some keys, and aheadOfSignatures what signature is going to read for some facts.
	distant() bool
	ahead(all []listing)
	aheadOfSignatures(numbers []FactNumber)
	// meaning is the vector of a fact, and signature its signature, nil if the archive does
	// not know it. Neither reads the fact.
	meaning(n FactNumber) wordvec.Vector
	signature(n FactNumber) *signature
	// all calls each for all facts in order, until each returns false.
	all(each func(*StoredFact) bool)
	// near are the facts of the messages of a lineage from one place to another, both
	// included.
	near(root session.ID, from, to int64) []StoredFact
	// ofMessage are the facts of a message, in order.
	ofMessage(id int64) []StoredFact
	// countFrom is how many facts have a number or a higher one, at most most.
	countFrom(n FactNumber, most int) int
	// shown are the next facts of some sections of the block below a place: shelfPage of
	// each, heaviest first, or fewer at its end.
	shown(of []section, below ShelfPlace) []StoredFact
}

// nothing is the archive of a state that holds all its facts.
type nothing struct{}

func (nothing) len() int                                    { return 0 }
func (nothing) numbered([]FactNumber) []StoredFact          { return nil }
func (nothing) named([]FactID) []StoredFact                 { return nil }
func (nothing) count(key) int                               { return 0 }
func (nothing) newest(to []glimpse, _ key, _ int) []glimpse { return to }
func (nothing) distant() bool                               { return false }
func (nothing) ahead([]listing)                             {}
func (nothing) aheadOfSignatures([]FactNumber)              {}
func (nothing) meaning(FactNumber) wordvec.Vector           { return wordvec.Vector{} }
func (nothing) signature(FactNumber) *signature             { return nil }
func (nothing) all(func(*StoredFact) bool)                  {}
func (nothing) near(session.ID, int64, int64) []StoredFact  { return nil }
func (nothing) ofMessage(int64) []StoredFact                { return nil }
func (nothing) countFrom(FactNumber, int) int               { return 0 }
func (nothing) shown([]section, ShelfPlace) []StoredFact    { return nil }

// fetch reads facts from the archive into memory.
func (s *State) fetch(numbers []FactNumber) {
	read := s.archive.numbered(numbers)
	for i := range read {
		s.admit(&read[i])
	}
}

// admit holds a fact that was read from the archive.
func (s *State) admit(f *StoredFact) *record {
	if k := s.held[f.Number]; k != nil {
		return k
	}
	k := restored(f)
	s.keep(k)
	return k
}

// restored is the record of a stored fact.
func restored(f *StoredFact) *record {
	k := newRecord(&f.Fact)
	k.Mark = f.Mark
	k.repeats = k.Current() && k.Kind.Asserted() && k.Section == nowhere
	return k
}

// rest makes a state rest on an archive, which indexes the facts up to a number. The facts
// after that number are in memory.
func (s *State) rest(on archive, last FactNumber) {
	at, _ := slices.BinarySearch(s.order, last+1)
	if on.len() != s.indexed+at { // it is another index, and not the same one with these facts
		s.lists = newLists()
	}
	s.hand(last)
	s.archive, s.indexed, s.rested = on, on.len(), last
	s.order = slices.Clone(s.order[at:])
	s.learnt = len(s.order)
}

// shed drops the facts that the archive indexes. They are read again by need.
func (s *State) shed() {
	held := s.held
	s.held, s.byID, s.size = make(map[FactNumber]*record), make(map[FactID]*record), 0
	for _, n := range s.order {
		k := held[n]
		s.keep(k)
		if k.about != nil {
			s.size += int64(unsafe.Sizeof(*k.about))
		}
	}
	round := s.shelf.round // records remember the rounds in which they were considered
	s.shelf, s.pool, s.later, s.list, s.read, s.tops = newShelf(), nil, nil, nil, nil, tops{}
	s.lists = newLists()
	s.derived.drop()
	s.shelf.round = round
}

// take adds stored facts with their marks, which no archive indexes.
func (s *State) take(facts []StoredFact) {
	taken := make([]*record, len(facts))
	for i := range facts {
		taken[i] = s.admit(&facts[i])
	}
	s.ahead(func() []listing { return reasons(taken, 0) })
	for _, k := range taken {
		s.order, s.last = append(s.order, k.Number), k.Number
		s.learnt++
		s.enterKeys(s.index, k)
	}
}
