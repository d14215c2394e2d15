package memory

import "strings"

// choiceSlot reads any statement that names one of several exclusive alternatives:
// "we're committed to microservices".
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
			r.first(max(r.from, i-3), i, tagBe) < 0 && !r.goesBy(i) {
			return slot{}
		}
		if other := r.turnedChoice(speaker); other.filled() {
			return other
		}
		value := r.slice(i, i+r.choiceLength(i))
		if r.first(r.from, i, tagMinus, tagNeg, tagHates) >= 0 {
			return slot{subject: r.stemsOf(value), attribute: attributeStatus, value: r.slice(r.first(r.from, i, tagMinus, tagNeg, tagHates), i)}
		}
		return slot{subject: r.who(speaker), attribute: r.l.choices[t.choice], value: value}
	}
	return slot{}
}

// goesBy reports whether the speakers follow the alternative at token i: "we do Scrum",
// "we got bigger machines", "we self-host everything".
func (r *reading) goesBy(i int) bool {
	if r.l.has(listGoingBy, r.toks[i-1].low) {
		return true
	}
	if low := r.toks[i-1].low; (low == "to" || low == "into") && i > r.from+1 {
		switch r.toks[i-2].low {
		case "gone", "went", "go", "going", "come", "came":
			return true
		}
	}
	return i == r.from+1 && r.toks[r.from].is(tagWe) && strings.HasPrefix(r.toks[i].low, "self")
}

// turnedChoice reads two alternatives of one group as a change from the first to the
// second: "microservices were a mistake, it's a monolith again". "Tabs over spaces" is
// no change.
func (r *reading) turnedChoice(speaker string) slot {
	first := -1
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		if t.choice == 0 {
			continue
		}
		if first < 0 || r.toks[first].choice != t.choice {
			first = i
			continue
		}
		if r.toks[first].side == t.side {
			continue
		}
		turned := r.first(first, i, tagSwitch, tagSwap, tagNow) >= 0 || i+1 < r.to && (r.toks[min(i+1, r.to-1)].low == "again" || r.toks[min(i+1, r.to-1)].low == "now")
		for k := first; k < i; k++ {
			switch r.toks[k].low {
			case "over", "instead", "than", "not", "or", "and", "without", "from", "versus", "vs":
				return slot{}
			case "into", "became", "back":
				turned = true
			}
		}
		if !turned {
			return slot{}
		}
		was := r.slice(first, first+r.choiceLength(first))
		return slot{subject: r.who(speaker), attribute: r.l.choices[t.choice], value: r.slice(i, i+r.choiceLength(i)), former: was}
	}
	return slot{}
}

// wholeSlot reads how the whole is built: "everything is one big monolith again", "the
// backend is a set of microservices".
func (r *reading) wholeSlot(speaker string) slot {
	i := r.from
	for i < r.to && r.toks[i].is(tagDet, tagOur, tagThe) {
		i++
	}
	if i+2 >= r.to {
		return slot{}
	}
	whole := r.toks[i].low == "everything" || r.toks[i].low == "everybody" || r.toks[i].low == "everyone"
	switch low := r.toks[i].low; {
	case low == "every" || low == "each": // "every service has its own repo"
		if has := r.first(i+1, min(i+4, r.to), tagAux); has > i+1 && (r.toks[has].low == "has" || r.toks[has].low == "got") {
			if s := r.choose(has+1, speaker); r.isChoice(s.attribute) {
				return s
			}
		}
		return slot{}
	case !r.l.has(listWhole, low):
		return slot{}
	}
	if !r.toks[i+1].is(tagBe) && r.toks[i+1].low != "works" || r.first(i, min(i+4, r.to), tagNeg) >= 0 {
		return slot{}
	}
	if s := r.choose(i+2, speaker); s.attribute == attributeDesign || whole && r.isChoice(s.attribute) {
		return s
	}
	return slot{}
}

// choiceLength is the number of tokens that name the alternative at i.
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
