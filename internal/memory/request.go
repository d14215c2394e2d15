package memory

import "slices"

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
