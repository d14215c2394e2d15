package memory

import "strings"

// findReason divides the sentence into effect and reason, if it has a reason. The
// effect stays in [from, to); because gets the bytes of the reason.
func (r *reading) findReason() {
	if n := phraseLength(r.toks, r.lead, tagTherefore); n > phraseLength(r.toks, r.lead, tagWhy) && r.lead+n < r.stop && r.opensEffect(n) && !r.furtherEffect(r.lead+n) {
		r.backward = true
		r.from = r.lead + n
		if r.toks[r.from].mark(",") {
			r.from++
		}
		return
	}
	if r.reasonFirst() || r.reasonIs() {
		return
	}
	for i := r.lead + 1; i < r.stop; i++ {
		t := &r.toks[i]
		if r.pronounReason(i) {
			return
		}
		if !t.is(tagWhy, tagThus, tagAim, tagMaybeWhy, tagPurpose) && t.low != "so" {
			continue
		}
		if r.splitAt(i) {
			return
		}
	}
}

// furtherEffect reports whether an effect is itself the reason for a later action: "it
// caused outages, so we took it out".
func (r *reading) furtherEffect(i int) bool {
	so := r.word(i, r.stop, "so")
	return so > i && r.toks[so-1].mark(",") && so+1 < r.stop && (r.startsClause(so+1) || r.toks[so+1].is(tagPrep))
}

// opensEffect rejects "so" and "thus" as a conclusion if they only intensify ("so
// many").
func (r *reading) opensEffect(n int) bool {
	if r.toks[r.lead].low != "so" || n > 1 {
		return true
	}
	return r.toks[r.lead+1].is(tagI, tagWe, tagOur, tagThe, tagMy)
}

// splitAt tries to divide the sentence at the connective at token i.
func (r *reading) splitAt(i int) bool {
	t := &r.toks[i]
	if n := phraseLength(r.toks, i, tagWhy); n > 0 && !r.isParticiple(i) {
		return r.effectThenReason(i, i+n)
	}
	if n := phraseLength(r.toks, i, tagAim); n > 0 {
		return r.effectThenReason(i, i+n)
	}
	if n := phraseLength(r.toks, i, tagThus); n > 0 && r.isConsequence(i, n) && !(i <= r.lead+1 && r.furtherEffect(i+n)) {
		return r.reasonThenEffect(i, i+n)
	}
	if t.low == "so" && r.toks[i-1].mark(",") && i+1 < r.stop && (r.startsClause(i+1) || r.toks[i+1].is(tagPrep) && r.first(i+2, r.stop, tagWe, tagI) >= 0) {
		return r.reasonThenEffect(i, i+1)
	}
	if t.is(tagPurpose) && r.toks[i-1].low == "to" && i > r.lead+2 && !r.verbTakesTo(i-2) {
		return r.effectThenReason(i-1, i)
	}
	if (t.low == "came" || t.low == "comes") && i+2 < r.stop && r.toks[i+1].low == "from" && r.first(r.lead, i, tagTrouble) >= 0 {
		return r.effectThenReason(i, i+2) // "the crash came from a null pointer"
	}
	if t.is(tagMaybeWhy) && r.perhapsReason(i) {
		return r.effectThenReason(i, i+1)
	}
	return false
}

// isParticiple rejects "given" in "we've given up" as a reason.
func (r *reading) isParticiple(i int) bool {
	if r.toks[i].low != "given" || i+1 >= r.stop {
		return false
	}
	switch r.toks[i+1].low {
	case "up", "to", "it", "us", "me", "them", "in", "away", "out":
		return true
	}
	prev := &r.toks[i-1]
	return prev.is(tagAux) || strings.HasSuffix(prev.low, "'ve") || prev.low == "was" || prev.low == "were"
}

// isConsequence rejects "caused" in "bugs caused by" and the noun "cause".
func (r *reading) isConsequence(i, n int) bool {
	if i+n >= r.stop || i == r.lead {
		return false
	}
	switch r.toks[i].low {
	case "triggers", "causes":
		return !r.toks[i-1].is(tagDet)
	case "caused", "triggered":
		return r.toks[i+n].low != "by" && !r.toks[i-1].is(tagBe)
	}
	return true
}

// perhapsReason decides about "since", "as", "for" and "after", which usually express
// time or manner.
func (r *reading) perhapsReason(i int) bool {
	if i+1 >= r.stop {
		return false
	}
	next := &r.toks[i+1]
	_, time := r.dated(i+1, min(i+3, r.stop))
	switch r.toks[i].low {
	case "since":
		return !time && next.kind == wordToken && next.low != "then" && r.hasVerb(i+1)
	case "as":
		return !time && next.is(tagI, tagWe, tagOur, tagThe, tagHe, tagIt, tagMy) &&
			!r.compares(i) && r.hasVerb(i+1)
	case "for":
		return next.is(tagMotive) && (i+2 >= r.stop || r.toks[i+2].kind == markToken || r.toks[i+2].low == "reasons" || r.toks[i+2].is(tagAnd))
	case "over":
		if minus := r.first(r.lead, i, tagMinus); minus >= 0 && r.word(minus, i, ";") < 0 && next.tech == 0 && !next.capital && !time && next.kind == wordToken && !next.is(tagDet, tagPrep, tagI, tagWe, tagHe, tagIt, tagNumberWord) && next.low != "to" && next.low != "the" {
			return true // "cancelled over safety concerns"
		}
		return (next.is(tagMotive) || next.is(tagTrouble) && next.entry.base == next.low) && (i+2 >= r.stop || r.toks[i+2].kind == markToken)
	case "after", "following", "when":
		if r.toks[i].low == "after" && !time && (r.first(r.lead, i, tagTrouble) >= 0 || r.toks[i-1].low == "down" || r.word(r.lead, i, "down") > 0) && r.opensTrouble(i+1) {
			return true // "the API was down after somebody deleted the balancer"
		}
		return !time && (r.first(i+1, r.stop, tagTrouble) >= 0 || r.toks[i].low == "after" && r.firstPerson() && r.first(r.lead, i, tagMinus) >= 0 && r.opensTrouble(i+1))
	}
	return false
}

// opensTrouble reports whether a clause with a verb begins at token i: "after it
// deleted two volumes", "after conversions fell", but not "after lunch".
func (r *reading) opensTrouble(i int) bool {
	t := &r.toks[i]
	if t.is(tagDet, tagOur, tagMy, tagIt, tagHe) {
		return r.hasVerb(i + 1)
	}
	return t.kind == wordToken && !t.entryHas(tagStop) && !strings.HasSuffix(t.low, "ing") && r.first(i+1, min(i+4, r.stop), tagPast, tagTrouble, tagAssign, tagMinus) > 0
}

// troubled reports whether a clause from token i on tells of a problem and of no
// reaction to it: "…, the cold starts were killing us".
func (r *reading) troubled(i int) bool {
	explains := r.toks[i-1].mark(";") || r.toks[i-1].mark(":")
	if !explains && !r.toks[i].is(tagDet, tagOur, tagMy) && r.toks[i].low != "nobody" && r.word(i, min(i+4, r.stop), "had") < 0 || r.toks[i].is(tagIt, tagHe) || r.first(i, r.stop, tagAnd, tagWhy, tagThus, tagSwitch, tagSwap) >= 0 || !r.hasVerb(i+1) {
		return false
	}
	for k := i; k < r.stop; k++ {
		switch t := &r.toks[k]; t.low {
		case "was", "were":
			if m := &r.toks[i-1]; m.mark(";") || m.mark(":") {
				return true // "…; releases were a nightmare"
			}
		case "had":
			if k+1 < r.stop && (r.toks[k+1].is(tagPast) || strings.HasSuffix(r.toks[k+1].low, "ed") || r.toks[k+1].low == "become" || r.toks[k+1].low == "been" || r.toks[k+1].low == "grown" || r.toks[k+1].low == "got") {
				return true // the earlier state is the reason
			}
		default:
			if r.l.has(listHarm, t.low) || t.is(tagTrouble) || t.is(tagMinus) && k > i+1 {
				return true
			}
		}
	}
	return false
}

// compares reports whether the "as" at token i compares: "the same colour as".
func (r *reading) compares(i int) bool {
	for k := max(r.lead, i-5); k < i; k++ {
		switch r.toks[k].low {
		case "as", "such", "same", "so", "just":
			return true
		}
	}
	return false
}

// pronounReason reads "we gave up on Solr; it ate too much memory": after a decision
// and a punctuation mark, a clause about "it" is the reason.
func (r *reading) pronounReason(i int) bool {
	if i+3 > r.stop && !(r.commit && i+2 == r.stop) || i < r.lead+2 {
		return false
	}
	if m := &r.toks[i-1]; !m.mark(",") && !m.mark(";") && !m.mark("-") && !m.mark(":") {
		return false
	}
	switch r.toks[i].low {
	case "it", "they", "it's", "they're", "it'd":
	default:
		if !r.troubled(i) {
			return r.noteReason(i)
		}
	}
	if r.first(r.lead, i, tagMinus, tagSwap, tagSwitch, tagSettle, tagPlus) < 0 && !r.namesTechnology() || !r.firstPerson() && !r.label && !r.elided() && !r.namesTechnology() {
		return false
	}
	return r.effectThenReason(i, i)
}

// noteReason reads "Commit: pin openssl, 3.2 breaks the build": the text after the
// comma is the reason, unless it is a further step.
func (r *reading) noteReason(i int) bool {
	t := &r.toks[i]
	if !r.label || !r.elided() && !r.commit || r.toks[i-1].mark(":") || t.kind == markToken || (t.tech != 0 || t.choice != 0) && !(r.commit && r.hasVerb(i+1)) ||
		!r.saysEffect(i) && t.is(tagThus, tagTherefore, tagWhy, tagMaybeWhy, tagAim, tagAnd, tagPlus, tagMinus, tagSwitch, tagSwap, tagAssign, tagSettle, tagUse, tagPast, tagPrep, tagNow, tagI, tagWe) {
		return false
	}
	if and := r.word(i, r.stop, "and"); and >= 0 && (and+1 >= r.stop || r.toks[and+1].is(tagPlus, tagMinus, tagSwitch, tagSwap, tagAssign, tagSettle, tagUse)) {
		return false
	}
	if r.word(i, r.stop, ",") >= 0 || r.first(i, r.stop, tagWhy, tagThus) >= 0 {
		return false
	}
	return r.effectThenReason(i, i)
}

// saysEffect reports whether a verb of a note states the effect of the previous step
// ("fixes", "saves"), and is not the next step ("fix", "saved").
func (r *reading) saysEffect(i int) bool {
	t := &r.toks[i]
	return t.kind == wordToken && t.entry != nil && t.entry.base != t.low && strings.HasSuffix(t.low, "s") && !strings.HasSuffix(t.low, "ss")
}

// hasVerb reports whether a verb seems to follow, so that the words are a clause.
func (r *reading) hasVerb(i int) bool {
	for ; i < r.stop; i++ {
		t := &r.toks[i]
		if t.is(tagBe, tagAux, tagPast, tagUsage, tagUse, tagOpinion, tagTrouble, tagAssign, tagPlus, tagMinus) || t.low == "keeps" {
			return true
		}
		if n := len(t.low); n > 3 && t.kind == wordToken && (t.low[n-2:] == "ed" || t.low[n-1] == 's') && i > 0 && !t.capital {
			return true
		}
	}
	return false
}

// verbTakesTo reports whether the word before "to" needs it ("need to fix").
func (r *reading) verbTakesTo(i int) bool {
	if r.toks[i].is(tagI, tagWe, tagYou, tagHe, tagSettle, tagFuture) {
		return true
	}
	return r.l.has(listTakesTo, r.toks[i].low)
}

// effectThenReason takes [lead, cut) as the effect and the tokens from reason on as the
// reason.
func (r *reading) effectThenReason(cut, reason int) bool {
	from := reason
	if from < r.stop && r.toks[from].mark(",") {
		from++
	}
	if cut <= r.lead || from >= r.stop {
		return false
	}
	if r.toks[cut-1].mark(",") || r.toks[cut-1].mark("-") || r.toks[cut-1].mark(";") {
		cut--
	}
	for cut > r.lead+1 && (r.toks[cut-1].is(tagBe) && r.toks[cut-1].kind == wordToken) {
		cut-- // "the outage was | caused by"
	}
	r.from, r.to = r.lead, cut
	r.because = span{r.toks[from].start, r.toks[r.stop-1].end}
	return cut > r.lead
}

// reasonThenEffect takes [lead, cut) as the reason and the tokens from effect on as the
// effect.
func (r *reading) reasonThenEffect(cut, effect int) bool {
	for effect < r.stop && r.toks[effect].kind == markToken {
		effect++
	}
	end := cut
	for end > r.lead && (r.toks[end-1].kind == markToken || r.toks[end-1].is(tagAnd)) {
		end--
	}
	if end <= r.lead || effect >= r.stop {
		return false
	}
	r.thus, r.cut = true, end
	r.from, r.to = effect, r.stop
	r.because = span{r.toks[r.lead].start, r.toks[end-1].end}
	return true
}

// reasonFirst reads "Because the cache was stale, we removed it".
func (r *reading) reasonFirst() bool {
	n := max(phraseLength(r.toks, r.lead, tagWhy), phraseLength(r.toks, r.lead, tagAim))
	if n == 0 && r.toks[r.lead].is(tagMaybeWhy) && r.perhapsLeading() {
		n = 1
	}
	if n == 0 && r.toks[r.lead].low == "to" && r.lead+1 < r.stop && r.toks[r.lead+1].is(tagPurpose) {
		n = 1
	}
	if n == 0 {
		return false
	}
	comma := r.word(r.lead+n, r.stop, ",")
	if comma < 0 || comma+1 >= r.stop || comma == r.lead+n {
		return false
	}
	r.because = span{r.toks[r.lead+n].start, r.toks[comma-1].end}
	r.from, r.to = comma+1, r.stop
	return true
}

// perhapsLeading decides about a leading "since", "as", "after" or "when".
func (r *reading) perhapsLeading() bool {
	_, time := r.dated(r.lead+1, min(r.lead+3, r.stop))
	comma := r.word(r.lead, r.stop, ",")
	if time || comma < 0 || comma+1 >= r.stop || !r.startsClause(comma+1) {
		return false
	}
	switch r.toks[r.lead].low {
	case "since", "as":
		return r.hasVerb(r.lead+1) && !r.toks[r.lead+1].is(tagPrep) && r.toks[r.lead+1].low != "a" && r.toks[r.lead+1].low != "of"
	case "after", "following", "when":
		return r.first(r.lead, comma, tagTrouble) >= 0
	}
	return false
}

// reasonIs reads "The reason we left Heroku is the price".
func (r *reading) reasonIs() bool {
	n := phraseLength(r.toks, r.lead, tagReason)
	if n == 0 {
		return false
	}
	be := -1
	for i := r.lead + n; i < r.stop; i++ {
		if low := r.toks[i].low; low == "is" || low == "was" {
			be = i
		}
	}
	from := r.lead + n
	for from < be && (r.toks[from].low == "for" || r.toks[from].low == "why" || r.toks[from].low == "that" || r.toks[from].low == "behind") {
		from++
	}
	if be <= from || be+1 >= r.stop {
		return false
	}
	reason := be + 1
	for reason+1 < r.stop && (r.toks[reason].low == "that" || r.toks[reason].low == "because") {
		reason++
	}
	r.from, r.to = from, be
	r.because = span{r.toks[reason].start, r.toks[r.stop-1].end}
	return true
}
