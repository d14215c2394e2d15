package memory

// ageSlot reads "I am 34", "I'm 34 years old".
func (r *reading) ageSlot(speaker string) slot {
	i := r.from
	if !r.toks[i].is(tagI) || i+1 >= r.to {
		return slot{}
	}
	if i++; r.toks[i].low == "am" {
		i++
	} else if r.toks[i-1].low != "i'm" {
		return slot{}
	}
	if i >= r.to || r.toks[i].kind != numberToken || len(r.toks[i].low) > 3 {
		return slot{}
	}
	end := i + 1
	if end < r.to && (r.toks[end].low == "years" || r.toks[end].low == "year") {
		if end++; end < r.to && r.toks[end].low == "old" {
			end++
		} else if end < r.to && r.toks[end].kind != markToken {
			return slot{} // "I'm 10 years into this"
		}
	}
	if end < r.to && r.toks[end].kind != markToken && !r.toks[end].is(tagAnd) {
		return slot{} // "I'm 5 minutes late"
	}
	return slot{subject: speaker, attribute: attributeAge, value: r.slice(i, end)}
}

// sequenceSlot reads "we were on Jenkins, then CircleCI, and now GitHub Actions": the
// last of several technologies of one category is the current one.
func (r *reading) sequenceSlot(speaker string) slot {
	if !r.toks[r.from].is(tagWe, tagI) || r.first(r.from, r.to, tagNeg, tagMinus, tagIf) >= 0 {
		return slot{}
	}
	first, last, follows := -1, -1, false
	for i := r.from; i < r.to; i++ {
		t := &r.toks[i]
		switch {
		case t.low == "then" || t.low == "now" || t.low == "finally" || t.low == "later" || t.low == "eventually":
			follows = first >= 0
		case t.tech == 0:
		case first < 0:
			first = i
		case t.tech == r.toks[first].tech && follows:
			last, follows = i, false
		}
	}
	if last < 0 {
		return slot{}
	}
	s := r.choose(last, speaker)
	s.former = r.slice(first, r.versionEnd(first+int(r.toks[first].techLen)))
	return s
}
