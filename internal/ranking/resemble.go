package ranking

import (
	"math"
	"slices"
)

// comparison holds the buffers for comparing messages.
type comparison struct {
	terms  []weighed // by term; zero outside a search
	known  []int32   // terms with a rarity
	inside []int32   // terms with a mass
	parts  []part    // of all candidates, one after the other
	ends   []int     // where each one's end in parts

	rarities [fewHolders]float32 // by how many messages hold a term, of so many:
	messages int
}

// fewHolders is how many messages hold all but the commonest words. Their
// rarities are kept between searches: a logarithm for each would be most of the work.
const fewHolders = 256

// weighed is a term in a comparison. All of it is needed at once, and which term
// comes next cannot be foreseen: so it lies together.
type weighed struct {
	rarity float32 // what the term weighs
	mass   float32 // how much of it is in and around a message
	model  float32 // how much of it is in the best messages
}

// part is one direction of a message's picture.
type part struct {
	term  int32
	share float32
}

// resembles lifts messages that speak of what the best ones speak of: what
// answers a question lies close together, and says more than the question does.
// Every candidate counts by its chance to be the answer, nothing counts for
// itself. All candidates have been scored without it, the first is the best.
func (x *Index) resembles(candidates []candidate) {
	l := &x.wordings.like
	l.fit(len(x.lists), len(x.docs))
	top := candidates[0].score
	var total float32
	for i := range candidates {
		from := len(l.parts)
		x.picture(candidates[i].doc)
		chance := chanceOf(candidates[i].score, top)
		total += chance
		for _, p := range l.parts[from:] {
			l.terms[p.term].model += chance * p.share
		}
	}
	from := 0
	for i := range candidates {
		c := &candidates[i]
		var sum float32
		for _, p := range l.parts[from:l.ends[i]] {
			sum += p.share * l.terms[p.term].model
		}
		own := chanceOf(c.score, top)
		if rest := total - own; rest > unlikely && l.ends[i] > from {
			c.features[fResembles] = float32(math.Sqrt(float64(max(0, (sum-own)/rest))))
		}
		from = l.ends[i]
	}
	for i := range candidates {
		candidates[i].score += weights[fResembles] * candidates[i].features[fResembles]
	}
	l.clear()
}

// unlikely is the chance of all others together under which they say nothing.
const unlikely = 1e-3

// chanceOf is how likely a message answers, relative to the best one.
func chanceOf(score, top float32) float32 { return float32(math.Exp(float64(score - top))) }

// picture appends the parts of message d: its words and those its nearest
// neighbours lend, the rare ones first in weight, scaled to length 1. Farther
// ones made no difference.
func (x *Index) picture(d int32) {
	l, m := &x.wordings.like, &x.docs[d]
	x.shade(d, 1)
	if m.share > 0 {
		lent := float32(m.share) / shareWhole
		n := m.prev
		for _, w := range fromBefore[:2] {
			if n < 0 {
				break
			}
			x.shade(n, w*lent*float32(x.docs[n].share)/shareWhole)
			n = x.docs[n].prev
		}
		n = m.next
		for _, w := range fromAfter[:1] {
			if n < 0 {
				break
			}
			x.shade(n, w*lent*float32(x.docs[n].share)/shareWhole)
			n = x.docs[n].next
		}
	}
	from, square := len(l.parts), float32(nothing)
	for _, t := range l.inside {
		w := &l.terms[t]
		if w.rarity == 0 {
			w.rarity = l.rarityOf(int(x.holders[t]))
			l.known = append(l.known, t)
		}
		v := w.mass * w.rarity
		w.mass = 0
		l.parts = append(l.parts, part{t, v})
		square += v * v
	}
	l.inside = l.inside[:0]
	scale := 1 / float32(math.Sqrt(float64(square)))
	for i := from; i < len(l.parts); i++ {
		l.parts[i].share *= scale
	}
	l.ends = append(l.ends, len(l.parts))
}

// shade adds the words of message d at the given worth. Whether a word has been
// met cannot be foreseen, so nothing here branches on it.
func (x *Index) shade(d int32, worth float32) {
	l, words := &x.wordings.like, x.wordings.of(d)
	if worth <= 0 {
		return
	}
	met := len(l.inside)
	l.inside = slices.Grow(l.inside, len(words))[:met+len(words)]
	for len(words) > 0 {
		var t int32
		t, words = nextWord(words)
		w := &l.terms[t]
		l.inside[met] = t
		met += isZero(w.mass)
		w.mass += worth
	}
	l.inside = l.inside[:met]
}

// isZero is 1 for 0 and 0 for all above.
func isZero(v float32) int {
	bits := math.Float32bits(v)
	return int(1 - (bits|-bits)>>31)
}

// rarityOf is what a term weighs that so many messages hold.
func (l *comparison) rarityOf(holders int) float32 {
	if holders >= fewHolders {
		return inverse(l.messages, holders)
	}
	if l.rarities[holders] == 0 {
		l.rarities[holders] = inverse(l.messages, holders)
	}
	return l.rarities[holders]
}

// fit makes the buffers large enough for an index of so many terms and messages.
func (l *comparison) fit(terms, messages int) {
	if l.messages != messages {
		l.messages, l.rarities = messages, [fewHolders]float32{}
	}
	if len(l.terms) < terms {
		l.terms = make([]weighed, terms+terms/4+256)
	}
}

// clear zeroes what a search touched.
func (l *comparison) clear() {
	for _, t := range l.known {
		l.terms[t] = weighed{}
	}
	l.known, l.parts, l.ends = l.known[:0], l.parts[:0], l.ends[:0]
}
