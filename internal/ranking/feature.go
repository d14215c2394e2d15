package ranking

import (
	"math"
	"slices"
)

// The features of a message for a question. Each is between about 0 and 1.
const (
	fWindow        = iota // question words in and around the message
	fWindowBest           // the window, relative to the best message
	fOwnBest              // words in the message itself, relative to the best message
	fCoverage             // weight of the distinct words in the message or next to it
	fBefore               // words in the message before
	fAnswer               // follows a question that has the words
	fEpisode              // the words of the question in the whole conversation
	fOpening              // among the first turns of a conversation
	fSpeaker              // said by the person whom the question asks about
	fOther                // said by another person
	fBoth                 // own words, when the question names more than one
	fSelf                 // is in the first person
	fDate                 // mentions a date that fits the question's
	fSaid                 // it was said at the question's date
	fTime                 // mentions a time, if the question asks for one
	fNumber               // holds a figure, when a number is asked
	fPerson               // holds a name, when a person is asked
	fPlace                // holds a name, when a place is asked
	fThing                // holds a name, when a thing is asked
	fTitle                // holds a title or a quotation, when a thing is asked
	fAsking               // is itself a question, of one person to another
	fLength               // length
	fRare                 // has words that are rare in the scope
	fSubject              // said by the person named first, if not named in a pair
	fLeads                // the next message looks good and may reply to this one
	fWhenBest             // fWindowBest, when a time is asked
	fWhenOwn              // fOwnBest, when a time is asked
	fWhenEpisode          // fEpisode, when a time is asked
	fManyWindow           // fWindow, when several things are asked for
	fManyOwn              // fOwnBest, then
	fManyLength           // fLength, then
	fManyRare             // fRare, then
	fManyOpening          // fOpening, then
	fDeed                 // weight of the distinct verbs in the message itself
	fResembles            // has words of the best messages
	fMeaning              // the meaning is near the question's
	fMeaningBest          // fMeaning, relative to the best message
	fMeaningBefore        // the meaning of the message before is near the question's
	fWhenMeaning          // fMeaning, when a time is asked
	fManyMeaning          // fMeaning, when several things are asked for
	fRequest              // is a question of the user to the assistant
	numFeatures
)

// features are the values for one message.
type features [numFeatures]float32

// look holds the values that the features of all candidates share.
type look struct {
	x           *Index
	q           *question
	total       float32 // weight of all terms: the score of a perfect match
	bestEpisode float32
	bestWindow  float32
	bestOwn     float32
}

// view prepares the features of candidates for a question.
func (x *Index) view(q *question) look {
	l := look{x: x, q: q, total: nothing, bestEpisode: nothing, bestWindow: nothing, bestOwn: nothing}
	for i := range q.terms {
		l.total += q.terms[i].idf
	}
	for _, p := range x.scratch.episodes {
		l.bestEpisode = max(l.bestEpisode, x.scratch.cells[p].episode)
	}
	for _, p := range x.scratch.touched {
		c := &x.scratch.cells[p]
		if c.window > l.bestWindow { // faster than max, which handles NaN
			l.bestWindow = c.window
		}
		if c.own > l.bestOwn {
			l.bestOwn = c.own
		}
	}
	return l
}

// rough is the score that selects the candidates: the weightiest features in a cheap
// form, in units of a full match. A score below least may be too low: the dates of a
// message are then not read, because reading them misses the cache.
func (l *look) rough(p int32, least float32) float32 {
	s := l.x.scratch
	l.x.see(s.cells[p].doc)
	first := l.x.episode(p)
	c := &s.cells[p]
	m := &c.message
	score := l.worth(m)*c.window/l.total + 0.2*s.cells[first].episode/l.bestEpisode
	if l.speaks(m.speaker) {
		score += 0.2
	}
	if len(l.q.spans) > 0 {
		if score += 0.4 * l.saidThen(c.doc); score+0.4 >= least {
			score += 0.4 * l.fits(c.doc)
		}
	}
	return score + roughMeaning*l.worth(m)*l.near(c.doc)
}

// roughMeaning is the weight of a message's meaning among the candidates. Half of it loses
// a third of a point of multi-hop R@10 on LoCoMo.
const roughMeaning = 0.6

// otherRoles is the weight of words by speakers other than the user in a chat with an
// assistant. Counting the user's words three times raised R@20 in long chats from 43 to
// 59: people ask about their own statements, and an assistant's text is long and general.
const otherRoles = 1.0 / 3

// worth is the weight of the message's words. If the question asks the assistant about
// its own words ("what did you suggest?"), all roles weigh the same.
func (l *look) worth(m *doc) float32 {
	if !l.x.known.mixed || m.traits&byUser != 0 || l.q.asksYou {
		return 1
	}
	return otherRoles
}

// speaks reports whether the question names a speaker.
func (l *look) speaks(speaker int32) bool { return slices.Contains(l.q.speakers, speaker) }

// features computes the features of the message of a cell.
func (l *look) features(p int32) (f features) {
	l.words(&f, p)
	first := l.x.episode(p)
	c := &l.x.scratch.cells[p]
	m, d := &c.message, c.doc
	f[fDeed] = l.worth(m) * l.verbs(d) / l.total
	l.speaker(&f, c, m)
	l.form(&f, m)
	if len(l.q.spans) > 0 {
		f[fDate], f[fSaid] = l.fits(d), l.saidThen(d)
	}
	f[fEpisode] = l.x.scratch.cells[first].episode / l.bestEpisode
	f[fOpening] = truth(m.opening)
	l.byQuestion(&f)
	return f
}

// words sets the features for the words of the question.
func (l *look) words(f *features, p int32) {
	s := l.x.scratch
	prev, next := l.x.before(p), l.x.after(p)
	c := &s.cells[p]
	worth := l.worth(&c.message)
	f[fWindow], f[fWindowBest] = worth*c.window/l.total, worth*c.window/l.bestWindow
	f[fOwnBest] = worth * c.own / l.bestOwn
	mask := c.matched
	if prev >= 0 {
		c := &s.cells[prev]
		mask |= c.matched
		f[fBefore] = c.own / l.total
		f[fAnswer] = worth * f[fBefore] * float32(c.message.asking) / shareWhole
	}
	if next >= 0 {
		mask |= s.cells[next].matched
	}
	for i := range l.q.terms {
		if mask&(1<<i) != 0 {
			f[fCoverage] += worth * l.q.terms[i].idf / l.total
		}
	}
}

// speaker sets the features for the speaker.
func (l *look) speaker(f *features, c *cell, m *doc) {
	if len(l.q.speakers) > 0 {
		if l.speaks(m.speaker) {
			f[fSpeaker] = 1
		} else if m.speaker >= 0 {
			f[fOther] = 1
		}
		if len(l.q.speakers) > 1 {
			f[fBoth] = c.own / l.total
			f[fSubject] = truth(!l.q.pair && m.speaker == l.q.speakers[0])
		}
	}
	f[fSelf] = m.has(firstPerson)
}

// form sets the features that do not depend on the words of the question.
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
	case asksThing:
		f[fThing], f[fTitle] = m.has(hasName), m.has(hasTitle)
	}
	if !l.x.known.mixed || m.traits&byUser == 0 { // users tell an assistant things in questions
		f[fAsking] = float32(m.asking) / shareWhole
	} else {
		f[fRequest] = float32(m.asking) / shareWhole
	}
	f[fLength] = min(1, float32(math.Log1p(float64(m.content)))/4)
	f[fRare] = float32(m.rare) / mostRare
}

// has is 1 if the message has the trait.
func (m *doc) has(t traits) float32 { return truth(m.traits&t != 0) }

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// score is the weighted sum of the features. Products are rounded before they are added, so
// that every machine gets the same score.
func (f *features) score(weights *features) float32 {
	var sum float32
	for i, v := range f {
		product := float32(v * weights[i])
		sum += product
	}
	return sum
}
