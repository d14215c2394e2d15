package memory

import (
	"math/bits"
	"time"
)

// linkFeature is a feature of a pair of statements: an older one that still holds, and a
// newer one that may end it.
type linkFeature uint8

// The features, in the order of their names.
const (
	sharedOfNewer linkFeature = iota // part of the newer statement's weight that both share
	sharedOfOlder                    // the same of the older statement
	sharedRarest                     // weight of the rarest shared word
	sharedName
	headInOlder
	headInNewer
	sameHead
	sameSubject
	sameSlot
	sameSlotValue
	kindOther   // each names another thing of one kind
	kindSame    // both name one
	figureUnit  // figures of the same unit that differ
	figureShape // figures that are written alike and differ
	figureNear  // figures that differ, by a shared word
	figureSame
	figureStep // the newer names a figure of the older, and another
	dayNear    // dates that differ, by a shared word
	daySame
	leavesOlder
	arrivesNew
	arrivesKnown
	cueEnd
	cueWrong
	cueAgain
	cueMeanwhile
	cueStill
	cueOutsider
	outsiderOnly // the newer is about other people, the older is not
	cueUnsure
	olderUnsure
	negatedNewer
	negatedOlder
	pastOlder
	bothWishes
	sameMessage
	sameSitting // said within an hour
	samePerson
	daysBetween
	lengthOlder
	alone        // no other candidate shares half as much
	newestNear   // the newest of those that share nearly as much
	contextNewer // shared by the older statement and the rest of the newer one's message
	contextOlder // shared by the newer statement and the rest of the older one's message
	changeNear   // products: a cue of change, and words shared
	endNear
	begunNear
	postponedNear
	wrongNear
	otherChange
	otherWrong
	dayDenied
	otherAlso
	emptyNewer // only the older statement has values
	ownOlder   // only the older statement is about the speaker
	numLinkFeatures
)

// linkFeatureNames are the names of the features in the file of weights; never written.
var linkFeatureNames = [numLinkFeatures]string{
	"shared-of-newer", "shared-of-older", "shared-rarest", "shared-name", "head-in-older", "head-in-newer", "same-head",
	"same-subject", "same-slot", "same-slot-value", "kind-other", "kind-same", "figure-unit", "figure-shape", "figure-near",
	"figure-same", "figure-step", "day-near", "day-same", "leaves-older", "arrives-new", "arrives-known", "cue-end",
	"cue-wrong", "cue-again", "cue-meanwhile", "cue-still", "cue-outsider", "outsider-only", "cue-unsure", "older-unsure",
	"negated-newer", "negated-older", "past-older", "both-wishes", "same-message", "same-sitting", "same-person",
	"days-between", "length-older", "alone", "newest-near", "context-newer", "context-older", "change-near", "end-near",
	"begun-near", "postponed-near", "wrong-near", "other-change", "other-wrong", "day-denied", "other-also", "empty-newer",
	"own-older",
}

// linkValues are the values of the features of one pair.
type linkValues [numLinkFeatures]float32

func (v *linkValues) when(f linkFeature, holds bool) {
	if holds {
		v[f] = 1
	}
}

// The cues of the features.
var (
	changeCues    = cuesOf(tagNow, tagSwitch, tagSwap, tagAssign, tagTakesOver)
	endCues       = cuesOf(tagNoLonger, tagMinus, tagGone, tagEnded)
	wrongCues     = cuesOf(tagCorrection, tagWrong)
	againCues     = cuesOf(tagAgain)
	begunCues     = cuesOf(tagBegun, tagPlus)
	postponedCues = cuesOf(tagPostponed)
	alsoCues      = cuesOf(tagAlso)
	meanwhileCues = cuesOf(tagMeanwhile)
	stillCues     = cuesOf(tagStill)
	outsiderCues  = cuesOf(tagOutsider, tagRelation, tagHe)
	ownCues       = cuesOf(tagI, tagWe, tagMy, tagOur)
	unsureCues    = cuesOf(tagIf, tagHedge)
	pastCues      = cuesOf(tagPast)
	negationCues  = cuesOf(tagNeg, tagHates)
)

// compare sets the features that depend on the two facts alone. weights are the weights
// of the newer fact's terms.
func (s *State) compare(o, n int32, weights *[maxTerms]float32, v *linkValues) {
	was, now := &s.signatures[o], &s.signatures[n]
	var space [maxTerms]meeting
	shared := overlap(was, now, weights, v, space[:0])
	was.compareFigures(now, shared, v)
	was.compareDays(now, shared, v)
	for _, k := range s.siblings(n) {
		v[contextNewer] = max(v[contextNewer], coverage(was, &s.signatures[k]))
	}
	for _, k := range s.siblings(o) {
		v[contextOlder] = max(v[contextOlder], coverage(&s.signatures[k], now))
	}
	compareCues(was.cues, now.cues, v)
	compareFacts(&s.facts[o], &s.facts[n], v)
	v.when(emptyNewer, was.valued() && !now.valued() && !now.cues.any(endCues|negationCues))
	if v[emptyNewer] > 0 || now.cues.any(alsoCues) || was.numFigures > 0 && now.numFigures == 0 {
		v[sameSlot] = 0 // another remark on the same thing
	}
	v[lengthOlder] = float32(bits.Len16(was.words))
}

// overlap compares the terms of two statements. Both lists are sorted. It returns where
// the shared ones stand.
func overlap(was, now *signature, weights *[maxTerms]float32, v *linkValues, shared []meeting) []meeting {
	var c comparison
	theirs, ours := was.terms[:was.numTerms], now.terms[:now.numTerms]
	i := 0
	for k := range ours {
		t := &ours[k]
		for ; i < len(theirs) && theirs[i].stem < t.stem; i++ {
			c.older += theirs[i].weight()
		}
		if i == len(theirs) || theirs[i].stem != t.stem {
			c.newer += weights[k]
			v.when(arrivesNew, v[arrivesNew] > 0 || t.flags.has(arrivingTerm) && !t.flags.has(operatorTerm))
			continue
		}
		c.both(&theirs[i], weights[k])
		v[sharedRarest] = max(v[sharedRarest], weights[k])
		v.flag(&theirs[i], t)
		if !t.flags.has(operatorTerm | datedTerm) {
			shared = append(shared, meeting{was.at[i], now.at[k]})
		}
		i++
	}
	for ; i < len(theirs); i++ {
		c.older += theirs[i].weight()
	}
	c.enter(v)
	v.when(kindOther, v[kindSame] == 0 && otherOfKind(theirs, ours))
	return shared
}

// comparison sums up the weights of the terms of two statements.
type comparison struct{ newer, older, sharedNewer, sharedOlder float32 }

func (c *comparison) both(was *term, weight float32) {
	c.newer += weight
	c.sharedNewer += weight
	c.older += was.weight()
	c.sharedOlder += was.weight()
}

// enter sets the features of the sums.
func (c *comparison) enter(v *linkValues) {
	if c.newer > 0 {
		v[sharedOfNewer] = c.sharedNewer / c.newer
	}
	if c.older > 0 {
		v[sharedOfOlder] = c.sharedOlder / c.older
	}
}

// coverage is the part of the newer statement's weight that the older one shares.
func coverage(was, now *signature) float32 {
	theirs, ours := was.terms[:was.numTerms], now.terms[:now.numTerms]
	whole, shared, i := float32(0), float32(0), 0
	for k := range ours {
		w := ours[k].weight()
		whole += w
		for i < len(theirs) && theirs[i].stem < ours[k].stem {
			i++
		}
		if i < len(theirs) && theirs[i].stem == ours[k].stem {
			shared += w
		}
	}
	if whole == 0 {
		return 0
	}
	return shared / whole
}

// flag sets the features of a shared term.
func (v *linkValues) flag(was, now *term) {
	v.when(sharedName, v[sharedName] > 0 || now.flags.has(nameTerm))
	v.when(headInOlder, v[headInOlder] > 0 || now.flags.has(headTerm))
	v.when(headInNewer, v[headInNewer] > 0 || was.flags.has(headTerm))
	v.when(sameHead, v[sameHead] > 0 || now.flags.has(headTerm) && was.flags.has(headTerm))
	v.when(kindSame, v[kindSame] > 0 || now.kind != 0)
	things := !now.flags.has(operatorTerm | datedTerm)
	v.when(leavesOlder, v[leavesOlder] > 0 || things && now.flags.has(leavingTerm))
	v.when(arrivesKnown, v[arrivesKnown] > 0 || things && now.flags.has(arrivingTerm))
}

// otherOfKind reports whether both statements name a thing of one kind.
func otherOfKind(theirs, ours []term) bool {
	for i := range theirs {
		for k := range ours {
			if theirs[i].kind != 0 && theirs[i].kind == ours[k].kind {
				return true
			}
		}
	}
	return false
}

// weight is the weight of a term by how common the word is in general, at most 1.
func (t *term) weight() float32 {
	w := float32(1)
	if t.word != noWord {
		w = float32(int(t.word)+1) / float32(int(t.word)+1+commonRank)
	}
	switch {
	case t.flags.has(datedTerm):
		return w / 8
	case t.flags.has(operatorTerm):
		return w / 4
	}
	return w
}

// commonRank is the rank of a word with half the weight of a very rare one.
const commonRank = 500

// meeting is a shared term: where it stands in the older and in the newer statement.
type meeting struct{ was, now uint8 }

// meets reports whether two places are by one shared term.
func meets(shared []meeting, was, now uint8) bool {
	for _, m := range shared {
		if near(m.was, was) && near(m.now, now) {
			return true
		}
	}
	return false
}

// compareFigures compares the numbers of two statements.
func (g *signature) compareFigures(now *signature, shared []meeting, v *linkValues) {
	for i := range g.figures[:g.numFigures] {
		for k := range now.figures[:now.numFigures] {
			a, b := &g.figures[i], &now.figures[k]
			if a.value == b.value {
				v[figureSame] = 1
				continue
			}
			v.when(figureUnit, v[figureUnit] > 0 || a.unit != 0 && a.unit == b.unit)
			v.when(figureShape, v[figureShape] > 0 || a.shape != 0 && a.shape == b.shape)
			v.when(figureNear, v[figureNear] > 0 || meets(shared, a.at, b.at))
		}
	}
	v.when(figureStep, v[figureSame] > 0 && max(v[figureUnit], v[figureShape], v[figureNear]) > 0)
}

// compareDays compares the dates of two statements.
func (g *signature) compareDays(now *signature, shared []meeting, v *linkValues) {
	for i := range g.days[:g.numDays] {
		for k := range now.days[:now.numDays] {
			a, b := g.days[i], now.days[k]
			same := a.from < b.to && b.from < a.to
			v.when(daySame, v[daySame] > 0 || same)
			v.when(dayNear, v[dayNear] > 0 || !same && meets(shared, a.at, b.at))
		}
	}
}

func compareCues(was, now cueSet, v *linkValues) {
	v.when(cueEnd, now.any(endCues))
	v.when(cueWrong, now.any(wrongCues))
	v.when(cueAgain, now.any(againCues))
	v.when(cueMeanwhile, now.any(meanwhileCues))
	v.when(cueStill, now.any(stillCues))
	v.when(cueOutsider, now.any(outsiderCues))
	v.when(outsiderOnly, now.any(outsiderCues) && !was.any(outsiderCues))
	v.when(cueUnsure, now.any(unsureCues))
	v.when(olderUnsure, was.any(unsureCues))
	v.when(negatedNewer, now.any(negationCues))
	v.when(negatedOlder, was.any(negationCues))
	v.when(pastOlder, was.any(pastCues))
	v.when(ownOlder, was.any(ownCues) && !now.any(ownCues))
	v.when(samePerson, now.any(ownCues) && was.any(ownCues))
}

func compareFacts(was, now *Fact, v *linkValues) {
	v.when(sameSubject, now.Subject != "" && now.Subject != subjectWe && now.Subject != subjectI && now.Subject == was.Subject)
	slot := now.Attribute != "" && now.Subject == was.Subject && now.Attribute == was.Attribute
	v.when(sameSlot, slot && now.Value != was.Value)
	v.when(sameSlotValue, slot && now.Value == was.Value)
	wish, wished := isWish(now.Kind), isWish(was.Kind)
	v.when(bothWishes, wish && wished)
	apart := now.Source.Seq - was.Source.Seq
	close := now.Source.Root == was.Source.Root && apart >= 0 && apart <= Reach
	v.when(sameMessage, close && apart == 0)
	hours := max(0, now.SaidAt.UnixMilli()-was.SaidAt.UnixMilli()) / int64(time.Hour/time.Millisecond)
	v.when(sameSitting, hours == 0)
	v[daysBetween] = float32(bits.Len64(uint64(hours/24))) / 4
}

func isWish(k Kind) bool { return k == Instruction || k == Preference }

// combine sets the features that are products of others. now are the cues of the newer
// statement.
func (v *linkValues) combine(now cueSet) {
	shared := max(v[sharedOfNewer], v[sharedOfOlder])
	other := max(v[kindOther], v[figureUnit], v[figureShape], v[figureNear], v[dayNear], v[sameSlot])
	v[endNear] = float32(v[cueEnd] * shared)
	v[wrongNear] = float32(v[cueWrong] * shared)
	v[otherWrong] = float32(other * v[cueWrong])
	if now.any(changeCues) {
		v[changeNear] = shared
	}
	if now.any(begunCues) {
		v[begunNear] = shared
	}
	if now.any(postponedCues) {
		v[postponedNear] = shared
	}
	v.when(otherChange, other > 0 && now.any(changeCues|postponedCues|againCues|begunCues))
	v.when(otherAlso, other > 0 && now.any(alsoCues))
	v.when(dayDenied, v[daySame] > 0 && now.any(endCues|postponedCues|negationCues))
}

// valued reports whether a statement names anything that can be another one.
func (g *signature) valued() bool {
	if g.numFigures > 0 || g.numDays > 0 {
		return true
	}
	for i := range g.terms[:g.numTerms] {
		if t := &g.terms[i]; t.kind != 0 || t.flags.has(nameTerm) {
			return true
		}
	}
	return false
}
