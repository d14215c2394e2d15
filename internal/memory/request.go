package memory

import "slices"

// isRequest reports whether the sentence asks the assistant to do one thing now.
func (r *reading) isRequest() bool {
	t := &r.toks[r.lead]
	if t.low == "please" && r.lead+1 < r.stop {
		t = &r.toks[r.lead+1]
	} else if r.nounFirst() {
		return false
	}
	return t.is(tagTask) && !r.label && t.entry != nil && t.entry.base == t.entry.text && !t.is(tagPlus, tagMinus, tagSwitch, tagAssign, tagNumberLabel)
}

// nounFirst reports whether the first word, although it could be a verb, is the subject
// of a statement: "Search is powered by Solr", "Test coverage is 80 %".
func (r *reading) nounFirst() bool {
	for i := r.lead + 1; i < min(r.lead+3, r.stop); i++ {
		t := &r.toks[i]
		if t.is(tagCopula) && t.is(tagBe) {
			return true
		}
		if t.entryHas(tagStop) || t.kind == markToken {
			return false
		}
	}
	return false
}

// isReminder reads a task of the speaker: "remind me to call Bob tomorrow", "don't let
// me forget the dentist". "Remind me what we said" is a question.
func (r *reading) isReminder() bool {
	for i := r.lead; i < min(r.lead+4, r.stop); i++ {
		if n := phraseLength(r.toks, i, tagReminder); n > 0 {
			return i+n < r.stop && !r.toks[i+n].is(tagWh, tagIf) && r.toks[i+n].low != "whether"
		}
		if t := &r.toks[i]; t.low != "please" && !t.is(tagAux, tagYou) && t.kind != markToken {
			return false
		}
	}
	return false
}

// instructionSlot is what an instruction decides permanently: one of several
// alternatives, or the language of answers. Conditional instructions and prohibitions
// decide nothing.
func (r *reading) instructionSlot() slot {
	if r.first(r.lead, r.stop, tagIf, tagWh, tagNeg) >= 0 || slices.ContainsFunc(r.toks[r.lead:r.stop], func(t token) bool { return t.low == "if" || t.low == "when" }) {
		return slot{}
	}
	for i := r.lead + 1; i < r.stop; i++ {
		t := &r.toks[i]
		if t.choice != 0 {
			end := i + r.choiceLength(i)
			return slot{subject: subjectAnswer, attribute: r.l.choices[t.choice] + r.scope(end, r.l.choices[t.choice]), value: r.slice(i, end)}
		}
		if t.is(tagTongue) && r.toks[i-1].low == "in" && t.capital {
			return slot{subject: subjectAnswer, attribute: attributeTongue + r.scope(i+1, ""), value: r.slice(i, i+1)}
		}
	}
	return slot{}
}

// scope is the limit of an instruction (" for go"), as far as it adds to the name of
// the decided thing.
func (r *reading) scope(i int, name string) string {
	if i >= r.stop || !r.toks[i].entryHas(tagPrep) {
		return ""
	}
	words := r.stems(i+1, r.phraseEnd(i+1, 5))
	if words == "" || words == name {
		return ""
	}
	return qualifierMark + words
}
