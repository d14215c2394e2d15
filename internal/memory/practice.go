package memory

// practises reports whether a sentence says what the speakers do for years: a verb of that, and what they do it with, unless no more
// is needed: "I keep bees", "we play chess on Fridays", "I knit". What is at hand is no such thing: "I keep the receipt".
func (r *reading) practises() bool {
	verb := r.from + 1
	if !r.toks[r.from].is(tagI, tagWe) || r.toks[r.from].is(tagBe) {
		return false
	}
	for verb < r.stop && r.toks[verb].is(tagNow, tagAlso, tagStill) {
		verb++
	}
	if verb >= r.stop || !r.l.has(listPractice, r.toks[verb].low) {
		return false
	}
	return verb+1 == r.stop || r.bareNoun(verb+1)
}

// bareNoun reports whether a noun without an article stands at token i, alone or before a phrase of where, when or how.
func (r *reading) bareNoun(i int) bool {
	const most = 2 // words of the noun
	for k := i; k < min(i+most, r.stop); k++ {
		if t := &r.toks[k]; !content(t) || t.kind != wordToken || endsIn(t.low, "ing") { // "I keep forgetting"
			return false
		}
		if k+1 == r.stop || placesSomething(r.toks[k+1].low) {
			return true
		}
	}
	return false
}
