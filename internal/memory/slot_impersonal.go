package memory

// shopSlot reads "we're a Python shop".
func (r *reading) shopSlot(speaker string) slot {
	if !r.toks[r.from].is(tagWe) {
		return slot{}
	}
	be := r.first(r.from, min(r.from+3, r.to), tagBe)
	if be < 0 || r.first(r.from, r.to, tagNeg) >= 0 {
		return slot{}
	}
	for i := be + 1; i+1 < min(be+5, r.to); i++ {
		t := &r.toks[i]
		if t.entry != nil && t.entry.tech != 0 && r.toks[i-1].is(tagDet) && r.toks[i+1].is(tagGroup) {
			s := slot{subject: r.who(speaker), attribute: r.l.categories[t.entry.tech], value: r.slice(i, i+1)}
			if t.tech != 0 {
				s.attribute, s.value = r.l.categories[t.tech], r.slice(i, i+int(t.techLen))
			}
			return s
		}
	}
	return slot{}
}

// impersonal is the technology or the alternative in "it's plain JavaScript again",
// where "it" means everything; -1 for none.
func (r *reading) impersonal() int {
	from := r.impersonalSubject()
	if from < 0 {
		return -1
	}
	to := from + 1
	for to < r.to && r.toks[to].kind != markToken {
		to++
	}
	switch r.toks[to-1].low {
	case "again", "now", "everywhere", "days":
	default:
		return -1
	}
	be := r.first(from, min(from+2, to), tagBe)
	for i := max(be+1, from+1); be >= 0 && i < min(be+5, to); i++ {
		if t := &r.toks[i]; t.tech != 0 || t.choice != 0 {
			end := i + max(1, int(t.techLen), r.choiceLengthAt(i))
			if end < to && (r.toks[end].is(tagNow) || r.toks[end].low == "again" || r.toks[end].low == "everywhere" || r.toks[end].low == "all") {
				return i
			}
			return -1
		}
	}
	return -1
}

// impersonalSubject is the "it" of such a clause, at its start or after words of time
// ("as of this sprint it's …"); -1 for none.
func (r *reading) impersonalSubject() int {
	limit := r.from + 1
	if t := &r.toks[r.from]; t.is(tagAdverbial, tagNow) || t.low == "as" || t.low == "from" {
		limit = min(r.from+8, r.to)
	}
	for i := r.from; i < limit; i++ {
		switch r.toks[i].low {
		case "it's", "it", "that's", "everything", "everything's":
			return i
		}
		if r.toks[i].is(tagI, tagWe, tagHe, tagBe, tagAux) {
			return -1
		}
	}
	return -1
}

// impersonalSlot is the slot for the result of [reading.impersonal].
func (r *reading) impersonalSlot(speaker string) slot {
	i := r.impersonal()
	if i < 0 {
		return slot{}
	}
	s := r.choose(i, speaker)
	s.subject = subjectWe
	return s
}

// passiveSlot reads an activity with a technology in the passive voice: "emails are
// sent with SendGrid".
func (r *reading) passiveSlot(string) slot {
	if r.toks[r.from].is(tagI, tagWe, tagIt, tagHe) || r.first(r.from, r.to, tagMinus, tagPlus, tagSwitch, tagSwap, tagNeg) >= 0 {
		return slot{}
	}
	be := r.first(r.from+1, min(r.from+6, r.to), tagBe)
	if be < 0 || be+3 > r.to || r.word(r.from, be, ",") >= 0 {
		return slot{}
	}
	verb := be + 1
	if t := &r.toks[verb]; t.kind != wordToken || !r.isPast(verb) && !t.is(tagPast) && t.low != "done" && t.low != "drawn" && t.low != "run" {
		return slot{}
	}
	switch r.toks[verb+1].low {
	case "with", "via", "through", "by", "in", "on", "using", "from":
	default:
		return slot{}
	}
	for i := verb + 2; i < min(verb+5, r.to); i++ {
		if t := &r.toks[i]; t.tech != 0 {
			subject := r.stems(r.nounStart(r.from), be)
			if subject == "" || subject == "everything" {
				subject = subjectWe
			}
			return slot{subject: subject, attribute: r.l.categories[t.tech], value: r.slice(i, r.versionEnd(i+int(t.techLen)))}
		}
		if t := &r.toks[i]; t.kind == markToken {
			break
		}
	}
	return slot{}
}

// fromToSlot reads a change from one technology to another of its category, whatever
// the verb: "we took billing off Stripe and onto Adyen".
func (r *reading) fromToSlot(speaker string) slot {
	if r.first(r.from, r.to, tagNeg) >= 0 {
		return slot{}
	}
	old := -1
	for i := r.from + 1; i+1 < r.to; i++ {
		switch r.toks[i].low {
		case "from", "off", "of", "out":
			if old < 0 {
				old = r.techNear(i + 1)
			}
		case "to", "onto", "into":
			now := r.techNear(i + 1)
			if old < 0 || now < 0 || r.toks[old].tech != r.toks[now].tech {
				continue
			}
			s := r.choose(now, speaker)
			s.subject = r.who(speaker)
			s.former = r.slice(old, old+int(r.toks[old].techLen))
			return s
		}
	}
	return slot{}
}

// techNear is the technology named at token i or right after it; -1 for none.
func (r *reading) techNear(i int) int {
	for k := i; k < min(i+3, r.to); k++ {
		if r.toks[k].tech != 0 {
			return k
		}
		if r.toks[k].kind == markToken || r.toks[k].is(tagAnd) {
			break
		}
	}
	return -1
}
