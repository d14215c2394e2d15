package recall

import (
	"math"
	"slices"
)

// weighWords lowers the weight of words that many of the messages found have, and finds
// the weight of those that none has.
func (q *question) weighWords(found []passage) {
	messages := map[int64]bool{}
	for i := range found {
		messages[found[i].seq] = true
	}
	q.total, q.unmet = 0, 0
	for i := range q.words {
		w := &q.words[i]
		holders, like := map[int64]bool{}, float32(0)
		for k := range found {
			here, kin := w.inside(&found[k])
			if here > 0 {
				holders[found[k].seq] = true
			}
			like = max(like, here, kin)
		}
		common := float32(len(holders)) / float32(max(len(messages), 1))
		w.weight = w.whole * (1 - 0.6*common)
		q.total += w.weight
		q.unmet += w.weight * (1 - like)
	}
	q.unmet /= max(q.total, 0.1)
}

// measureWords sets the features of words.
func (q *question) measureWords(p *passage) {
	v := p.values
	var names, lacking, far, verbs, deeds float32
	for i := range q.words {
		w := &q.words[i]
		m := q.meet(w, p)
		share := w.weight / max(q.total, 0.1)
		v[fSoft] += float32(share * max(m.here, w.soft(p.words, func(*word) bool { return false })))
		v[fCover] += float32(share * m.here)
		v[fKin] += float32(share * m.kin)
		v[fNear] += float32(share * m.near)
		if !m.inPassage() && m.near == 0 {
			v[fMissing] = max(v[fMissing], w.weight)
		}
		if w.name {
			names++
			lacking += 1 - m.here
			far += 1 - max(m.here, m.near)
		}
		if w.verb {
			verbs++
			deeds += max(m.here, m.kin)
		}
		if i == q.head {
			v[fHead] = max(m.here, m.kin)
			v[fHeadLacks] = 1 - v[fHead]
			v[fHeadSoft] = w.soft(p.words, func(o *word) bool { return q.index(o.stem) >= 0 })
			v[fCounted] = truth(q.form&formNumber != 0 && w.counted(p.words))
		}
	}
	v[fNames], v[fNamesNear] = lacking/max(names, 1), far/max(names, 1)
	v[fVerbs] = deeds / max(verbs, 1)
	if q.wide {
		v[fWide] = v[fCover]
	}
}

// met is how a passage has a word of the question, each from 0 to 1: itself, in another
// word, and only in what surrounds the passage.
type met struct{ here, kin, near float32 }

// inPassage reports whether the passage itself has the word.
func (m met) inPassage() bool { return m.here > 0 || m.kin >= 0.5 }

// meet looks for a word of the question in a passage. An answer need not repeat a word that
// names its form.
func (q *question) meet(w *wanted, p *passage) (m met) {
	m.here, m.kin = w.inside(p)
	if w.form&p.forms != 0 && len(q.words) > 1 {
		m.kin = max(m.kin, 0.7*(1-m.here))
	}
	if m.inPassage() {
		return m
	}
	if there, like := w.in(p.near); there > 0 || like >= 0.5 {
		m.near = 1
	}
	return m
}

// measureText sets the features of a passage as a whole.
func (q *question) measureText(p *passage) {
	v := p.values
	content, known := 0, 0
	for i := range p.words {
		if p.words[i].stop {
			continue
		}
		content++
		if q.index(p.words[i].stem) >= 0 {
			known++
		}
	}
	v[fPairs] = q.pairs(p.words)
	v[fDense] = float32(known) / float32(max(content, 1))
	v[fNews] = min(1, float32(content-known)/4)
	v[fCosine] = max(0, p.vec.Cosine(&q.vec))
	v[fLong] = min(1, float32(math.Log1p(float64(len(p.words)))/5))
}

// in reports how well words hold a wanted word: itself, and else another word of its
// meaning.
func (w *wanted) in(words []word) (here, kin float32) {
	for i := range words {
		if words[i].stem == w.stem {
			return 1, 0
		}
	}
	for i := range words {
		if !words[i].stop {
			kin = max(kin, w.like(&words[i]))
		}
	}
	return 0, kin
}

// like is how near a word is to a wanted one, from 0 to 1: it may stand for the wanted one,
// or is a member of the kind that that names. Vectors do not count: they hold "father" for
// "mother".
func (w *wanted) like(o *word) float32 {
	if slices.Contains(w.others, o.stem) {
		return likeness
	}
	return 0
}

// pairs is the share of neighbouring words of the question that are near each other in
// the passage.
func (q *question) pairs(words []word) float32 {
	if len(q.words) < 2 {
		return 0
	}
	met := 0
	for i := range q.words[1:] {
		a, b := q.words[i].stem, q.words[i+1].stem
		last := -10
		for k := range words {
			if words[k].stem == a {
				last = k
			}
			if words[k].stem == b && k-last <= 4 {
				met++
				break
			}
		}
	}
	return float32(met) / float32(len(q.words)-1)
}
