package memory

import "strings"

// madeWithSlot reads an activity of the speakers with a technology, whatever the verb:
// "we test with Cypress", "we log errors to Sentry".
func (r *reading) madeWithSlot(speaker string) slot {
	verb := r.habit()
	if verb < 0 || r.first(r.from, r.to, tagMinus, tagNeg, tagTrouble, tagSwitch, tagSwap, tagBe, tagSpeech) >= 0 {
		return slot{}
	}
	for i := verb + 2; i < min(verb+8, r.to); i++ {
		t := &r.toks[i]
		if t.kind == markToken || t.is(tagAnd) {
			return slot{}
		}
		if t.tech == 0 {
			continue
		}
		switch r.toks[i-1].low {
		case "with", "on", "to", "via", "through", "in", "using", "from":
		default:
			return slot{}
		}
		s := slot{
			subject: r.who(speaker), attribute: r.l.categories[t.tech] + r.purpose(i+int(t.techLen), t.tech),
			value: r.slice(i, r.versionEnd(i+int(t.techLen))),
		}
		if object := r.stems(verb+1, i-1); object != "" {
			s.attribute = r.l.categories[t.tech] + qualifierMark + object
		}
		return s
	}
	return slot{}
}

// habitSlot reads a habit with an amount or a frequency: "we cache responses for 5
// minutes", "we release every two weeks".
func (r *reading) habitSlot(speaker string) slot {
	verb := r.habit()
	if verb < 0 || r.toks[verb].is(tagBe, tagAux, tagMinus) {
		return slot{}
	}
	for i := verb + 1; i < min(verb+7, r.to); i++ {
		t := &r.toks[i]
		if t.kind == markToken || t.is(tagAnd, tagNeg) {
			return slot{}
		}
		if t.kind != numberToken && !t.is(tagNumberWord) && !isRhythm(t.low) {
			continue
		}
		what := r.stems(verb, i)
		if what == "" {
			return slot{}
		}
		return slot{subject: r.who(speaker), attribute: attributeHabit + what, value: r.slice(i, r.phraseEnd(i, 4))}
	}
	return slot{}
}

// rhythmSlot reads the frequency of a habit: "we deploy weekly", "we ship on every
// merge".
func (r *reading) rhythmSlot(speaker string) slot {
	verb := r.habit()
	if verb < 0 || r.toks[verb].is(tagBe, tagAux, tagMinus) {
		return slot{}
	}
	for i := verb + 1; i < min(verb+4, r.to); i++ {
		t := &r.toks[i]
		if t.kind == markToken || t.is(tagAnd, tagNeg) {
			return slot{}
		}
		if isRhythm(t.low) && r.stems(verb+1, i) == "" {
			return slot{subject: r.who(speaker), attribute: attributeHabit + stem(r.l, r.toks[verb].low), value: r.slice(i, r.phraseEnd(i, 4))}
		}
	}
	return slot{}
}

// mannerSlot reads the means, the source or the duration of a habit: "we ship from the
// main branch", "we keep logs for 30 days".
func (r *reading) mannerSlot(speaker string) slot {
	if !r.toks[r.from].is(tagWe) || r.first(r.from, r.to, tagNeg, tagMinus, tagSwitch, tagSwap, tagTrouble) >= 0 {
		return slot{}
	}
	verb := r.habit()
	if verb < 0 || r.toks[verb].is(tagBe, tagAux) || strings.HasSuffix(r.toks[verb].low, "ing") {
		return slot{}
	}
	for i := verb + 1; i+1 < min(verb+5, r.to); i++ {
		t := &r.toks[i]
		if t.kind == markToken || t.is(tagAnd) {
			return slot{}
		}
		switch t.low {
		case "by", "from", "via", "through":
		case "for":
			if n := &r.toks[i+1]; n.kind != numberToken && !n.is(tagNumberWord) {
				return slot{}
			}
		default:
			continue
		}
		what := stem(r.l, r.toks[verb].low)
		if object := r.stems(verb+1, i); object != "" {
			what += " " + object
		}
		return slot{subject: r.who(speaker), attribute: attributeHabit + what + " " + t.low, value: r.slice(i+1, r.phraseEnd(i+1, 5))}
	}
	return slot{}
}

// habit is the verb of a habit of the speakers, after "I" or "we" and function words;
// -1 for none.
func (r *reading) habit() int {
	if !r.toks[r.from].is(tagWe, tagI) || r.first(r.from, min(r.from+4, r.to), tagPast, tagFuture, tagPromise) >= 0 {
		return -1
	}
	verb := r.from + 1
	for verb < r.to && (r.toks[verb].is(tagNow) || r.toks[verb].entryHas(tagStop) || r.toks[verb].low == "always" || r.toks[verb].low == "usually") {
		verb++
	}
	if verb+1 >= r.to || r.toks[verb].kind != wordToken || r.isPast(verb) || r.toks[verb].is(tagLikes, tagHates) {
		return -1
	}
	return verb
}

// isRhythm reports whether a word is a frequency.
func isRhythm(low string) bool {
	return theLexicon().has(listRhythm, low)
}
