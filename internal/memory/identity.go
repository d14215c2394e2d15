package memory

import "strings"

// isIdentity reports whether the speakers say who they are: name, work, home, origin,
// or a lasting detail of theirs or of their family. Actions and experiences do not
// count.
func (r *reading) isIdentity(s slot) bool {
	if s.attribute == attributeName && (r.firstPerson() && !r.toks[r.from].is(tagMy, tagOur) || r.toks[r.from].low == "this" || r.first(r.from, min(r.from+3, r.to), tagNamed) >= 0) {
		return true
	}
	switch first := &r.toks[r.from]; {
	case first.is(tagMy):
		return r.ownDetail()
	case !first.is(tagI, tagWe):
		return false
	}
	if r.tellsOwnAge() {
		return true
	}
	at := r.first(r.from, min(r.from+4, r.to), tagSelf)
	if at < 0 {
		return r.first(r.from, r.to, tagSelf) >= 0 && r.first(r.from, r.to, tagUnit) >= 0 && r.toks[r.from].is(tagI) && r.word(r.from, r.to, "old") > 0
	}
	after := at + phraseLength(r.toks, at, tagSelf)
	if r.toks[after-1].low == "old" {
		return true
	}
	return after < r.to && r.describes(at, after)
}

// tellsOwnAge reads "I'm 34" and "I am 34, turning 35 in May".
func (r *reading) tellsOwnAge() bool {
	i := r.from + 1
	if r.toks[r.from].low == "i" && i < r.to && r.toks[i].low == "am" {
		i++
	} else if r.toks[r.from].low != "i'm" {
		return false
	}
	if i >= r.to || r.toks[i].kind != numberToken || len(r.toks[i].low) > 3 {
		return false
	}
	return i+1 == r.to || r.toks[i+1].mark(",") || r.toks[i+1].is(tagAnd) || r.toks[i+1].low == "years" || r.toks[i+1].low == "now"
}

// describes reports whether the words after those of identity at token at say who a
// person is, and not their present state. "I'm the last one here", "I joined the call"
// and "I live for weekends" do not count.
func (r *reading) describes(at, after int) bool {
	next := &r.toks[after]
	switch {
	case r.notAJob(after):
		return false
	case phraseLength(r.toks, at, tagSelfName) > 0:
		return next.capital || next.kind == numberToken || next.mark(`"`)
	case r.toks[after-1].low == "live":
		return next.low != "for" && next.low != "off" && next.low != "to"
	case r.toks[after-1].low == "study" || r.toks[after-1].low == "studied" || r.toks[after-1].low == "studying":
		return !next.is(tagDet)
	}
	if last := r.toks[after-1].low; (last == "from" || last == "in") && next.is(tagDet) && next.low != "a" {
		return false // "I come from the meeting", "I work in the garden"
	}
	if last := r.toks[after-1].low; last != "a" && last != "an" && last != "the" {
		return true
	}
	if next.is(tagTimeNoun, tagUnit) && next.kind == wordToken {
		return false // "I was a minute early"
	}
	for i := after; i < min(after+4, r.to); i++ {
		if r.l.has(listParticular, r.toks[i].low) {
			return false
		}
	}
	for _, d := range r.dates {
		if d.Relative {
			return false // "I'm a slow reader today"
		}
	}
	return true
}

// ownDetail reads a lasting detail of the speakers or their family: "my sister's name
// is Anna", "my birthday is on 3 May", "my wife is a doctor".
func (r *reading) ownDetail() bool {
	be, person, detail := -1, false, phraseLength(r.toks, r.from, tagSelf) > 0
	for i := r.from + 1; i < min(r.from+8, r.to); i++ {
		t := &r.toks[i]
		if t.is(tagBe, tagCopula) {
			be = i + max(1, phraseLength(r.toks, i, tagCopula))
			break
		}
		if t.kind == markToken && !t.mark("'") && !t.mark(",") || t.is(tagAux) || t.entryHas(tagPast) || t.is(tagI, tagWe) {
			return false
		}
		person = person || t.is(tagRelation, tagPet)
		detail = detail || t.is(tagAttribute)
	}
	if be < 0 || be >= r.to || !person && !detail || r.toks[be].is(tagNeg) {
		return false
	}
	for i := r.from + 1; i < be; i++ {
		if t := &r.toks[i]; r.l.has(listDetail, t.low) {
			return r.isHeadNoun(i, be) || t.low == "called" || t.low == "named"
		}
	}
	return r.definite(be, person && !detail)
}

// isHeadNoun reports whether the noun at i is the subject of the copula at be: in "my
// job is", but not in "my job interview is".
func (r *reading) isHeadNoun(i, be int) bool {
	return i+1 < be && (r.toks[i+1].is(tagBe, tagCopula) || r.toks[i+1].entryHas(tagPrep) && r.toks[i+2].capital)
}

// definite reports whether the value at token i is a name, a figure or a date, or, for
// a person, a profession.
func (r *reading) definite(i int, person bool) bool {
	if t := &r.toks[i]; person && (t.low == "a" || t.low == "an") {
		return i+1 < r.to && !r.notAJob(i+1)
	}
	for k := i; k < min(i+5, r.to); k++ {
		t := &r.toks[k]
		if t.kind == numberToken || t.is(tagNumberWord) || t.capital || strings.ContainsRune(t.low, '@') {
			return true
		}
		if person && k > i {
			return false
		}
		if _, dated := r.dated(k, k+1); dated {
			return true
		}
	}
	return false
}
