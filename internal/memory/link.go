package memory

import (
	"cmp"
	_ "embed" // the weights
	"iter"
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
	fact   int32
	values linkValues
	cosine float32 // of the meanings
	score  float32
}

// candidates lists the current facts that fact n may end, with their features. n is not
// indexed yet.
func (s *State) candidates(n int32) []candidate {
	now := &s.signatures[n]
	p := pool{s: s, n: n, out: s.pool[:0]}
	var weights [maxTerms]float32
	var order [maxTerms]uint8
	for k := range now.terms[:now.numTerms] {
		t := &now.terms[k]
		weights[k] = t.weight() * s.rarity(len(s.terms[t.stem]))
		order[k] = uint8(k)
	}
	slices.SortStableFunc(order[:now.numTerms], func(a, b uint8) int {
		return len(s.terms[now.terms[a].stem]) - len(s.terms[now.terms[b].stem])
	})
	if key := slotHash(&s.facts[n]); key != 0 {
		p.add(s.terms[key], perWord)
	}
	p.add(s.current(), byTime)
	p.alike(byMeaning)
	for _, k := range order[:now.numTerms] {
		t := &now.terms[k]
		if t.kind != 0 {
			p.add(s.terms[kindHash(t.kind)], byKind)
		}
		p.add(s.terms[t.stem], perWord)
	}
	s.pool = p.out
	for i := range p.out {
		c := &p.out[i]
		s.compare(c.fact, n, &weights, &c.values)
		c.cosine = max(0, s.signatures[c.fact].vector.Cosine(&now.vector))
	}
	rank(p.out)
	return p.out
}

// rarity is the weight of a word that this many facts have, at most 1.
func (s *State) rarity(facts int) float32 {
	whole := float32(bits.Len(uint(len(s.facts) + 16)))
	return float32(bits.Len(uint((len(s.facts)+16)/(facts+1)))) / whole
}

// rank sets the features that compare the candidates with each other.
func rank(all []candidate) {
	best, nearest := float32(0), float32(0)
	for i := range all {
		best, nearest = max(best, all[i].values[sharedOfNewer]), max(nearest, all[i].cosine)
	}
	newest := int32(-1)
	for i := range all {
		v := &all[i].values
		if best > 0 && v[sharedOfNewer] > 0.75*best {
			newest = max(newest, all[i].fact)
		}
		more := uint(0)
		for k := range all {
			if all[k].shared() > all[i].shared() {
				more++
			}
		}
		v[rankShared], v[nearerCosine] = float32(bits.Len(more)), nearest-all[i].cosine
	}
	for i := range all {
		all[i].values.when(newestNear, all[i].fact == newest)
	}
}

// shared is the larger part of a statement that the other shares.
func (c *candidate) shared() float32 { return max(c.values[sharedOfNewer], c.values[sharedOfOlder]) }

// pool gathers candidates.
type pool struct {
	s   *State
	n   int32
	out []candidate
}

// add adds the newest current facts of a list.
func (p *pool) add(list []int32, most int) {
	for i := len(list) - 1; i >= max(0, len(list)-visited) && most > 0 && len(p.out) < maxCandidates; i-- {
		if p.put(list[i]) {
			most--
		}
	}
}

// put adds a fact unless it cannot be ended by n. It returns whether the fact is in.
func (p *pool) put(o int32) bool {
	was, now := &p.s.facts[o], &p.s.facts[p.n]
	if o == p.n || !was.Current() || !was.Kind.Asserted() {
		return false
	}
	if within(&was.Source, &now.Source) || within(&now.Source, &was.Source) || !outranks(&now.Source, &was.Source) {
		return false
	}
	if !slices.ContainsFunc(p.out, func(c candidate) bool { return c.fact == o }) {
		p.out = append(p.out, candidate{fact: o})
	}
	return true
}

// within reports whether one source is part of the words of another.
func within(part, whole *Source) bool {
	return part.Root == whole.Root && part.Seq == whole.Seq && whole.Start <= part.Start && part.End <= whole.End
}

// alike adds the nearest of the newest facts by meaning.
func (p *pool) alike(most int) {
	now := &p.s.signatures[p.n]
	if now.vector.Known() == 0 {
		return
	}
	type near struct {
		fact   int32
		cosine float32
	}
	var best []near
	list := p.s.current()
	for i := len(list) - 1; i >= max(0, len(list)-nearby); i-- {
		c := now.vector.Cosine(&p.s.signatures[list[i]].vector)
		if len(best) == most && c <= best[most-1].cosine || list[i] == p.n {
			continue
		}
		at := len(best)
		for at > 0 && best[at-1].cosine < c {
			at--
		}
		if best = slices.Insert(best, at, near{list[i], c}); len(best) > most {
			best = best[:most]
		}
	}
	for _, b := range best {
		if len(p.out) < maxCandidates {
			p.put(b.fact)
		}
	}
}

// siblings are the facts next to a fact that quote the same message.
func (s *State) siblings(n int32) []int32 {
	var space [2]int32
	out := space[:0]
	at := &s.facts[n].Source
	for _, k := range [...]int32{n - 1, n + 1} {
		if k >= 0 && int(k) < len(s.facts) && s.facts[k].Source.Root == at.Root && s.facts[k].Source.Seq == at.Seq {
			out = append(out, k)
		}
	}
	return out
}

// current lists the newest asserted facts, some of which may have been replaced.
func (s *State) current() []int32 { return s.asserted }

// indexTerms indexes a fact by what it is about.
func (s *State) indexTerms(n int32) {
	f, g := &s.facts[n], &s.signatures[n]
	if !f.Kind.Asserted() {
		return
	}
	s.asserted = append(s.asserted, n)
	kinds := [8]uint8{}
	seen := kinds[:0]
	for k := range g.terms[:g.numTerms] {
		t := &g.terms[k]
		s.terms[t.stem] = append(s.terms[t.stem], n)
		if t.kind != 0 && !slices.Contains(seen, t.kind) {
			seen = append(seen, t.kind)
			s.terms[kindHash(t.kind)] = append(s.terms[kindHash(t.kind)], n)
		}
	}
	for _, key := range [...]uint32{slotHash(f), s.traits[n].same} {
		if key != 0 {
			s.terms[key] = append(s.terms[key], n)
		}
	}
}

// kindHash and slotHash are the keys of a kind and of a slot among the terms.
func kindHash(kind uint8) uint32 { return hashText("kind ") ^ uint32(kind) }

func slotHash(f *Fact) uint32 {
	if f.Attribute == "" {
		return 0
	}
	return hashText("slot " + f.Subject + "\x00" + f.Attribute)
}

// LinkPair is an earlier fact that a new one may end, with the values of the features in
// the order of [LinkFeatures].
type LinkPair struct {
	Older, Newer Fact
	Values       []float32
}

// LinkFeatures are the names of the features by which the state links facts.
func LinkFeatures() []string { return linkFeatureNames[:] }

// LinkPairs adds the facts of a message, none of which ends another, and lists the
// earlier facts with which the state compares them. It serves to fit the weights.
func (s *State) LinkPairs(facts []Fact) []LinkPair {
	var out []LinkPair
	for n := range s.appendAll(facts) {
		if s.mayEnd(n) {
			for _, c := range s.candidates(n) {
				out = append(out, LinkPair{s.facts[c.fact], s.facts[n], slices.Clone(c.values[:])})
			}
		}
		s.enter(n)
	}
	return out
}

// appendAll appends the facts of a message that are not known yet, and then iterates
// over them.
func (s *State) appendAll(facts []Fact) iter.Seq[int32] {
	first := int32(len(s.facts))
	for i := range facts {
		if _, known := s.byID[facts[i].ID]; !known {
			s.append(facts[i])
		}
	}
	last := int32(len(s.facts))
	return func(yield func(int32) bool) {
		for n := first; n < last && yield(n); n++ {
		}
	}
}

// mayEnd reports whether a fact can end others: it is asserted, or denies something.
func (s *State) mayEnd(n int32) bool {
	kind := s.facts[n].Kind
	return kind.Asserted() || kind == Negated
}

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
	// maxEnded bounds the facts that one fact ends, and those that it perhaps does.
	maxEnded = 3
)

// replaced lists the facts that fact n ends, and those that it perhaps ends.
func (s *State) replaced(n int32) (ended, doubted []int32) {
	if s.facts[n].Kind == Retraction {
		return s.endable(s.retracted(n), n), nil
	}
	if o, ok := s.byID[s.facts[n].Replaces]; ok && o != n && s.facts[o].Current() {
		ended = append(ended, o)
	}
	if !s.mayEnd(n) {
		return ended, nil
	}
	all, model := s.candidates(n), linkModel()
	for i := range all {
		all[i].score = fitted.Probability(model.Score(all[i].values[:]))
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for i := range all {
		switch c := &all[i]; {
		case c.score < perhapsAt || slices.Contains(ended, c.fact):
		case c.score >= endsAt && len(ended) < maxEnded:
			ended = append(ended, c.fact)
		case len(doubted) < maxEnded:
			doubted = append(doubted, c.fact)
		}
	}
	slices.Sort(ended)
	slices.Sort(doubted)
	return ended, doubted
}
