package recall

import (
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/wordvec"
)

// The features of a passage for a question. Each is between about −1 and 1. The names in
// featureNames are those of the weights file.
const (
	fCover      = iota // weight of the question's words that the passage has
	fKin               // weight of those that it has in other words
	fNear              // weight of those that only its surroundings have
	fMissing           // weight of the heaviest word that neither has
	fNames             // share of the question's names that the passage lacks
	fNamesNear         // share of them that its surroundings lack too
	fVerbs             // share of the question's verbs that it has
	fHead              // it names, or is a member of, what "which" asks for
	fHeadLacks         // it does not
	fBest              // its coverage relative to the best passage
	fDense             // share of its words that the question has
	fPairs             // share of neighbouring words of the question that are neighbours here
	fCosine            // cosine of the meanings
	fCosineBest        // that, relative to the best passage
	fRank              // place of the message among the hits
	fHit               // score of the message, relative to the best one's
	fFirst             // its message is the first hit
	fPerson            // a person is asked for, and named
	fNoPerson          // a person is asked for, and none is named
	fPlace             // and so on
	fNoPlace
	fTime
	fNoTime
	fNumber
	fNoNumber
	fAmount // money, a duration or a frequency is asked for, and given
	fNoAmount
	fReason
	fNoReason
	fName
	fNoName
	fNews       // how much it says that the question does not
	fSelf       // both speak of the speaker
	fNotSelf    // the question speaks of the speaker, the passage does not
	fOnlySelf   // the passage speaks of the speaker, the question does not
	fOther      // the passage speaks of another person, the question of the speaker
	fSubject    // the question's word that weighs most has the subject that the question has
	fOffSubject // it has another subject
	fAsks       // the passage asks or requests something
	fSuppose    // it supposes something, the question does not
	fDeny       // it denies something
	fUser       // the user said it
	fFact       // memory took a fact from it
	fOld        // that fact was replaced
	fOldAsked   // that fact was replaced, and an earlier state is asked for
	fHeir       // it replaced a passage that was found
	fNewer      // newer passages cover the question as well
	fOlder      // older passages do, and an earlier state is asked for
	fSoft       // weight of the question's words, each times its nearest word here
	fSoftBest   // that, relative to the best passage
	fHeadSoft   // how near a new word is to what "which" asks for
	fCounted    // a figure stands next to the word that is counted
	fDate       // it fits a date of the question
	fOffDate    // the question has a date that it does not fit
	fLong       // its length
	fWhole      // it is a whole message of several sentences
	fWide       // words in writing without spaces that it covers
	numFeatures
)

// featureNames are the features in the weights file; never written.
var featureNames = [numFeatures]string{
	"cover", "kin", "near", "missing", "names-missing", "names-missing-near", "verbs", "head", "head-missing", "cover-best", "dense", "pairs",
	"cosine", "cosine-best", "rank", "hit", "first-hit", "person", "no-person", "place", "no-place", "time", "no-time", "number", "no-number",
	"amount", "no-amount", "reason", "no-reason", "name", "no-name", "news", "self", "not-self", "only-self", "other-person", "subject", "off-subject", "asks", "supposes", "denies",
	"user", "fact", "replaced", "replaced-asked", "heir", "newer", "older-asked", "soft", "soft-best", "head-soft", "counted", "date", "off-date", "long", "whole", "wide",
}

// measure computes the features of all passages.
func (q *question) measure(found []passage) {
	q.weighWords(found)
	q.nameWords(found)
	bestCover, bestCosine, bestSoft := float32(1e-3), float32(1e-3), float32(1e-3)
	for i := range found {
		p := &found[i]
		p.values = make([]float32, numFeatures)
		q.measureForm(p)
		q.measureWords(p)
		q.measureText(p)
		q.measureSource(p)
		bestCover = max(bestCover, p.covered())
		bestCosine = max(bestCosine, p.values[fCosine])
		bestSoft = max(bestSoft, p.values[fSoft])
	}
	for i := range found {
		v := found[i].values
		v[fBest] = (v[fCover] + v[fKin]) / bestCover
		v[fCosineBest] = v[fCosine] / bestCosine
		v[fSoftBest] = v[fSoft] / bestSoft
	}
	q.yield(found)
	q.measureAge(found)
}

// formFeatures pairs what is asked for with its features; never written.
var formFeatures = [...]struct {
	form     form
	has, not int
}{
	{formPerson, fPerson, fNoPerson}, {formPlace, fPlace, fNoPlace}, {formTime, fTime, fNoTime}, {formNumber, fNumber, fNoNumber},
	{formMoney, fAmount, fNoAmount}, {formDuration, fAmount, fNoAmount}, {formFrequency, fAmount, fNoAmount}, {formReason, fReason, fNoReason}, {formName, fName, fNoName},
}

// measureForm sets the features of the form of the answer and of who is spoken of.
func (q *question) measureForm(p *passage) {
	v := p.values
	has := q.formsOf(p.text, p.words)
	if p.fact != nil && p.fact.Because != "" {
		has |= formReason
	}
	if p.fact != nil && !p.fact.When.IsZero() {
		has |= formTime
	}
	p.forms = has
	for _, one := range formFeatures {
		if q.form&one.form == 0 {
			continue
		}
		if has&one.form != 0 {
			v[one.has] = 1
		} else {
			v[one.not] = 1
		}
	}
	if v[fName] > 0 && !q.introduces(p.text, p.words) {
		v[fName] = 0.5
	}
	mine, its := q.cues&cueSelf != 0, p.cues&cueSelf != 0
	v[fSelf], v[fNotSelf], v[fOnlySelf] = truth(mine && its), truth(mine && !its), truth(!mine && its)
	v[fOther] = truth(mine && p.cues&cueOther != 0)
	if mine {
		switch q.subjectOf(p.words) {
		case cueSelf:
			v[fSubject] = 1
		case cueOther:
			v[fOffSubject] = 1
		}
	}
	v[fAsks] = truth(p.asks)
	v[fSuppose] = truth(p.cues&cueSuppose != 0 && q.cues&cueSuppose == 0)
	v[fDeny] = truth(p.cues&cueDeny != 0)
}

// measureSource sets the features of where a passage comes from.
func (q *question) measureSource(p *passage) {
	v := p.values
	v[fRank] = 1 / float32(1+p.rank)
	v[fHit] = p.hit
	v[fFirst] = truth(p.rank == 0)
	v[fUser] = truth(p.role == session.User)
	v[fWhole] = truth(p.whole)
	v[fHeir] = truth(p.heir && q.cues&cueBack == 0)
	if p.fact != nil {
		v[fFact] = truth(tellable(p.fact.Kind))
		old := !p.fact.Current()
		v[fOld] = truth(old && q.cues&cueBack == 0)
		v[fOldAsked] = truth(old && q.cues&cueBack != 0)
	}
	for _, d := range q.dates {
		if within(d, p.saidAt) || overlaps(d, q.when(p)) {
			v[fDate] = 1
		}
	}
	p.elsewhen = q.ofOtherTime(p) || q.span.closed() && v[fNotSelf] > 0
	v[fOffDate] = truth(len(q.dates) > 0 && v[fDate] == 0)
}

// rivals reports whether a passage may tell what another one tells: another message of the same side does, unless it alone
// yields.
func (p *passage) rivals(other *passage) bool {
	same := p.seq == other.seq && p.root == other.root
	return !same && p.role == other.role && (other.yields || !p.yields)
}

// measureAge sets the features of newer and older passages that cover the question as
// well: a later statement may have replaced an earlier one.
func (q *question) measureAge(found []passage) {
	const as = 0.8 // of its coverage is as well
	for i := range found {
		p := &found[i]
		least := as * p.covered()
		var newer, older float32
		for k := range found {
			o := &found[k]
			if o.covered() < least || !o.rivals(p) {
				continue
			}
			like := max(0, o.vec.Cosine(&p.vec))
			if o.before(p) > 0 {
				newer = max(newer, like)
			} else {
				older = max(older, like)
			}
		}
		if q.cues&cueBack == 0 {
			p.values[fNewer] = newer
		} else {
			p.values[fOlder] = older
		}
	}
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// tellable reports whether facts of a kind may be quoted as answers.
func tellable(k memory.Kind) bool {
	return k.Asserted() || k == memory.ThirdParty || k == memory.Negated
}

// soft is the cosine of the nearest word, at least 0. Words for which skip holds do not
// count.
func (w *wanted) soft(words []word, skip func(*word) bool) (nearest float32) {
	if w.vector < 0 {
		return 0
	}
	for i := range words {
		if o := &words[i]; !o.stop && o.vector >= 0 && !skip(o) {
			nearest = max(nearest, wordvec.Similarity(w.vector, o.vector))
		}
	}
	return nearest
}

// counted reports whether a figure stands just before the word, or a word like it.
func (w *wanted) counted(words []word) bool {
	for i := range words {
		if words[i].number || theLexicon().words[words[i].low]&formNumber != 0 {
			for k := i + 1; k < len(words) && k <= i+3; k++ {
				if words[k].stem == w.stem || w.like(&words[k]) > 0.5 {
					return true
				}
			}
		}
	}
	return false
}

// subjectOf is the person, the speaker or another, who is named last before the word of a
// passage that weighs most in the question: the subject of its clause as a rule.
func (q *question) subjectOf(words []word) cue {
	heaviest, at := float32(0), -1
	for i := range words {
		if n := q.index(words[i].stem); n >= 0 && q.words[n].weight > heaviest {
			heaviest, at = q.words[n].weight, i
		}
	}
	if at < 0 {
		return q.subjectOfKin(words)
	}
	return q.namedBefore(words, at)
}

// namedBefore is the person who is named last before a word.
func (q *question) namedBefore(words []word, at int) cue {
	subject := cue(0)
	for i := 0; i < at; i++ {
		w := &words[i]
		switch {
		case w.cues&(cueSelf|cueOther) != 0:
			subject = w.cues & (cueSelf | cueOther)
		case theLexicon().words[w.low]&formPerson != 0, isName(w) && q.index(w.stem) < 0:
			subject = cueOther
		}
	}
	return subject
}

// subjectOfKin is subjectOf for a passage that has a job where the question asks what somebody's
// work is. "My dentist" is another person.
func (q *question) subjectOfKin(words []word) cue {
	at := slices.IndexFunc(words, func(w word) bool { return jobs()[w.stem] })
	switch {
	case at < 0, !q.asksForJob():
		return 0
	case at > 0 && words[at-1].cues&cueSelf != 0:
		return cueOther
	}
	return q.namedBefore(words, at)
}

// asksForJob reports whether a question asks what somebody's work is.
func (q *question) asksForJob() bool {
	return slices.ContainsFunc(q.words, func(w wanted) bool { return slots()["job"].words[w.stem] })
}

// jobs are the stems of what people are by their work.
var jobs = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, stem := range language.Kinds(language.Stem("job")) {
		out[stem] = true
	}
	return out
})
