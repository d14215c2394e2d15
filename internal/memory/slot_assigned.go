package memory

// assignedSlot reads "raised the limit from 100 to 200", "moved the deadline to
// Friday", "the price went up to 20 €".
func (r *reading) assignedSlot(string) slot {
	verb := r.first(r.from, r.to, tagAssign)
	for verb >= 0 && !r.verbLike(verb) {
		verb = r.first(verb+1, r.to, tagAssign)
	}
	if verb < 0 {
		return slot{}
	}
	after := verb + max(1, phraseLength(r.toks, verb, tagAssign))
	if low := r.toks[after-1].low; low == "from" || low == "to" {
		after--
	}
	to := r.word(after, r.to, "to")
	if to < 0 || to+1 >= r.to || to-after > 9 || !r.hasFigure(to+1) || r.toks[to+1].tech != 0 {
		return slot{}
	}
	from := r.word(after, to, "from")
	end := to
	if from >= 0 {
		end = from
	}
	subject := r.stems(after, min(end, to))
	if subject == "" {
		for end = verb; end > r.from+1 && (r.toks[end-1].is(tagBe, tagAux, tagNow) || r.toks[end-1].low == "got" || r.toks[end-1].low == "gets"); {
			end--
		}
		subject = r.stems(r.nounStart(r.from), end)
	}
	s := slot{subject: subject, attribute: attributeIs, value: r.value(to + 1)}
	if from >= 0 && from < to {
		s.former = r.slice(from+1, to)
	}
	return s
}

// verbLike distinguishes the verbs "limit" and "change" from the nouns, by an ending or
// by the previous word.
func (r *reading) verbLike(i int) bool {
	t := &r.toks[i]
	if i == r.from || t.entry == nil || t.entry.base != t.entry.text || phraseLength(r.toks, i, tagAssign) > 1 {
		return true
	}
	prev := &r.toks[i-1]
	return t.is(tagPast) || prev.is(tagI, tagWe, tagAux, tagBe, tagNeg) || prev.low == "to" || prev.low == "and" || prev.capital || t.low == "set"
}
