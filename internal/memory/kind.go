package memory

import "strings"

// kind returns the kind of an asserted sentence. worth says whether it is worth
// keeping.
func (r *reading) kind(s slot) (kind Kind, worth bool) {
	switch {
	case r.isRequest(), r.toks[r.lead].is(tagYou) && r.lead+1 < r.stop && (r.toks[r.lead+1].is(tagBe) || r.toks[r.lead].low == "you're"):
		return Plain, false // "you are a shadow CTO" assigns a role and states no fact
	case r.isPreference():
		return Preference, true
	case r.isIdentity(s):
		return Identity, true
	case r.isDecision(s):
		return Decision, true
	case !r.because.empty() || r.backward:
		return Cause, true
	case r.isNumber(s):
		return Number, true
	case len(r.dates) > 0 && r.first(r.from, r.to, tagPast, tagFuture, tagPromise, tagPlus, tagMinus, tagSwitch) >= 0:
		return Event, true
	case r.first(r.from, r.to, tagPromise) >= 0 && r.firstPerson():
		return Event, true
	case len(r.dates) > 0 && r.firstPerson():
		return Event, true
	}
	return Plain, !r.passing() && (s.filled() || len(r.dates) > 0 && r.stop-r.lead > 2 || r.saysSomething())
}

// saysSomething reports whether a sentence without slot, date or number is still a
// statement: the speakers tell of themselves, or it names something.
func (r *reading) saysSomething() bool {
	words, names := 0, 0
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		if content(t) {
			words++
		}
		if t.tech != 0 || t.choice != 0 || t.capital && i > r.from && content(t) {
			names++
		}
	}
	return words >= 2 && (r.firstPerson() || r.elided()) || words >= 2 && names > 0
}

// isPreference reports whether the speaker states a liking.
func (r *reading) isPreference() bool {
	if !r.firstPerson() && r.from < r.to && !r.toks[r.from].is(tagNeg) {
		return false
	}
	at := r.first(r.from, min(r.from+8, r.to), tagLikes, tagHates)
	if at < 0 {
		return false
	}
	if !r.likesSomething(at) || at > r.from && r.toks[at-1].low == "in" { // "in favour of"
		return false
	}
	// "I would like to book a table" is a momentary wish.
	return !(r.toks[at].low == "like" && at > r.from && (r.toks[at-1].low == "would" || r.toks[at-1].low == "i'd" || r.toks[at-1].low == "we'd" || r.toks[at-1].is(tagBe)))
}

// likesSomething distinguishes "I like tea" from "people like you", "I love it" and "I
// love how you did that".
func (r *reading) likesSomething(at int) bool {
	prev := &r.toks[max(at-1, 0)]
	if r.toks[at].low == "like" && at > r.from && (!prev.entryHas(tagStop) && !strings.HasSuffix(prev.low, "ly") || prev.low == "just") {
		return false
	}
	if r.toks[at].is(tagMy) || r.toks[r.from].is(tagMy) || r.toks[at].is(tagHates) && r.toks[at].is(tagNeg) {
		return true
	}
	next := at + max(phraseLength(r.toks, at, tagLikes), phraseLength(r.toks, at, tagHates))
	if next >= r.to {
		return false
	}
	switch r.toks[next].low {
	case "how", "that", "it", "your", "you", "this", "them", "what", "when", "if", "where", "who", "why", "whether":
		return false
	}
	for i := next; i < r.to; i++ {
		if content(&r.toks[i]) {
			return !(r.toks[at].low == "love" && prev.low == "i'd")
		}
	}
	return false
}

// isDecision reports whether a speaker decided something.
func (r *reading) isDecision(s slot) bool {
	if s.attribute == attributeIs && !r.verbAt(tagSettle) || r.passing() {
		return false // a value was set, which is no decision
	}
	if !r.firstPerson() && !r.elided() && !r.label {
		if r.first(r.from, r.to, tagSettle, tagSwap) < 0 || r.first(r.from, r.to, tagBe) < 0 && r.first(r.from, r.to, tagPast) < 0 {
			return false
		}
		return s.filled() && r.verbAt(tagSettle, tagSwap, tagMinus)
	}
	if r.verbAt(tagSettle, tagSwap) || r.isChoice(s.attribute) && r.word(r.from, r.to, "into") > 0 {
		return true
	}
	if !r.verbAt(tagPlus, tagMinus, tagSwitch) {
		return false
	}
	if r.label || r.elided() {
		return true
	}
	for i := r.from; i < r.to; i++ {
		if r.toks[i].tech != 0 || r.toks[i].choice != 0 || r.toks[i].low == "it" && r.toks[i-1].is(tagPlus, tagMinus) {
			return true
		}
	}
	return r.toks[r.from].is(tagWe, tagOur) && isStatus(s.attribute) && len(r.dates) == 0
}

// passing reports whether "let's …" or "back to …" only continues the conversation: it
// names no technology, alternative or time, and adds or removes nothing.
func (r *reading) passing() bool {
	switch low := r.toks[r.from].low; {
	case low == "let's", low == "lets", low == "back":
	case low == "let" && r.from+1 < r.to && r.toks[r.from+1].low == "us":
	default:
		return false
	}
	return len(r.dates) == 0 && !r.namesTechnology() && r.first(r.from, r.to, tagMinus, tagSwap) < 0 && r.because.empty()
}

// verbAt reports whether a verb of one of the sorts stands near the subject.
func (r *reading) verbAt(tags ...tag) bool {
	at := r.first(r.from, min(r.from+7, r.to), tags...)
	for at >= 0 && r.isNoun(at) {
		at = r.first(at+1, min(r.from+7, r.to), tags...)
	}
	return at >= 0
}

// isNumber reports whether the sentence gives a measured or counted value.
func (r *reading) isNumber(s slot) bool {
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		if t.kind != numberToken && !t.is(tagNumberWord) {
			continue
		}
		if _, dated := r.dated(i, i+1); dated {
			continue
		}
		if t.kind == numberToken && unitInside(t.low) {
			return true
		}
		if i+1 < r.to && (r.toks[i+1].is(tagUnit) || r.toks[i+1].mark("%")) || i > r.from && (r.toks[i-1].mark("$") || r.toks[i-1].mark("€") || r.toks[i-1].mark("£")) {
			return true
		}
		if i+2 < r.to && r.toks[i+2].is(tagUnit) {
			return true
		}
		if s.filled() && s.attribute == attributeIs && t.kind == numberToken {
			return true
		}
		if r.first(r.from, i, tagNumberLabel) >= 0 {
			return true
		}
	}
	return false
}

// unitInside reports whether a number carries its unit, as 512MB does.
func unitInside(low string) bool {
	last := low[len(low)-1]
	return last >= 'a' && last <= 'z'
}

// isInstruction reports whether the sentence asks for lasting behaviour. A single task
// ("write a short poem") does not count.
func (r *reading) isInstruction() bool {
	lead := r.lead
	for lead < r.stop && (r.toks[lead].low == "please" || r.toks[lead].low == "and" || r.toks[lead].low == "also" || r.toks[lead].mark(",")) {
		lead++
	}
	if lead >= r.stop || r.Quoted {
		return false
	}
	t := &r.toks[lead]
	if t.entryHas(tagCommand) && t.entryHas(tagStanding) && lead+1 < r.stop && (r.toks[lead+1].is(tagDet, tagMy, tagI, tagWe, tagHe) || r.toks[lead+1].low == "mind" || strings.HasSuffix(r.toks[lead+1].low, "ing")) {
		return false // "always the same story"
	}
	standing, ordered := r.first(r.lead, r.stop, tagStanding) >= 0, false
	if n := phraseLength(r.toks, lead, tagOrder); n > 0 && !t.entryHas(tagStanding) && lead+n < r.stop {
		if t.low == "you" && !standing {
			return false
		}
		if t.is(tagAux) && !t.is(tagNeg) && !standing {
			return false // "could you …?" asks for one thing
		}
		if !t.entryHas(tagCommand) {
			ordered = true
			for lead += n; lead+1 < r.stop && r.toks[lead].kind == markToken; {
				lead++
			}
			t = &r.toks[lead]
		}
	}
	if t.is(tagI, tagWe, tagHe, tagMy, tagOur, tagIt) && !(r.toks[r.lead].is(tagOrder)) {
		return standing && r.conditionThenOrder(lead)
	}
	command := t.is(tagCommand) || t.is(tagTask) || ordered && t.low == "you"
	switch {
	case standing && (command || r.conditionThenOrder(lead)):
		return true
	case t.is(tagCommand) || t.is(tagNeg):
		return r.stop-lead <= 24 && (r.first(lead, r.stop, tagStyle) >= 0 || r.commandChoice(lead))
	}
	return false
}

// commandChoice reads "Use tabs".
func (r *reading) commandChoice(lead int) bool {
	for i := lead + 1; i < min(lead+4, r.stop); i++ {
		if r.toks[i].choice != 0 {
			return true
		}
	}
	return false
}

// conditionThenOrder reads "When I ask for code, use tabs" and "From now on, answer in
// French": the instruction follows the first comma or the fixed phrase.
func (r *reading) conditionThenOrder(lead int) bool {
	t := &r.toks[lead]
	if n := phraseLength(r.toks, lead, tagStanding); n > 0 && lead+n < r.stop {
		next := lead + n
		if r.toks[next].mark(",") && next+1 < r.stop {
			next++
		}
		if r.toks[next].is(tagCommand, tagTask, tagOrder) && !r.toks[next].is(tagI, tagWe) {
			return true
		}
	}
	if !t.is(tagWh, tagIf, tagStanding) && !t.is(tagPrep) && t.low != "for" {
		return false
	}
	comma := r.word(lead, r.stop, ",")
	return comma > 0 && comma+1 < r.stop && r.toks[comma+1].is(tagCommand, tagTask, tagOrder) && !r.toks[comma+1].is(tagI, tagWe)
}
