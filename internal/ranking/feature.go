package ranking

import "math"

// The features of a message for a question. Each lies about between 0 and 1.
const (
	fWindow      = iota // words of the question in and around the message
	fOwn                // words of the question in the message itself
	fCoverage           // weight of the distinct terms in the message or next to it
	fRarest             // the rarest term of the question is in the message
	fSpeaker            // said by the one the question asks about
	fSpeakerWord        // that, times the words
	fOther              // said by somebody else than the one asked about
	fEpisode            // the words of the question in the whole conversation
	fDate               // a date it speaks of fits the question's
	fSaid               // it was said at the question's date
	fTime               // speaks of a time, when that is asked
	fNumber             // holds a figure, when a number is asked
	fPerson             // holds a name, when a person is asked
	fPlace              // holds a name, when a place is asked
	fAsking             // is itself a question
	fAnswer             // follows a question that has the words
	fLength             // says much
	fSelf               // speaks in the first person
	fRole               // the user's, where an assistant talks too
	fOpening            // among the first turns of a conversation
	fBefore             // words in the message before
	fAfter              // words in the message after
	numFeatures
)

// features are the values for one message.
type features [numFeatures]float32

// look is what the features of all candidates share.
type look struct {
	x      *Index
	q      *question
	total  float32 // weight of all terms: what a perfect match would have
	best   float32 // the best episode's score
	rarest uint32  // the bit of the rarest term
}

// view prepares the features of candidates for a question.
func (x *Index) view(q *question) look {
	l := look{x: x, q: q, total: 1e-6, best: 1e-6}
	var top float32
	for i, t := range q.terms {
		l.total += t.idf
		if t.idf > top {
			top, l.rarest = t.idf, uint32(1)<<i
		}
	}
	for _, e := range x.scratch.episodes {
		l.best = max(l.best, x.scratch.episode[e])
	}
	return l
}

// rough is the score that chooses the candidates.
func (l *look) rough(d int32) float32 {
	s, m := &l.x.scratch, &l.x.docs[d]
	score := s.window[d]/l.total + 0.2*s.episode[m.episode]/l.best
	if l.speaks(m) {
		score += 0.2
	}
	if len(l.q.spans) > 0 {
		score += 0.4*l.fits(m) + 0.4*l.saidThen(m)
	}
	return score
}

// speaks reports whether the message is by somebody the question names.
func (l *look) speaks(m *doc) bool {
	for _, s := range l.q.speakers {
		if s == m.speaker {
			return true
		}
	}
	return false
}

// features computes the features of message d.
func (l *look) features(d int32) (f features) {
	s, m := &l.x.scratch, &l.x.docs[d]
	f[fWindow] = s.window[d] / l.total
	f[fOwn] = s.own[d] / l.total
	mask := s.matched[d]
	if m.prev >= 0 {
		mask |= s.matched[m.prev]
		f[fBefore] = s.own[m.prev] / l.total
		f[fAnswer] = f[fBefore] * float32(l.x.docs[m.prev].asking) / shareWhole
	}
	if m.next >= 0 {
		mask |= s.matched[m.next]
		f[fAfter] = s.own[m.next] / l.total
	}
	f[fCoverage] = l.weight(mask) / l.total
	f[fRarest] = truth(s.matched[d]&l.rarest != 0)
	if len(l.q.speakers) > 0 {
		if l.speaks(m) {
			f[fSpeaker], f[fSpeakerWord] = 1, f[fWindow]
		} else if m.speaker >= 0 {
			f[fOther] = 1
		}
	}
	f[fEpisode] = s.episode[m.episode] / l.best
	if len(l.q.spans) > 0 {
		f[fDate], f[fSaid] = l.fits(m), l.saidThen(m)
	}
	l.form(&f, m)
	f[fOpening] = truth(d-l.x.episodes[m.episode].first < 2)
	return f
}

// form sets the features that need no words of the question.
func (l *look) form(f *features, m *doc) {
	switch l.q.kind {
	case asksTime:
		f[fTime] = m.has(namesTime)
	case asksNumber:
		f[fNumber] = m.has(hasNumber)
	case asksPerson:
		f[fPerson] = m.has(hasName)
	case asksPlace:
		f[fPlace] = m.has(hasName)
	}
	f[fAsking] = float32(m.asking) / shareWhole
	f[fLength] = min(1, float32(math.Log1p(float64(m.content)))/4)
	f[fSelf] = m.has(firstPerson)
	f[fRole] = m.has(byUser)
}

// has is 1 if the message has the trait.
func (m *doc) has(t traits) float32 { return truth(m.traits&t != 0) }

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// weight sums the terms of a set.
func (l *look) weight(mask uint32) float32 {
	var sum float32
	for i := range l.q.terms {
		if mask&(1<<i) != 0 {
			sum += l.q.terms[i].idf
		}
	}
	return sum
}

// score is the weighted sum of the features.
func (f *features) score() float32 {
	var sum float32
	for i, v := range f {
		sum += v * weights[i]
	}
	return sum
}
