package memory

import "github.com/hermes-memory/hermes/internal/language"

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
// than the whole sentence.
func (x *distiller) clause(r *reading, main, start, end int) bool {
	if end-start < 2 {
		return false
	}
	part := *r
	part.lead, part.stop, part.from, part.to, part.because, part.label = start, end, start, end, span{}, false
	at := span{r.toks[start].start, r.toks[end-1].end}
	statement := x.d.Text[at.start:at.end]
	if t := &r.toks[start]; !t.is(tagI, tagWe, tagMy, tagOur) {
		whole, ok := x.withSubject(r, start, at)
		if !ok {
			return false
		}
		part, statement = *whole, whole.text
	}
	part.findReason()
	if part.backward || part.thus || part.mood() != Plain {
		return false
	}
	s := part.slot(x.speaker)
	if !s.filled() || s.subject == x.facts[main].Subject && s.attribute == x.facts[main].Attribute {
		return false
	}
	kind, worth := part.kind(s)
	if !worth {
		return false
	}
	f := x.fact(at, kind)
	f.Statement = statement
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

// withSubject reads a clause that omits its "I" or "we".
func (x *distiller) withSubject(r *reading, start int, at span) (*reading, bool) {
	subject, verb := &r.toks[r.from], &r.toks[start]
	if verb.low == "now" && start+1 < r.stop {
		verb = &r.toks[start+1]
	}
	if !subject.is(tagI, tagWe) || verb.capital || verb.tech != 0 || verb.kind != wordToken ||
		verb.is(tagDet, tagHe, tagIt, tagYou, tagPrep, tagWh, tagIf, tagWhy, tagThe) || verb.entryHas(tagStop) {
		return nil, false
	}
	word := subject.low
	switch word {
	case "i'm", "i've", "i'd", "i'll":
		word = "I"
	case "we're", "we've", "we'd", "we'll":
		word = "we"
	case "i":
		word = "I"
	}
	text := word + " " + x.d.Text[at.start:at.end]
	out := &reading{l: x.l, text: text, Sentence: language.Sentence{End: len(text)}}
	out.toks = appendTokens(x.l, nil, text, 0, len(text))
	return out, out.read()
}
