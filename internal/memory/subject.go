package memory

// denies reports whether the main clause denies that a thing is used, or a trait.
func (r *reading) denies() bool {
	return r.signs.hasAny(signsOf(signTechnology, signChoice, signSelf)) && r.negated()
}

// negated reports whether the main clause is negated. Endings ("no longer"), dislikes and
// removals are assertions, not negations.
func (r *reading) negated() bool {
	if !r.signs.has(signNot) || r.first(r.from, r.to, tagHates, tagNoLonger) >= 0 {
		return false
	}
	neg := r.first(r.from, min(r.from+9, r.to), tagNeg)
	if neg < 0 || r.word(r.from, neg, ",") >= 0 || r.first(r.from, neg, tagSettle) >= 0 || r.inAside(neg) {
		return false
	}
	return neg+1 >= r.to || r.toks[neg+1].low != "only" && r.toks[neg+1].low != "just"
}

// inAside reports whether a negation stands in what was added to a clause that has said something already: "I'm Ana and I have no
// kids", "I live in Porto without a car".
func (r *reading) inAside(neg int) bool {
	verb := r.first(r.from, neg, tagBe, tagCopula, tagNamed, tagUse, tagUsage, tagOpinion)
	if verb < 0 {
		return false
	}
	said := false
	for i := verb + 1; i <= neg; i++ {
		t := &r.toks[i]
		if said && adds(t) {
			return true
		}
		said = said || content(t)
	}
	return false
}

// adds reports whether a word can begin what is added to a clause.
func adds(t *token) bool {
	return t.kind == markToken || t.is(tagAnd) || t.low == "with" || t.low == "without"
}

// who is the subject of a slot for a sentence about "we" or "I".
func (r *reading) who(speaker string) string {
	if r.from < len(r.toks) && r.toks[r.from].is(tagI, tagMy) {
		return speaker
	}
	return subjectWe
}

// firstPerson reports whether the main clause is about the speakers.
func (r *reading) firstPerson() bool {
	return r.from < r.to && r.toks[r.from].is(tagI, tagWe, tagMy, tagOur)
}

// spoken reports whether the main clause begins with "I" or "we", or with their verb.
func (r *reading) spoken() bool { return r.toks[r.from].is(tagI, tagWe) || r.elided() || r.label }

// elided reports whether the main clause begins with its verb, as in notes: "Removed
// Redis", "Tried GraphQL".
func (r *reading) elided() bool {
	if r.from >= r.to || r.toks[r.from].entry == nil {
		return false
	}
	t := &r.toks[r.from]
	inflected := t.entry.base != t.entry.text
	if inflected && endsIn(t.low, "ing", "s") {
		return false // "books", "creating": no verb of a note
	}
	noted := r.label || !r.because.empty() || r.namesTechnology()
	if imperative := t.is(tagPlus) && !inflected && !t.is(tagPast); imperative && !noted {
		return false // "keep it up"
	}
	return t.is(tagPlus, tagMinus, tagSwitch, tagSwap, tagAssign, tagSettle, tagUse)
}

// namesTechnology reports whether the main clause names a technology or one of several
// alternatives.
func (r *reading) namesTechnology() bool {
	for i := r.from; i < r.to; i++ {
		if r.toks[i].namesKind() {
			return true
		}
	}
	return false
}
