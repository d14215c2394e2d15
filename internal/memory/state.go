package memory

import (
	"crypto/sha256"
	"iter"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"github.com/hermes-memory/hermes/internal/language"
)

// State holds the facts of one scope in the order they were learnt, marks those that
// still hold, and renders the block for a model. It is not safe for concurrent use, but
// methods that only read may run concurrently.
type State struct {
	l      *lexicon
	facts  []Fact
	traits []trait
	briefs []brief // updated by note
	byID   map[FactID]int32
	// words maps a stem to the facts that use it. techs maps a category of technology
	// to the facts that name one.
	words map[string][]int32
	techs map[uint8][]int32
	kinds [numKinds][]int32
	// signatures are what the facts are about. terms maps a stem, a kind or a slot, as a
	// hash, to the asserted facts with it.
	signatures []signature
	terms      map[uint32][]int32
	asserted   []int32
	pool       []candidate // buffer for the facts that a new one is compared with
	toks       []token     // buffer for the text being read
	// reasons maps the words of a reason to its number. givers maps the number to the
	// facts with that reason; 0 means no reason.
	reasons map[string]int32
	givers  [][]int32
	shelf   shelf
	sum     [sha256.Size]byte
	size    int64
}

// trait are the properties that the state derives from a fact, once.
type trait struct {
	same    uint32 // the content words of its statement
	repeats bool   // repeats a current fact
	steps   uint16 // number of facts that its chain replaced
	was     int32  // the fact it replaced; -1 for none
	doubter int32  // the newest fact that perhaps replaced it; -1 for none
	reason  int32  // the number of its reason; 0 for none
}

// Change is the effect of a message: the facts as stored, the facts that they
// contradict, and the older facts that no longer hold.
type Change struct {
	Learned    []Fact
	Reversals  []Reversal
	Superseded []Fact
}

// NewState returns the state of an empty scope.
func NewState() *State {
	return &State{
		l: theLexicon(), byID: map[FactID]int32{}, words: map[string][]int32{}, techs: map[uint8][]int32{},
		terms:   map[uint32][]int32{},
		reasons: map[string]int32{}, givers: make([][]int32, 1), shelf: newShelf(),
	}
}

// Learn adds the facts of a message. A known fact is skipped, so learning a message
// twice changes nothing. A contradicted fact is superseded, never removed.
func (s *State) Learn(facts []Fact) Change {
	var c Change
	touched := make(map[int32]bool, 2)
	first := int32(len(s.facts))
	for n := range s.appendAll(facts) {
		ended, doubted := s.replaced(n)
		for _, o := range ended {
			s.supersede(o, n)
			touched[o] = true
			if s.facts[n].Kind == Retraction {
				s.revive(o, touched)
				continue
			}
			c.Reversals = append(c.Reversals, Reversal{Was: s.facts[o], Now: s.facts[n], Why: s.facts[n].Because})
		}
		for _, o := range doubted {
			s.doubt(o, n)
		}
		s.enter(n)
	}
	for n := first; int(n) < len(s.facts); n++ {
		c.Learned = append(c.Learned, s.facts[n])
	}
	for i := range c.Reversals { // links may be added later in the same message
		c.Reversals[i].Was = s.facts[s.byID[c.Reversals[i].Was.ID]]
		c.Reversals[i].Now = s.facts[s.byID[c.Reversals[i].Now.ID]]
	}
	for _, o := range slices.Sorted(maps.Keys(touched)) {
		if o < first {
			c.Superseded = append(c.Superseded, s.facts[o])
		}
	}
	return c
}

// Restore adds stored facts with their links and supersession. It does not look for
// contradictions again.
func (s *State) Restore(facts []Fact) {
	for i := range facts {
		if _, known := s.byID[facts[i].ID]; known {
			continue
		}
		n := s.append(facts[i])
		for _, link := range facts[i].Links {
			if o, found := s.byID[link.To]; found {
				s.restoreLink(link.Kind, o, n)
			}
		}
		s.enter(n)
	}
}

// restoreLink marks what a link of n says of o.
func (s *State) restoreLink(kind LinkKind, o, n int32) {
	switch kind {
	case Supersedes:
		s.chain(o, n)
	case Perhaps:
		s.traits[o].doubter = n
		s.shelf.reread(o)
	}
}

// append adds a fact to the list and derives its traits.
func (s *State) append(f Fact) int32 {
	n := int32(len(s.facts))
	s.facts = append(s.facts, f)
	s.byID[f.ID] = n
	t := trait{was: -1, doubter: -1}
	s.traits, s.briefs = append(s.traits, t), append(s.briefs, brief{})
	s.signatures = append(s.signatures, s.signatureOf(&f))
	s.traits[n].same = s.sameHash(n)
	s.size += int64(unsafe.Sizeof(f)+unsafe.Sizeof(t)+unsafe.Sizeof(brief{})) + int64(len(f.ID)+len(f.Quote)+len(f.Statement)+
		len(f.Subject)+len(f.Attribute)+len(f.Value)+len(f.Because)) + 128
	return n
}

// enter indexes a fact whose links are complete.
func (s *State) enter(n int32) {
	f := &s.facts[n]
	s.sum = chainHash(s.sum, f)
	s.note(n)
	kind := s.briefs[n].kind
	s.kinds[kind] = append(s.kinds[kind], n)
	s.indexWords(n)
	s.indexReason(n)
	if f.Current() && f.Kind.Asserted() {
		s.open(n)
	}
	s.indexTerms(n)
	s.shelf.put(s, n)
}

// open notes whether a fact that holds says what another says.
func (s *State) open(n int32) {
	for range s.alike(n) {
		s.traits[n].repeats = true
	}
}

// alike iterates over the newest other current facts with the same content words.
func (s *State) alike(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		same := s.traits[n].same
		if same == 0 {
			return
		}
		list := s.terms[same]
		for i := len(list) - 1; i >= max(0, len(list)-visited); i-- {
			if o := list[i]; o != n && s.facts[o].Current() && !yield(o) {
				return
			}
		}
	}
}

// sameHash is a hash of the content words of a statement; 0 for none. "Not" counts.
func (s *State) sameHash(n int32) uint32 {
	words := stems(s.facts[n].Statement)
	if len(words) == 0 {
		return 0
	}
	slices.Sort(words)
	h := hashText("same " + strings.Join(words, " "))
	if s.signatures[n].cues.any(negationCues) {
		h++
	}
	return h
}

// indexWords indexes a fact by its words.
func (s *State) indexWords(n int32) {
	f := &s.facts[n]
	s.enterWords(n, f.Statement)
	if asked, found := s.Asked(*f); found {
		s.enterWords(n, asked.Statement)
	}
	s.enterWords(n, f.Attribute)
	s.toks = appendTokens(s.l, s.toks[:0], f.Statement, 0, len(f.Statement))
	seen := uint64(0)
	for i := range s.toks {
		if tech := s.toks[i].tech; tech != 0 && seen&(1<<tech) == 0 {
			seen |= 1 << tech
			s.techs[tech] = append(s.techs[tech], n)
		}
	}
}

// enterWords indexes a fact by the words of a text.
func (s *State) enterWords(n int32, text string) {
	scan := language.Scan(text)
	for w, ok := scan.Next(); ok; w, ok = scan.Next() {
		if w.Stop {
			continue
		}
		list := s.words[string(w.Stem)]
		if len(list) == 0 || list[len(list)-1] != n {
			s.words[string(w.Stem)] = append(list, n)
			s.size += 8
		}
	}
}

// Fact returns one fact.
func (s *State) Fact(id FactID) (Fact, bool) {
	n, found := s.byID[id]
	if !found {
		return Fact{}, false
	}
	return s.facts[n], true
}

// Facts iterates over all facts in the order they were learnt.
func (s *State) Facts() iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		for i := range s.facts {
			if !yield(s.facts[i]) {
				return
			}
		}
	}
}

// Len is the number of facts, superseded ones included.
func (s *State) Len() int { return len(s.facts) }

// Size is the approximate size of the state, in bytes.
func (s *State) Size() int64 { return s.size }
