package memory

// maxClauses bounds how many further clauses of a sentence are read.
const maxClauses = 4

// clauses adds facts for the slots that further clauses of a sentence fill: "My name is
// Alex and I use PostgreSQL", "I live in Porto, work as a nurse". The whole sentence
// keeps its fact.
func (x *distiller) clauses(r *reading, main int) {
	if r.backward || r.thus {
		return
	}
	read := 0
	for start := r.clauseStart(r.lead + 2); start < r.stop && read < maxClauses; {
		end := r.clauseStart(start + 2)
		if !r.because.empty() && r.toks[start].start >= r.because.start {
			return
		}
		if x.clause(r, main, start, r.clauseEnd(start, end)) {
			read++
		}
		start = end
	}
}

// clauseStart is the start of the next clause at or after token i: after a punctuation
// mark or an "and", with a subject, or with the verb of the first clause's subject.
func (r *reading) clauseStart(i int) int {
	for ; i+1 < r.stop; i++ {
		prev, t := &r.toks[i-1], &r.toks[i]
		if !prev.mark(",") && !prev.mark(";") && !prev.mark(":") && !prev.mark("-") && prev.low != "and" && prev.low != "but" {
			continue
		}
		if t.kind == wordToken && t.low != "and" && t.low != "but" {
			return i
		}
	}
	return r.stop
}

// clauseEnd excludes the punctuation mark and the "and" before the next clause.
func (r *reading) clauseEnd(start, end int) int {
	if end >= r.stop {
		return r.stop
	}
	for end > start && (r.toks[end-1].kind == markToken || r.toks[end-1].low == "and" || r.toks[end-1].low == "but") {
		end--
	}
	return end
}

// clause adds the fact of the clause in tokens [start, end), if it fills another slot
// than the whole sentence. A clause without a subject begins with that of the sentence.
func (x *distiller) clause(r *reading, main, start, end int) bool {
	if end-start < 2 {
		return false
	}
	part := *r
	part.lead, part.stop, part.from, part.to, part.because, part.label = start, end, start, end, span{}, false
	at := span{r.toks[start].start, r.toks[end-1].end}
	if t := &r.toks[start]; !t.is(tagI, tagWe, tagMy, tagOur) {
		if !r.sharesSubject(start) {
			return false
		}
		at.start = r.toks[r.lead].start
		part.toks = append([]token{r.subject()}, r.toks[start:end]...)
		part.lead, part.from, part.stop, part.to = 0, 0, len(part.toks), len(part.toks)
	}
	part.findReason()
	if part.signs = part.theSigns(); part.backward || part.thus || !part.kind().Asserted() {
		return false
	}
	s := part.slot(x.speaker)
	if !s.filled() || s.subject == x.facts[main].Subject && s.attribute == x.facts[main].Attribute {
		return false
	}
	f := x.fact(at, part.kind())
	f.Subject, f.Attribute, f.Value, f.Former = s.subject, s.attribute, s.value, s.former
	if d, dated := r.dated(start, end); dated {
		f.When = Interval{From: d.From, To: d.To}
	}
	if !part.because.empty() {
		f.Because = part.text[part.because.start:part.because.end]
		if whole := &x.facts[main]; whole.Because == f.Because && whole.Kind != Cause {
			whole.Because = "" // it is the reason of this clause only
		}
	}
	return x.add(f) >= 0
}

// sharesSubject reports whether the clause at token start omits the "I" or "we" that the
// sentence begins with.
func (r *reading) sharesSubject(start int) bool {
	verb := &r.toks[start]
	if verb.low == "now" && start+1 < r.stop {
		verb = &r.toks[start+1]
	}
	if verb.kind != wordToken || verb.capital || verb.tech != 0 || verb.entryHas(tagStop) {
		return false
	}
	return r.toks[r.from].is(tagI, tagWe) && !verb.is(tagDet, tagHe, tagIt, tagYou, tagPrep, tagWh, tagIf, tagWhy, tagThe)
}

// subject is the sentence's "I" or "we", without a verb that is joined to it.
func (r *reading) subject() token {
	t := r.toks[r.from]
	t.low = "we"
	if t.is(tagI) {
		t.low = "i"
	}
	t.entry = r.l.words[t.low]
	t.tags = t.entry.tags
	return t
}
