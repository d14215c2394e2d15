package memory

import (
	"cmp"
	_ "embed" // the weights
	"math/bits"
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/fitted"
)

// The most earlier facts that a new one is compared with, whatever the size of the scope.
const (
	maxCandidates = 32
	// perWord bounds the candidates by one word, and visited the facts read to find them.
	perWord = 8
	visited = 64
	// byKind bounds the candidates that name a thing of a kind, and byTime the newest.
	byKind = 6
	byTime = 4
	// byMeaning bounds the candidates by vectors, out of the newest nearby facts.
	byMeaning = 6
	nearby    = 200
)

// candidate is an earlier fact that a new one may end.
type candidate struct {
	fact   *record
	values linkValues
	single singleValues
	cosine float32 // of the meanings
}

// candidates lists the facts that a new one may end, with their features: those that held when it was said. Others
// that it meets, and that were said after it and may end it, are in later then.
func (s *State) candidates(now *record) []candidate {
	terms := s.rareTerms(now)
	p := pool{s: s, now: now, out: s.pool[:0], later: s.later[:0]}
	s.sources(now, &terms, p.add, p.alike)
	s.pool, s.later = p.out, p.later
	for i := range p.out {
		s.weighOne(&p.out[i], now, &terms)
	}
	rank(p.out)
	return p.out
}

// weighOne sets the features of a candidate that do not depend on the others.
func (s *State) weighOne(c *candidate, now *record, terms *rareTerms) {
	s.compare(c.fact, now, terms, &c.values)
	s.compareSingle(c, now, &terms.value)
	c.cosine = max(0, s.signature(c.fact).vector.Cosine(&s.signature(now).vector))
}

// sources calls keyed for the keys by which the candidates for a new fact are found, and
// alike for those found by meaning, in the order of their preference.
func (s *State) sources(now *record, terms *rareTerms, keyed func(k key, most int), alike func(most int)) {
	g := s.signature(now)
	if slot := now.slot(); slot != 0 {
		keyed(slot, perWord)
	}
	keyed(keyOf(assertedKey, 0), byTime)
	alike(byMeaning)
	for _, k := range rarestFirst(terms.of[:g.numTerms]) {
		t := &g.terms[k]
		if t.kind != 0 {
			keyed(keyOf(classKey, uint32(t.kind)), byKind)
		}
		keyed(keyOf(termKey, t.stem), perWord)
	}
}

// rareTerms are the terms of a new fact: how rare each is in the scope, the weights without
// that, and the value that it gives.
type rareTerms struct {
	of    [maxTerms]rareTerm
	plain weights
	value valuation
}

// rareTerms tells how rare the terms of a new fact are.
func (s *State) rareTerms(now *record) (terms rareTerms) {
	g := s.signature(now)
	terms.plain, terms.value = g.weigh(), s.valuationOf(&now.Fact)
	own := 0 // the fact itself, if it is indexed already
	if now.Kind.Asserted() && s.entered(now) {
		own = 1
	}
	for k := range g.terms[:g.numTerms] {
		t := &g.terms[k]
		facts := s.count(keyOf(termKey, t.stem)) - own
		terms.of[k] = rareTerm{facts: facts, weight: terms.plain.of[k] * s.rarity(facts)}
	}
	return terms
}

// entered reports whether a fact is indexed. One that only serves to compare has no number.
func (s *State) entered(k *record) bool {
	return k.Number > 0 && (k.Number <= s.rested || len(s.order) > 0 && k.Number <= s.order[len(s.order)-1])
}

// rareTerm is how rare a term of a new fact is: the number of facts with it, and its
// weight for that.
type rareTerm struct {
	facts  int
	weight float32
}

// rarestFirst is the order of some terms by the number of facts with them.
func rarestFirst(terms []rareTerm) []uint8 {
	order := make([]uint8, len(terms))
	for k := range order {
		order[k] = uint8(k)
	}
	slices.SortStableFunc(order, func(a, b uint8) int { return terms[a].facts - terms[b].facts })
	return order
}

// rarity is the weight of a word that this many facts have, at most 1.
func (s *State) rarity(facts int) float32 {
	all := s.Len() + 16
	whole := float32(bits.Len(uint(all)))
	return float32(bits.Len(uint(all/(facts+1)))) / whole
}

// rank sets the features that compare the candidates with each other.
func rank(all []candidate) {
	var shared [maxCandidates]float32
	best, nearest := float32(0), float32(0)
	for i := range all {
		best, nearest = max(best, all[i].values[sharedOfNewer]), max(nearest, all[i].cosine)
		shared[i] = all[i].shared()
	}
	var newest *record
	for i := range all {
		v := &all[i].values
		if best > 0 && v[sharedOfNewer] > 0.75*best {
			newest = newer(newest, all[i].fact)
		}
		more := uint(0)
		for _, other := range shared[:len(all)] {
			if other > shared[i] {
				more++
			}
		}
		v[rankShared], v[nearerCosine] = float32(bits.Len(more)), nearest-all[i].cosine
	}
	for i := range all {
		all[i].values.when(newestNear, all[i].fact == newest)
	}
}

// newer is the newer one of two facts, the first of which may be nil.
func newer(a, b *record) *record {
	if a == nil || b.after(a) {
		return b
	}
	return a
}

// shared is the larger part of a statement that the other shares.
func (c *candidate) shared() float32 { return max(c.values[sharedOfNewer], c.values[sharedOfOlder]) }

// LinkPair is an earlier fact that a new one may end, with the values of the features in
// the order of [LinkFeatures].
type LinkPair struct {
	Older, Newer Fact
	Values       []float32
	// Single are the values of [SingleFeatures]; none of a pair that is judged by Values alone.
	Single []float32
}

// LinkFeatures are the names of the features by which the state links facts.
func LinkFeatures() []string { return linkFeatureNames[:] }

// LinkPairs adds the facts of a message, none of which ends another, and lists the
// earlier facts with which the state compares them. It serves to fit the weights.
func (s *State) LinkPairs(facts []Fact) []LinkPair {
	var out []LinkPair
	for _, k := range s.hold(facts) {
		if k.mayEnd() {
			for _, c := range s.candidates(k) {
				pair := LinkPair{Older: c.fact.Fact, Newer: k.Fact, Values: slices.Clone(c.values[:])}
				if c.single.compared() {
					pair.Single = slices.Clone(c.single[:])
				}
				out = append(out, pair)
			}
		}
		s.enter(k)
	}
	return out
}

// mayEnd reports whether a fact can end others: it is asserted, or denies something.
func (k *record) mayEnd() bool { return k.Kind.Asserted() || k.Kind == Negated }

//go:embed links.txt
var linkWeights string

// linkModel gives the logarithm of the odds that a newer statement ends an older one. It is
// read at first use: the weights are fitted without it.
var linkModel = sync.OnceValue(func() *fitted.Forest {
	f := fitted.MustParseForest(linkWeights, linkFeatureNames[:])
	return &f
})

// The probabilities from which a fact ends another, and from which it perhaps does. A
// false end costs five times a missed one; docs/memory.md says what they reach.
const (
	endsAt    = 0.65
	perhapsAt = 0.1
	// perhapsScore is a little less than the logarithm of the odds of perhapsAt.
	perhapsScore = -2.2
	// maxEnded bounds the facts that one fact ends, and those that it perhaps does.
	maxEnded = 3
)

// replaced lists the facts that a new one ends, and those that it perhaps ends.
func (s *State) replaced(now *record) (ended, doubted []*record) {
	if now.Kind == Retraction {
		if s.corrected(now) {
			return nil, nil // what is so instead ends it
		}
		return endable(s.retracted(now), now), nil
	}
	switch was := s.named(now.Replaces); {
	case was == nil, was == now:
	case was.Kind == Retraction:
		ended = endable(s.retracted(was), now)
	case was.Current():
		ended = append(ended, was)
	}
	if !now.mayEnd() {
		return ended, nil
	}
	ended, doubted = s.judged(now, ended)
	if was := s.meant(now); was != nil && !slices.Contains(ended, was) && !slices.Contains(doubted, was) {
		doubted = append(doubted, was)
	}
	slices.SortFunc(ended, byNumber)
	slices.SortFunc(doubted, byNumber)
	return ended, doubted
}

// judged adds to some facts those that a new one ends by what it says, and lists those that it perhaps ends.
func (s *State) judged(now *record, also []*record) (ended, doubted []*record) {
	ended = also
	for _, c := range s.likely(now) {
		switch {
		case slices.Contains(ended, c.fact):
		case c.score >= endsAt && len(ended) < maxEnded:
			ended = append(ended, c.fact)
		case len(doubted) < maxEnded:
			doubted = append(doubted, c.fact)
		}
	}
	return ended, doubted
}

// scored is an earlier fact with the probability that a new one ends it.
type scored struct {
	fact  *record
	score float32
}

// likely lists the earlier facts that a new one perhaps ends, the most probable first.
func (s *State) likely(now *record) (out []scored) {
	all, model := s.candidates(now), linkModel()
	for i := range all {
		score, reached := all[i].score(model)
		if !reached {
			continue
		}
		if p := fitted.Probability(score); p >= perhapsAt {
			out = append(out, scored{all[i].fact, p})
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return out
}
