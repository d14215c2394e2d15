package ranking

import (
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// senses are the meanings of the messages. They find what is said in other words than
// the question's.
type senses struct {
	docs  []wordvec.Vector    // per message
	signs []wordvec.Signature // per message
	under wordvec.Mean        // of the message being added
}

// senseBytes is the size of a message's meaning, in bytes.
const senseBytes = 117

// keep finishes the message being added.
func (s *senses) keep() {
	v := s.under.Vector()
	s.docs, s.signs = append(s.docs, v), append(s.signs, v.Signature())
	s.under = wordvec.Mean{}
}

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
	s, from := &x.scratch, max(0, len(x.docs)-mostMeant)
	var counts [wordvec.Dim + 1]int32 // of the messages at each distance
	s.apart = s.apart[:0]
	for _, sign := range x.senses.signs[from:] {
		apart := uint8(sign.Distance(q.sign))
		s.apart = append(s.apart, apart)
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
		s.admit(s.place(int32(from + i)))
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
	return 1 - float32(l.x.senses.signs[d].Distance(l.q.sign))*(2.0/wordvec.Dim)
}

// meanings sets the features for the meaning of the candidates.
func (l *look) meanings(all []candidate) {
	if l.q.meaning.Known() == 0 {
		return
	}
	best := float32(leastMeaning)
	for i := range all {
		c := &all[i]
		m := &l.x.docs[c.doc]
		worth := l.worth(m)
		c.features[fMeaning] = worth * l.q.meaning.Cosine(&l.x.senses.docs[c.doc])
		if m.prev >= 0 {
			c.features[fMeaningBefore] = worth * l.q.meaning.Cosine(&l.x.senses.docs[m.prev])
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

// leastMeaning is the cosine below which the best message is not near at all.
const leastMeaning = 0.1

// mean adds a word of the question to its meaning. Words that only form the question have
// no part in it.
func (q *question) mean(text string, w *language.Word) {
	if !language.Idle(string(w.Stem)) {
		q.mind.Add(text, w)
	}
}
