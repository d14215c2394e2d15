package memory

import (
	"math/bits"
	"time"
)

// linkFeature is a feature of a pair of statements: an older one that still holds, and a
// newer one that may end it.
type linkFeature uint8

// The features, in the order of their names. Weights of words are those of term.weight;
// "rare" ones also count how many facts of the scope have the word.
const (
	sharedOfNewer linkFeature = iota // part of the newer statement's rare weight that both share
	sharedOfOlder                    // part of the older statement's weight
	sharedCount                      // number of shared words, in bits
	sharedName                       // a shared word is a name
	headInOlder                      // the newer statement's first word is shared
	anchor                           // rare weight of the rarest shared word
	onlyFact                         // weight of a shared word that no other fact has
	unseenOfNewer                    // part of the newer statement's weight that no fact has
	clauseOfNewer                    // as sharedOfNewer, in the clause that shares most
	clauseOfOlder                    // as sharedOfOlder, in the clause that shares most
	contextNewer                     // shared by the older statement and the rest of the newer one's message
	contextOlder                     // shared by the newer statement and the rest of the older one's message
	conflict                         // both name a value of one sort, and another one
	sameSlot                         // the values of one slot differ
	figureStep                       // the newer names a figure of the older, and another
	leavesOlder                      // behind "from" or "instead of" stands a word of the older
	arrivesNew                       // behind "to" or "into" stands a word that the older lacks
	changeNewer                      // the newer has a cue of change
	cueAgain
	cueMeanwhile
	cueUnsure
	pastOlder
	ownOlder // only the older statement is about the speaker
	ownNewer
	daysBetween
	lengthNewer
	rankShared   // how many candidates share more, in bits
	nearerCosine // how much nearer in meaning the nearest candidate is
	newestNear   // the newest of those that share nearly as much
	changeNear   // products: a cue, and the part of the words that is shared
	endNear
	changeClause   // a cue of change in the clause that shares most
	changeAnchor   // any cue, and the anchor
	changeConflict // any cue, and a conflict
	anchorConflict // any cue, a conflict, and the anchor
	numLinkFeatures
)

// linkFeatureNames are the names of the features in the file of weights; never written.
var linkFeatureNames = [numLinkFeatures]string{
	"shared-of-newer", "shared-of-older", "shared-count", "shared-name", "head-in-older", "anchor", "only-fact", "unseen-of-newer",
	"clause-of-newer", "clause-of-older", "context-newer", "context-older", "conflict", "same-slot", "figure-step", "leaves-older",
	"arrives-new", "change-newer", "cue-again", "cue-meanwhile", "cue-unsure", "past-older", "own-older", "own-newer",
	"days-between", "length-newer", "rank-shared", "nearer-cosine", "newest-near", "change-near", "end-near", "change-clause",
	"change-anchor", "change-conflict", "anchor-conflict",
}

// linkValues are the values of the features of one pair.
type linkValues [numLinkFeatures]float32

func (v *linkValues) when(f linkFeature, holds bool) {
	if holds {
		v[f] = 1
	}
}

// The cues of the features, and those of [News].
var (
	changeCues    = cuesOf(tagNow, tagSwitch, tagSwap, tagAssign, tagTakesOver)
	endCues       = cuesOf(tagNoLonger, tagMinus, tagGone, tagEnded)
	againCues     = cuesOf(tagAgain)
	wrongCues     = cuesOf(tagCorrection, tagWrong)
	begunCues     = cuesOf(tagBegun, tagPlus)
	postponedCues = cuesOf(tagPostponed)
	stillCues     = cuesOf(tagStill)
	outsiderCues  = cuesOf(tagOutsider, tagRelation, tagHe)
	alsoCues      = cuesOf(tagAlso)
	meanwhileCues = cuesOf(tagMeanwhile)
	ownCues       = cuesOf(tagI, tagWe, tagMy, tagOur)
	unsureCues    = cuesOf(tagIf, tagHedge)
	pastCues      = cuesOf(tagPast)
	negationCues  = cuesOf(tagNeg, tagHates)
	// turnCues say in any way that something is other than before.
	turnCues = changeCues | endCues | againCues | postponedCues | begunCues | wrongCues
)

// pairing compares an older statement with a newer one.
type pairing struct {
	l        *lexicon
	was, now *signature
	rare     *rareTerms // of the newer statement
	older    weights    // of the older statement
	// partner is the older statement's term that equals one of the newer; -1 for none.
	partner [maxTerms]int8
	v       *linkValues
}

// compare sets the features that depend on the two facts alone. rare are the newer fact's
// terms.
func (s *State) compare(was, now *record, rare *rareTerms, v *linkValues) {
	p := pairing{l: s.l, was: s.signature(was), now: s.signature(now), rare: rare, v: v}
	p.older = p.was.weigh()
	p.match()
	p.words()
	p.clauses()
	for _, near := range s.beside(now) {
		beside := weighTerms(near)
		v[contextNewer] = max(v[contextNewer], coverage(p.was.termList(), near, &beside))
	}
	for _, near := range s.beside(was) {
		v[contextOlder] = max(v[contextOlder], coverage(near, p.now.termList(), &p.rare.plain))
	}
	p.slot(&was.Fact, &now.Fact)
	v.when(conflict, v[sameSlot] > 0 || p.otherFigure() || p.otherDay() || p.otherOfKind())
	p.cues()
	v[lengthNewer] = float32(bits.Len16(p.now.words))
	days := max(0, now.SaidAt.UnixMilli()-was.SaidAt.UnixMilli()) / (24 * time.Hour).Milliseconds()
	v[daysBetween] = float32(bits.Len64(uint64(days))) / 4
}

// match finds the partners. Both lists of terms are sorted.
func (p *pairing) match() {
	i := 0
	for k := range p.now.terms[:p.now.numTerms] {
		stem := p.now.terms[k].stem
		for i < int(p.was.numTerms) && p.was.terms[i].stem < stem {
			i++
		}
		p.partner[k] = -1
		if i < int(p.was.numTerms) && p.was.terms[i].stem == stem {
			p.partner[k] = int8(i)
		}
	}
}

// words sets the features of shared and of new words.
func (p *pairing) words() {
	v := p.v
	var newer, unseen, shared, sharedOlder float32
	count := uint(0)
	for k := range p.now.terms[:p.now.numTerms] {
		t, w := &p.now.terms[k], p.rare.plain.of[k]
		newer += p.rare.of[k].weight
		facts, thing := p.rare.of[k].facts, !t.flags.has(operatorTerm)
		if facts == 0 {
			unseen += w
		}
		if p.partner[k] < 0 {
			v.when(arrivesNew, v[arrivesNew] > 0 || thing && t.flags.has(arrivingTerm))
			continue
		}
		shared += p.rare.of[k].weight
		sharedOlder += p.older.of[p.partner[k]]
		v.when(sharedName, v[sharedName] > 0 || t.flags.has(nameTerm))
		v.when(headInOlder, v[headInOlder] > 0 || t.flags.has(headTerm))
		if !thing || t.flags.has(datedTerm) {
			continue
		}
		v.when(leavesOlder, v[leavesOlder] > 0 || t.flags.has(leavingTerm))
		if t.kind != weekdayKind {
			count++
			v[anchor] = max(v[anchor], p.rare.of[k].weight)
		}
		if facts == 1 {
			v[onlyFact] = max(v[onlyFact], w)
		}
	}
	v[sharedOfNewer], v[sharedOfOlder] = portion(shared, newer), portion(sharedOlder, p.older.all)
	v[unseenOfNewer] = portion(unseen, p.rare.plain.all)
	v[sharedCount] = float32(bits.Len(count))
}

// portion is a part of a whole; 0 of nothing.
func portion(some, whole float32) float32 {
	if whole == 0 {
		return 0
	}
	return some / whole
}

// clauses sets the features of the clauses that share most.
func (p *pairing) clauses() {
	var sharedOlder, sharedNewer [maxParts]float32
	for k, i := range p.partner[:p.now.numTerms] {
		if i >= 0 {
			sharedNewer[p.now.part[k]] += p.rare.plain.of[k]
			sharedOlder[p.was.part[i]] += p.older.of[i]
		}
	}
	i, k := largest(&sharedOlder), largest(&sharedNewer)
	p.v[clauseOfOlder], p.v[clauseOfNewer] = portion(sharedOlder[i], p.older.ofPart[i]), portion(sharedNewer[k], p.rare.plain.ofPart[k])
	p.v.when(changeClause, sharedNewer[k] > 0 && p.now.partCues[k].any(changeCues))
}

// largest is the place of the first largest number.
func largest(of *[maxParts]float32) int {
	best := 0
	for i := range of {
		if of[i] > of[best] {
			best = i
		}
	}
	return best
}

// coverage is the part of the newer statement's weight that the older one shares. newer are
// the weights of the newer one.
func coverage(was, now []term, newer *weights) float32 {
	shared, i := float32(0), 0
	for k := range now {
		stem := now[k].stem
		for i < len(was) && was[i].stem < stem {
			i++
		}
		if i < len(was) && was[i].stem == stem {
			shared += newer.of[k]
		}
	}
	return portion(shared, newer.all)
}

// weights are the weights of a statement's terms. They are computed for a comparison, and not
// held with each fact: they would take 80 bytes of memory.
type weights struct {
	of     [maxTerms]float32
	ofPart [maxParts]float32 // of the terms of each clause, together
	all    float32
}

// weigh is the weights of a signature's terms.
func (g *signature) weigh() weights {
	w := weighTerms(g.termList())
	for i := range g.termList() {
		w.ofPart[g.part[i]] += w.of[i]
	}
	return w
}

// weighTerms is the weights of the terms of a statement, without those of its clauses.
func weighTerms(terms []term) (w weights) {
	for i := range terms {
		w.of[i] = terms[i].weight()
		w.all += w.of[i]
	}
	return w
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

// otherOfKind reports whether both statements name things of one kind, and share none.
func (p *pairing) otherOfKind() bool {
	other := false
	for k := range p.now.terms[:p.now.numTerms] {
		kind := p.now.terms[k].kind
		if kind == 0 {
			continue
		}
		if p.partner[k] >= 0 {
			return false
		}
		for i := range p.was.terms[:p.was.numTerms] {
			other = other || p.was.terms[i].kind == kind
		}
	}
	return other
}

// otherFigure reports whether the statements have figures that differ and measure the
// same: of one unit, of one writing, or by a shared word. It notes the step from a figure
// that both name to another.
func (p *pairing) otherFigure() bool {
	other, same := false, false
	for i := range p.was.figures[:p.was.numFigures] {
		for k := range p.now.figures[:p.now.numFigures] {
			a, b := &p.was.figures[i], &p.now.figures[k]
			if a.value == b.value {
				same = true
				continue
			}
			other = other || a.measuresLike(b) || p.meet(a.at, b.at)
		}
	}
	p.v.when(figureStep, same && other)
	return other
}

// measuresLike reports whether two figures have one unit, or one writing.
func (f *figure) measuresLike(o *figure) bool {
	sameUnit, sameShape := f.unit == o.unit, f.shape == o.shape
	return f.unit != 0 && sameUnit || f.shape != 0 && sameShape
}

// meet reports whether two places, in the older and in the newer statement, are by one
// shared thing.
func (p *pairing) meet(was, now uint8) bool {
	for k, i := range p.partner[:p.now.numTerms] {
		if i >= 0 && !p.now.terms[k].flags.has(operatorTerm|datedTerm) && near(p.was.at[i], was) && near(p.now.at[k], now) {
			return true
		}
	}
	return false
}

// otherDay reports whether both statements have dates, and no common one.
func (p *pairing) otherDay() bool {
	for i := range p.was.days[:p.was.numDays] {
		for k := range p.now.days[:p.now.numDays] {
			if p.was.days[i].from < p.now.days[k].to && p.now.days[k].from < p.was.days[i].to {
				return false
			}
		}
	}
	return p.was.numDays > 0 && p.now.numDays > 0
}

// cues sets the features of cues, and their products with others.
func (p *pairing) cues() {
	v, was, now := p.v, p.was.cues, p.now.cues
	v.when(cueAgain, now.any(againCues))
	v.when(cueMeanwhile, now.any(meanwhileCues))
	v.when(cueUnsure, now.any(unsureCues))
	v.when(pastOlder, was.any(pastCues))
	v.when(ownNewer, now.any(ownCues))
	v.when(ownOlder, was.any(ownCues) && !now.any(ownCues))
	shared := max(v[sharedOfNewer], v[sharedOfOlder])
	if now.any(endCues) {
		v[endNear] = shared
	}
	if now.any(changeCues) {
		v[changeNewer], v[changeNear] = 1, shared
	}
	if now.any(turnCues) {
		v[changeAnchor], v[changeConflict] = v[anchor], v[conflict]
		v[anchorConflict] = float32(v[anchor] * v[conflict])
	}
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
