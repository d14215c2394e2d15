package recall

import (
	_ "embed" // the fitted models
	"math"
	"slices"

	"github.com/hermes-memory/hermes/internal/fitted"
	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/run"
)

//go:embed selector.txt
var selectorText string

//go:embed confidence.txt
var confidenceText string

// The fitted models. The selector orders the passages of one question. The confidence
// tells how probable it is that the best passage answers the question.
var (
	selector   = fitted.MustParse(selectorText, featureNames[:])
	confidence = fitted.MustParse(confidenceText, signNames[:])
)

// The signs by which the best passage of a question is judged.
const (
	sScore   = iota // its score
	sMargin         // how far it leads the best passage of another message
	sShare          // its share of the odds of all passages
	sCover          // weight of the question's words that it has, in any form
	sMissing        // weight of the heaviest word that it lacks
	sNames          // share of the question's names that it and its surroundings lack
	sForm           // it has the form asked for
	sNoForm         // it lacks it
	sCosine         // cosine of the meanings
	sHit            // its message is the first hit
	sAsksWho        // what is asked for
	sAsksWhere
	sAsksWhen
	sAsksNumber
	sAsksWhy
	sYesNo
	sManner
	sShort // the question has one content word
	sSelf  // the question speaks of the speaker
	sWide
	sFact    // memory took a fact from it
	sNewer   // newer passages cover the question as well
	sExact   // weight of the question's words that it has literally
	sNear    // weight of those that only its surroundings have
	sHead    // it lacks what "which" asks for
	sVerbs   // share of the question's verbs that it has
	sAsks    // it asks or requests something
	sOther   // it speaks of another person
	sNotSelf // it does not speak of the speaker who is asked about
	sRanking // how sure the ranking of messages is that there is an answer
	sDense   // share of its words that the question has
	sPairs
	sUnmet // weight of the question's words that no passage has
	sSoft
	sHeadSoft
	sCounted
	sHeir
	sNews
	sOffSubject
	sNoReason
	numSigns
)

// signNames are the signs in the weights file; never written.
var signNames = [numSigns]string{
	"score", "margin", "share", "cover", "missing", "names-missing", "form", "no-form", "cosine", "first-hit", "asks-who", "asks-where",
	"asks-when", "asks-number", "asks-why", "yes-or-no", "asks-how", "short", "self", "wide",
	"fact", "newer", "exact", "near", "head-missing", "verbs", "asks", "other-person", "not-self", "ranking", "dense", "pairs",
	"unmet", "soft", "head-soft", "counted", "heir", "news", "off-subject", "no-reason",
}

// weigh scores the passages of a question and sorts them, best first.
func (q *question) weigh(found []passage) {
	q.measure(found)
	q.rank(found, nil)
}

// rank sorts measured passages by their scores, best first. score replaces the selector;
// nil keeps it.
func (q *question) rank(found []passage, score func([]float32) float32) {
	if score == nil {
		score = selector.Score
	}
	for i := range found {
		found[i].score = score(found[i].values)
	}
	slices.SortStableFunc(found, func(a, b passage) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return b.before(&a) // newer first
	})
}

// signs are the values of the confidence model for passages in the order of their scores.
func (q *question) signs(found []passage) []float32 {
	v := make([]float32, numSigns)
	best := &found[0]
	v[sScore] = best.score
	rival, sum := best.score-5, 0.0
	for i := range found {
		p := &found[i]
		sum += math.Exp(float64(p.score - best.score))
		if p.seq != best.seq || p.root != best.root {
			rival = max(rival, p.score)
		}
	}
	v[sMargin] = best.score - rival
	v[sShare] = float32(1 / sum)
	v[sCover] = best.covered()
	v[sMissing] = best.values[fMissing]
	v[sNames] = best.values[fNamesNear]
	v[sForm] = max(best.values[fPerson], best.values[fPlace], best.values[fTime], best.values[fNumber], best.values[fAmount], best.values[fReason], best.values[fName])
	v[sNoForm] = max(best.values[fNoPerson], best.values[fNoPlace], best.values[fNoTime], best.values[fNoNumber], best.values[fNoAmount], best.values[fNoReason], best.values[fNoName])
	v[sCosine] = best.values[fCosine]
	v[sHit] = best.values[fFirst]
	v[sAsksWho], v[sAsksWhere] = truth(q.form&formPerson != 0), truth(q.form&formPlace != 0)
	v[sAsksWhen] = truth(q.form&formTime != 0)
	v[sAsksNumber] = truth(q.form&(formNumber|formMoney|formDuration|formFrequency) != 0)
	v[sAsksWhy] = truth(q.form&formReason != 0)
	v[sYesNo], v[sManner] = truth(q.yesNo), truth(q.form&formManner != 0)
	v[sShort] = truth(len(q.words) < 2)
	v[sSelf] = truth(q.cues&cueSelf != 0)
	v[sWide] = truth(q.wide)
	v[sFact], v[sNewer] = best.values[fFact], best.values[fNewer]
	v[sExact], v[sNear], v[sHead] = best.values[fCover], best.values[fNear], best.values[fHeadLacks]
	v[sVerbs], v[sAsks] = best.values[fVerbs], best.values[fAsks]
	v[sOther], v[sNotSelf] = max(best.values[fOther], best.values[fOnlySelf]), best.values[fNotSelf]
	v[sOffSubject] = best.values[fOffSubject]
	v[sRanking], v[sDense], v[sPairs] = q.sure, best.values[fDense], best.values[fPairs]
	v[sUnmet], v[sSoft], v[sHeadSoft], v[sCounted] = q.unmet, best.values[fSoft], best.values[fHeadSoft], best.values[fCounted]
	v[sNoReason] = best.values[fNoReason]
	v[sHeir], v[sNews] = best.values[fHeir], best.values[fNews]
	return v
}

const (
	// surely is the probability from which the best passage is the answer. An answer that
	// is wrong costs more than one that is offered as the closest.
	surely = 0.65
	// together is the sum of the probabilities of the two best passages from which they are
	// the answer, where neither alone is.
	together = 0.7
	// nearly is the probability from which the best passages are offered as the closest.
	nearly = 0.03
	// maxQuotes are the passages of an answer that is not sure.
	maxQuotes = 3
)

// choice is what a question is answered with.
type choice struct {
	kind     run.RecallKind
	passages []passage
	scores   []float32 // the probabilities of the passages
	// nothing is said instead of passages.
	nothing string
	// aim is what was asked for, if it was about memory.
	aim aim
}

// choose picks what answers the question from passages in the order of their scores.
func (q *question) choose(found []passage) choice {
	if len(found) == 0 {
		return choice{kind: run.RecallNone}
	}
	var c choice
	all := found
	found = all[:plainFirst(all)]
	probability := q.judge(found)
	if i := q.filler(found); i >= 0 {
		return choice{kind: run.RecallSure, passages: found[i : i+1 : i+1], scores: []float32{max(probability, surely)}}
	}
	led, isLed := q.ledBy(found, probability)
	if isLed && len(q.calendar) > 0 { // the models know few words of other languages
		return led
	}
	if c, ok := q.timed(found, probability); ok {
		return c
	}
	switch {
	case probability >= surely && found[0].mayAnswer():
		c.kind = run.RecallSure
		c.passages = []passage{shortest(found)}
	case !q.many && q.pairAnswers(found, probability):
		c.kind, c.passages = run.RecallSure, current(distinct(found, 2))
	case isLed:
		return led
	case probability >= nearly:
		c.kind, c.passages = run.RecallUnsure, nearest(all, maxQuotes)
	}
	if len(c.passages) == 0 {
		c.kind = run.RecallNone
	}
	for i := range c.passages {
		c.scores = append(c.scores, probability*c.passages[i].relative(&found[0]))
	}
	return c
}

// relative is how probable it is that a passage answers, as a share of the best one's
// probability. A part of the best passage answers as the whole does.
func (p *passage) relative(best *passage) float32 {
	if p.same(best) {
		return 1
	}
	return float32(math.Exp(min(0, float64(p.score-best.score))))
}

// current are two passages, or the newer one if both answer the question alike: what was
// said later holds. A better one that has more of the things asked of an owner holds, too.
func current(pair []passage) []passage {
	const alike = 0.8
	a, b := &pair[0], &pair[1]
	if a.things > b.things {
		return pair[:1]
	}
	if min(a.covered(), b.covered()) < alike*max(a.covered(), b.covered()) {
		return pair
	}
	if a.before(b) < 0 {
		return pair[1:]
	}
	return pair[:1]
}

// namesSibling reports whether a passage names only a sibling of what is asked for, which another one names: "dinner" where
// lunch is asked for.
func (q *question) namesSibling(p, other *passage) bool {
	return p.values[fCover] < other.values[fCover] && slices.ContainsFunc(q.words, func(w wanted) bool {
		there, _ := w.inside(other)
		here, _ := w.inside(p)
		return there > here && slices.ContainsFunc(p.words, func(o word) bool { return language.Siblings(w.stem, o.stem) })
	})
}

// covered is the weight of the question's words that a passage has, in any form.
func (p *passage) covered() float32 { return p.values[fCover] + p.values[fKin] }

// pairAnswers reports whether one of the two best passages surely answers, both said by the
// same side. probability is that of the best.
func (q *question) pairAnswers(found []passage, probability float32) bool {
	pair := distinct(found, 2)
	if len(pair) < 2 || pair[0].role != pair[1].role || !pair[0].mayAnswer() || !pair[1].mayAnswer() {
		return false
	}
	return probability*(1+pair[1].relative(&pair[0])) >= together
}

// mayAnswer reports whether a passage may be a sure answer. What was done is no answer to
// why it was done, and what another person does is none to what the user does.
func (p *passage) mayAnswer() bool {
	for _, f := range [...]int{fNoReason, fOffSubject, fSuppose} {
		if p.values[f] != 0 {
			return false
		}
	}
	return !p.unrelated && !p.elsewhen
}

// judge is the probability that the best of some weighed passages answers the question.
func (q *question) judge(found []passage) float32 {
	return fitted.Probability(confidence.Score(q.signs(found)))
}

// shortest is the best passage, or the shortest part of it that has as much of the
// question and of the form of an answer.
func shortest(found []passage) passage {
	best := &found[0]
	for i := range found {
		if p := &found[i]; p.within(&found[0]) && p.end-p.start < best.end-best.start && p.suffices(&found[0]) {
			best = p
		}
	}
	return *best
}

// within reports whether a passage is a part of another.
func (p *passage) within(o *passage) bool {
	return p.same(o) && o.start <= p.start && p.end <= o.end
}

// suffices reports whether a part of a passage answers as the whole does.
func (p *passage) suffices(whole *passage) bool {
	for _, f := range [...]int{fCover, fKin, fPerson, fPlace, fTime, fNumber, fAmount, fReason, fHead} {
		if p.values[f] < whole.values[f]-0.01 {
			return false
		}
	}
	return true
}

// distinct are the best passages of different messages.
func distinct(found []passage, limit int) []passage {
	var out []passage
	for i := range found {
		if len(out) == limit {
			break
		}
		p := &found[i]
		if !slices.ContainsFunc(out, func(o passage) bool { return o.root == p.root && o.seq == p.seq }) {
			out = append(out, *p)
		}
	}
	return out
}

// nearest are the passages that may be offered as the closest: the few best that have
// anything of the question.
func nearest(found []passage, limit int) []passage {
	return slices.DeleteFunc(distinct(found, limit), func(p passage) bool { return !p.touches() })
}

// touches reports whether a passage has anything of the question: a word, a word of the
// same meaning, or words whose vectors are near.
func (p *passage) touches() bool {
	const near = 0.35
	return p.covered()+p.values[fNear] > 0 || p.values[fSoft] >= near
}

// inOrder sorts passages by the time they were said.
func inOrder(passages []passage) []passage {
	slices.SortStableFunc(passages, func(a, b passage) int { return a.before(&b) })
	return passages
}
