package memory

// goneSlot reads the end of a thing the speakers had: "GraphQL is gone", "Kafka is no
// more". If the sentence names a replacement ("Terraform is out, Pulumi is in"), the
// replacement is the value.
func (r *reading) goneSlot(speaker string) slot {
	be := r.endedAt()
	if be < 0 {
		return r.noMoreSlot()
	}
	old := -1
	for i := r.from; i < be; i++ {
		t := &r.toks[i]
		switch {
		case t.kind == numberToken, t.is(tagIt, tagHe, tagI, tagWe, tagRelation):
			return slot{} // "Kafka 4 is out": it was released
		case (t.tech != 0 || t.choice != 0) && old < 0:
			old = i
		}
	}
	if old < 0 && !r.toks[r.from].is(tagOur) {
		return slot{} // other things count only with "our": "the cake is gone" does not
	}
	if s := r.cameInstead(old, be, speaker); s.filled() {
		return s
	}
	k := r.endingAt(be)
	return slot{subject: r.stems(r.from, be), attribute: attributeStatus, value: r.slice(k, k+phraseLength(r.toks, k, tagGone))}
}

// endedAt is the position of "is" in "X is gone"; -1 if the main clause says no such
// thing.
func (r *reading) endedAt() int {
	for i := r.from + 1; i < min(r.from+6, r.to); i++ {
		t := &r.toks[i]
		if t.kind == markToken {
			return -1
		}
		if !t.is(tagBe) {
			continue
		}
		k := r.endingAt(i)
		if k < 0 {
			return -1
		}
		after := k + phraseLength(r.toks, k, tagGone)
		if after >= r.to || r.toks[after].kind == markToken || r.toks[after].is(tagPrep, tagAnd, tagNow) {
			return i
		}
		return -1
	}
	return -1
}

// endingAt is the position of the word after the "is" at token i that says that
// something has ended; -1 for none.
func (r *reading) endingAt(i int) int {
	for k := i + 1; k < min(i+4, r.to); k++ {
		if phraseLength(r.toks, k, tagGone) > 0 {
			return k
		}
		if t := &r.toks[k]; content(t) && !t.is(tagNow) && t.low != "long" && t.low != "officially" && t.low != "all" {
			return -1
		}
	}
	return -1
}

// cameInstead is the technology, or the alternative of the same group, in a further
// clause of "X is gone".
func (r *reading) cameInstead(old, be int, speaker string) slot {
	if old < 0 {
		return slot{}
	}
	was := &r.toks[old]
	for i := be + 1; i < r.to; i++ {
		t := &r.toks[i]
		switch {
		case t.low == "too" || t.low == "also" || t.is(tagNeg) && t.low != "no":
			return slot{}
		case t.tech != 0 && t.tech == was.tech, t.choice != 0 && t.choice == was.choice && t.side != was.side:
			s := r.choose(i, speaker)
			s.subject = subjectWe
			s.former = r.slice(old, old+max(1, int(was.techLen), r.choiceLengthAt(old)))
			return s
		}
	}
	return slot{}
}

// choiceLengthAt is the number of tokens that name an alternative at i; 0 for none.
func (r *reading) choiceLengthAt(i int) int {
	if r.toks[i].choice == 0 {
		return 0
	}
	return r.choiceLength(i)
}

// noMoreSlot reads "there is no code freeze any more", "we don't use semantic
// versioning any more" and "Margit isn't our CTO any more".
func (r *reading) noMoreSlot() slot {
	more := r.first(r.from+1, r.to, tagNoLonger)
	if more < 0 {
		return slot{}
	}
	from := -1
	switch low := r.toks[r.from].low; {
	case low == "there", low == "there's":
		if from = r.word(r.from, min(r.from+4, r.to), "no"); from >= 0 {
			from++
		}
	case r.toks[r.from].is(tagWe):
		if from = r.first(r.from+1, min(r.from+4, r.to), tagNeg); from >= 0 {
			from++
		}
		if from > 0 && r.toks[from].is(tagUse) {
			from += phraseLength(r.toks, from, tagUse)
		}
	default:
		if neg := r.first(r.from+1, min(r.from+5, r.to), tagNeg); neg >= 0 && neg+1 < more && r.toks[neg+1].is(tagOur, tagMy) {
			from = neg + 1
		}
	}
	if from < 0 || from >= more {
		return slot{}
	}
	return slot{subject: r.stems(from, more), attribute: attributeStatus, value: r.slice(more, more+phraseLength(r.toks, more, tagNoLonger))}
}
