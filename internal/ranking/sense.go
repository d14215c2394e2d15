package ranking

import (
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

const (
	// mostNear is how many messages their meaning alone admits.
	mostNear = 96
	// mostApart is in how many dimensions the sign of such a message's meaning may differ
	// from the question's: half of them do if they have nothing in common.
	mostApart = 42
	// mostMeant is how many of the newest messages are compared by their meaning.
	mostMeant = 30_000
)

// admitNear admits the messages whose meaning is nearest to the question's, the newer of
// equal ones: they may share no word with the question. Signatures are compared, because
// that takes a nanosecond for a message.
func (x *Index) admitNear(q *question) {
	if q.meaning.Known() == 0 {
		return
	}
	s, from := x.scratch, max(0, x.size()-mostMeant)
	var counts [1 << 8]int32 // of the messages at each distance; a damaged one may be above Dim
	s.apart = s.apart[:0]
	for i, p := range x.parts {
		if first := max(0, from-x.bases[i]); first < p.size() {
			s.apart = p.apart(s.apart, first, q.sign)
		}
	}
	for _, apart := range s.apart {
		counts[apart]++
	}
	cut, left := 0, int32(mostNear)
	for ; cut < mostApart && left > counts[cut]; cut++ {
		left -= counts[cut]
	}
	for i := len(s.apart) - 1; i >= 0; i-- {
		if int(s.apart[i]) > cut || int(s.apart[i]) == cut && left <= 0 {
			continue
		}
		if int(s.apart[i]) == cut {
			left--
		}
		s.admit(s.place(from + int32(i)))
	}
}

// admit makes the message of a cell one that is scored, whatever its words.
func (s *scratch) admit(place int32) {
	if c := &s.cells[place]; c.window == 0 {
		c.window = nothing
		s.touched = append(s.touched, place)
	}
}

// near is how near the meaning of message d is to the question's, roughly: from -1 to 1.
func (l *look) near(d int32) float32 {
	if l.q.meaning.Known() == 0 {
		return 0
	}
	s := l.x.scratch
	if i := int(d) - int(l.x.size()) + len(s.apart); i >= 0 {
		return nearness(int(s.apart[i]))
	}
	in, n := l.x.at(d)
	return nearness(l.x.parts[in].sign(n).Distance(l.q.sign))
}

// nearness is 1 for equal signs, and 0 if half of them differ.
func nearness(distance int) float32 { return 1 - float32(distance)*(2.0/wordvec.Dim) }

// meanings sets the features for the meaning of the candidates.
func (l *look) meanings(all []candidate) {
	if l.q.meaning.Known() == 0 {
		return
	}
	best := float32(leastMeaning)
	for i := range all {
		c := &all[i]
		m := &l.x.scratch.cells[c.place].message
		worth := l.worth(m)
		c.features[fMeaning] = worth * l.cosine(c.doc)
		if m.prev >= 0 {
			c.features[fMeaningBefore] = worth * l.cosine(m.prev)
		}
		best = max(best, c.features[fMeaning])
	}
	for i := range all {
		f := &all[i].features
		f[fMeaningBest] = f[fMeaning] / best
		if l.q.kind == asksTime {
			f[fWhenMeaning] = f[fMeaning]
		}
		if l.q.several {
			f[fManyMeaning] = f[fMeaning]
		}
	}
}

// cosine is how near the meaning of message d is to the question's.
func (l *look) cosine(d int32) float32 {
	in, n := l.x.at(d)
	return l.q.meaning.CosineOf(l.x.parts[in].sense(n))
}

// leastMeaning is the cosine below which the best message is not near at all.
const leastMeaning = 0.1

// mean adds a word of the question to its meaning. Words that only form the question have
// no part in it.
func (q *question) mean(text string, w *language.Word) {
	if !language.Idle(string(w.Stem)) {
		q.mind.Add(text, w)
	}
}
