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

	rarities [fewHolders]float32 // by number of messages with a term, for this number of messages:
	messages int
}

// fewHolders exceeds the number of messages with any but the commonest words. Their
// rarities are cached between searches, because a logarithm for each would be most of
// the work.
const fewHolders = 256

// weighed is a term in a comparison. All its fields are needed together and in random
// order, so they lie together.
type weighed struct {
	rarity float32 // weight of the term
	mass   float32 // its weight in and around a message
	model  float32 // its weight in the best messages
}

// part is one dimension of a message's vector of words.
type part struct {
	term  int32
	share float32
}

// resembles raises messages with words of the best messages: answers to a question
// resemble each other, and have more words than the question. Each candidate counts by
// its probability of being the answer, and not for itself. All candidates have been
// scored without it; the first is the best.
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
	weight := x.model().weights[fResembles]
	for i := range candidates {
		candidates[i].score += weight * candidates[i].features[fResembles]
	}
	l.clear()
}

// unlikely is the total probability of all other candidates below which they are
// ignored.
const unlikely = 1e-3

// chanceOf is the odds of a message as the answer, relative to the best one.
func chanceOf(score, top float32) float32 { return float32(math.Exp(float64(score - top))) }

// picture appends the parts of message d: its words and those of its nearest
// neighbours, weighted by rarity and scaled to length 1. Farther neighbours made no
// difference.
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

// shade adds the words of message d with the given weight. It has no branch on whether
// a word is new, because that cannot be predicted.
func (x *Index) shade(d int32, worth float32) {
	l, words := &x.wordings.like, x.wordings.of(d)
	if worth <= 0 {
		return
	}
	met := len(l.inside)
	l.inside = slices.Grow(l.inside, len(words))[:met+len(words)]
	for _, t := range words {
		w := &l.terms[t]
		l.inside[met] = t
		met += isZero(w.mass)
		w.mass += worth
	}
	l.inside = l.inside[:met]
}

// isZero is 1 for 0, and 0 for all positive values.
func isZero(v float32) int {
	bits := math.Float32bits(v)
	return int(1 - (bits|-bits)>>31)
}

// rarityOf is the weight of a term that is in that many messages.
func (l *comparison) rarityOf(holders int) float32 {
	if holders >= fewHolders {
		return inverse(l.messages, holders)
	}
	if l.rarities[holders] == 0 {
		l.rarities[holders] = inverse(l.messages, holders)
	}
	return l.rarities[holders]
}

// fit makes the buffers large enough for an index of that many terms and messages.
func (l *comparison) fit(terms, messages int) {
	if l.messages != messages {
		l.messages, l.rarities = messages, [fewHolders]float32{}
	}
	if len(l.terms) < terms {
		l.terms = make([]weighed, terms+terms/4+256)
	}
}

// clear clears what a search has used.
func (l *comparison) clear() {
	for _, t := range l.known {
		l.terms[t] = weighed{}
	}
	l.known, l.parts, l.ends = l.known[:0], l.parts[:0], l.ends[:0]
}
