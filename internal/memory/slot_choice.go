package memory

// choiceSlot reads any statement that names one of several alternatives that
// exclude each other: "we're committed to microservices".
func (r *reading) choiceSlot(speaker string) slot {
	if !r.firstPerson() && !r.elided() {
		return slot{}
	}
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		if t.choice == 0 || i == r.from && !t.is(tagPlus, tagMinus) {
			continue
		}
		if r.first(max(r.from, i-7), i, tagSettle, tagUse, tagLikes, tagSwitch, tagPlus, tagMinus, tagUsage, tagOpinion) < 0 &&
			r.first(max(r.from, i-3), i, tagBe) < 0 && r.toks[i-1].low != "got" && r.toks[i-1].low != "gone" && r.toks[i-1].low != "went" {
			return slot{}
		}
		value := r.slice(i, i+r.choiceLength(i))
		if r.first(r.from, i, tagMinus, tagNeg, tagHates) >= 0 {
			return slot{subject: r.stemsOf(value), attribute: attributeStatus, value: r.slice(r.first(r.from, i, tagMinus, tagNeg, tagHates), i)}
		}
		return slot{subject: r.who(speaker), attribute: r.l.choices[t.choice], value: value}
	}
	return slot{}
}

// choiceLength is how many tokens name the alternative at i.
func (r *reading) choiceLength(i int) int {
	e := r.toks[i].entry
	longest := 1
	for p := range e.phrases {
		if ph := &e.phrases[p]; ph.choice != 0 && phraseAt(r.toks, i+1, ph.rest) {
			longest = max(longest, 1+len(ph.rest))
		}
	}
	return longest
}
