package memory

import "strings"

// unit is a statement that can stand alone: sentences that follow each other, from and to
// inclusive.
type unit struct {
	from, to int
	kind     Kind
}

// maxUnit bounds a statement, in bytes: a longer one is not understood better.
const maxUnit = 480

// gather makes sentence i a unit. If it cannot stand alone, the unit begins with the
// sentence before it that can.
func (x *distiller) gather(i int, kind Kind) {
	from := i
	for from > 0 && x.leans(from) && x.sentences[i].End-x.sentences[from-1].Start <= maxUnit {
		from--
	}
	if from > 0 && from < i && x.leans(from) {
		from = i // too far to go: quoted alone, it is at least not cut
	}
	if kind == Negated {
		from = i
	} else if n := len(x.units); n > 0 && x.units[n-1].to >= from {
		last := &x.units[n-1]
		if x.sentences[i].End-x.sentences[last.from].Start <= maxUnit {
			last.to, last.kind = i, stronger(last.kind, kind)
			return
		}
		from = i
	}
	x.units = append(x.units, unit{from, i, kind})
}

// leans reports whether sentence i needs the one before it to be understood: it begins with
// a pronoun or a conjunction, it has few words or no subject, or it is an item below its
// heading.
func (x *distiller) leans(i int) bool {
	r, before := &x.sentences[i], &x.sentences[i-1]
	if r.fresh || r.apart || before.foreign || before.signs.hasAny(signsOf(signAsks, signOpensQuestion)) {
		return false
	}
	if r.signs.has(signBullet) || before.signs.has(signColon) {
		return true
	}
	first, lead := &r.toks[0], &r.toks[r.lead]
	if lead.is(tagIt) || lead.is(tagHe) && !lead.is(tagRelation) || first.is(tagAnd) || first.low == "so" {
		return true
	}
	if bare := lead.entryHas(tagStop) && !lead.is(tagDet, tagI, tagWe); bare && !r.signs.hasAny(signsOf(signI, signIWithin, signName, signIs)) {
		return true // "down to 3"
	}
	return r.backward || r.signs.has(signShort) && !r.signs.has(signI) || r.signs.has(signElided) && !r.signs.has(signName)
}

// words is the sentence as it stands in the message.
func (r *reading) words() span { return span{r.Start, r.End} }

// lastByte is the end of the sentence without the punctuation that closes it.
func (r *reading) lastByte() int { return r.toks[r.stop-1].end }

// quoteOf are the words of a unit.
func (x *distiller) quoteOf(u unit) span {
	return span{x.sentences[u.from].Start, x.sentences[u.to].End}
}

// statementStart is where a unit begins without its filler ("oh, by the way,").
func (x *distiller) statementStart(u unit) int {
	first := &x.sentences[u.from]
	if u.from == u.to && first.backward {
		return first.Start // "that's why" belongs to what follows
	}
	return first.toks[first.lead].start
}

// statementBeforeQuestion keeps the statement in "We're on Postgres 15, how do I tune it?".
func (x *distiller) statementBeforeQuestion(i int) {
	r := &x.sentences[i]
	if !r.firstPerson() || r.signs.has(signIf) || r.foreign {
		return
	}
	for k := r.from + 3; k+1 < r.stop; k++ {
		if !strings.Contains(",-;", r.toks[k].low) || r.toks[k].kind != markToken {
			continue
		}
		next := &r.toks[k+1]
		if next.is(tagAnd) && k+2 < r.stop {
			next = &r.toks[k+2]
		}
		if !next.is(tagWh, tagAux) {
			continue
		}
		part := *r
		part.End, part.toks, part.stop, part.to, part.because = r.toks[k].start, r.toks[:k], k, k, span{}
		part.signs = part.theSigns()
		if x.judge(&part); part.kind().Asserted() && part.isWorth() {
			x.keepPart(&part)
		}
		return
	}
}

// keepPart adds the fact of a part of a sentence that stands alone.
func (x *distiller) keepPart(r *reading) {
	f := x.fact(span{r.toks[r.lead].start, r.lastByte()}, r.kind())
	s := r.slot(x.speaker)
	f.Subject, f.Attribute, f.Value = s.subject, s.attribute, s.value
	if len(r.dates) > 0 && r.dates[0].End <= r.End {
		f.When = Interval{From: r.dates[0].From, To: r.dates[0].To}
	}
	x.add(f)
}
