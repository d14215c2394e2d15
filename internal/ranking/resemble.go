package ranking

import (
	"encoding/binary"
	"math"
	"slices"
)

// comparison holds the buffers for comparing messages. Words have numbers in the order in
// which the candidates have them.
type comparison struct {
	slots   []wordSlot // hash table: a word's number in this search
	words   []weighed  // by number
	numbers []int32    // of the words of messages, one message after the other
	inside  []int32    // words with a mass
	parts   []share    // of all candidates, one after the other
	ends    []int      // where each one's end in parts

	rarities [alike + 1]float32 // by number of pictures with a word
}

// wordSlot connects the hash of a word with its number plus one; 0 for an empty slot.
type wordSlot struct {
	hash uint32
	word int32
}

// weighed is a word in a comparison. All its fields are needed together and in random
// order, so they lie together.
type weighed struct {
	mass     float32 // its weight in and around a message
	model    float32 // its weight in the best messages
	pictures int32   // the number of pictures with it
}

// share is one dimension of a message's vector of words.
type share struct {
	word int32
	part float32
}

// resembles raises messages with words of the best messages: answers to a question
// resemble each other, and have more words than the question. Each candidate counts by
// its probability of being the answer, and not for itself. All candidates have been
// scored without it; the first is the best.
//
// Words are rare that few candidates have. Counting all messages of the scope instead
// finds no more on LoCoMo, and looks up a thousand words.
func (x *Index) resembles(candidates []candidate) {
	l := &x.scratch.like
	for i := range candidates {
		x.picture(candidates[i].place)
	}
	l.weigh(len(candidates))
	top := candidates[0].score
	var total float32
	from := 0
	for i := range candidates {
		chance := chanceOf(candidates[i].score, top)
		total += chance
		for _, p := range l.parts[from:l.ends[i]] {
			l.words[p.word].model += chance * p.part
		}
		from = l.ends[i]
	}
	from = 0
	weight := x.model().weights[fResembles]
	for i := range candidates {
		c := &candidates[i]
		var sum float32
		for _, p := range l.parts[from:l.ends[i]] {
			sum += p.part * l.words[p.word].model
		}
		own := chanceOf(c.score, top)
		if rest := total - own; rest > unlikely && l.ends[i] > from {
			c.features[fResembles] = float32(math.Sqrt(float64(max(0, (sum-own)/rest))))
		}
		from = l.ends[i]
	}
	for i := range candidates {
		candidates[i].score += weight * candidates[i].features[fResembles]
	}
	l.clear()
}

// weigh multiplies the words of all pictures by their rarity, and scales each picture to
// length 1.
func (l *comparison) weigh(pictures int) {
	for n := 1; n <= pictures; n++ {
		l.rarities[n] = inverse(pictures, n)
	}
	from := 0
	for _, end := range l.ends {
		square := float32(nothing)
		for i := from; i < end; i++ {
			p := &l.parts[i]
			p.part *= l.rarities[l.words[p.word].pictures]
			square += p.part * p.part
		}
		scale := 1 / float32(math.Sqrt(float64(square)))
		for i := from; i < end; i++ {
			l.parts[i].part *= scale
		}
		from = end
	}
}

// unlikely is the total probability of all other candidates below which they are
// ignored.
const unlikely = 1e-3

// chanceOf is the odds of a message as the answer, relative to the best one.
func chanceOf(score, top float32) float32 { return float32(math.Exp(float64(score - top))) }

// picture appends the parts of the message of a cell: its words and those of its nearest
// neighbours. Farther neighbours made no difference.
func (x *Index) picture(place int32) {
	s, l := x.scratch, &x.scratch.like
	x.shade(place, 1)
	if own := s.cells[place].message.share; own > 0 {
		lent := float32(own) / shareWhole
		n := place
		for _, w := range fromBefore[:2] {
			if n = x.before(n); n < 0 {
				break
			}
			x.shade(n, w*lent*float32(s.cells[n].message.share)/shareWhole)
		}
		n = place
		for _, w := range fromAfter[:1] {
			if n = x.after(n); n < 0 {
				break
			}
			x.shade(n, w*lent*float32(s.cells[n].message.share)/shareWhole)
		}
	}
	for _, word := range l.inside {
		w := &l.words[word]
		l.parts = append(l.parts, share{word, w.mass})
		w.mass = 0
		w.pictures++
	}
	l.inside = l.inside[:0]
	l.ends = append(l.ends, len(l.parts))
}

// shade adds the words of the message of a cell with the given weight. It has no branch
// on whether a word has been met, because that cannot be predicted.
func (x *Index) shade(place int32, worth float32) {
	if worth <= 0 {
		return
	}
	l, words := &x.scratch.like, x.numbers(place)
	met := len(l.inside)
	l.inside = slices.Grow(l.inside, len(words))[:met+len(words)]
	for _, n := range words {
		w := &l.words[n]
		l.inside[met] = n
		met += isZero(w.mass)
		w.mass += worth
	}
	l.inside = l.inside[:met]
}

// numbers are the numbers of the words of a cell's message. A message is in the pictures
// of several candidates.
func (x *Index) numbers(place int32) []int32 {
	l, c := &x.scratch.like, &x.scratch.cells[place]
	if c.wordsEnd == 0 {
		words := x.wordsOf(c.doc)
		l.reserve(len(words) / hashSize)
		c.wordsFrom = int32(len(l.numbers))
		for ; len(words) >= hashSize; words = words[hashSize:] {
			l.numbers = append(l.numbers, l.number(binary.LittleEndian.Uint32(words)))
		}
		c.wordsEnd = int32(len(l.numbers))
	}
	return l.numbers[c.wordsFrom:c.wordsEnd]
}

// isZero is 1 for 0, and 0 for all positive values.
func isZero(v float32) int {
	bits := math.Float32bits(v)
	return int(1 - (bits|-bits)>>31)
}

// number is the number of a word, which gets one if it has none.
func (l *comparison) number(hash uint32) int32 {
	at := l.slotOf(hash)
	if at.word == 0 {
		l.words = append(l.words, weighed{})
		*at = wordSlot{hash, int32(len(l.words))}
	}
	return at.word - 1
}

// slotOf is the slot of a word, or the empty one for it.
func (l *comparison) slotOf(hash uint32) *wordSlot {
	mask := uint32(len(l.slots) - 1)
	for i := hash; ; i++ {
		if at := &l.slots[i&mask]; at.word == 0 || at.hash == hash {
			return at
		}
	}
}

// reserve makes room for more words in the hash table.
func (l *comparison) reserve(more int) {
	if 2*(len(l.words)+more) < len(l.slots) {
		return
	}
	old := l.slots
	l.slots = make([]wordSlot, max(1<<11, 2*len(old)))
	for _, s := range old {
		if s.word != 0 {
			*l.slotOf(s.hash) = s
		}
	}
}

// clear clears what a search has used.
func (l *comparison) clear() {
	clear(l.slots)
	l.words, l.numbers, l.parts, l.ends = l.words[:0], l.numbers[:0], l.parts[:0], l.ends[:0]
}
