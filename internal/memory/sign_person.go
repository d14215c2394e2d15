package memory

import (
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// otherPerson reports whether the subject is another person, or a company.
func (r *reading) otherPerson() bool {
	for i := r.from; i < min(r.from+4, r.to); i++ {
		t := &r.toks[i]
		if t.is(tagRelation, tagHe) || t.is(tagCompany) && t.capital {
			return true
		}
		if i > r.from && t.is(tagAux, tagBe, tagUse, tagI, tagWe) || t.entryHas(tagPrep) && i == r.from {
			return false
		}
	}
	t := &r.toks[r.from]
	return t.capital && t.entry == nil && t.tech == 0 && t.kind == wordToken && r.from+1 < r.to && content(&r.toks[r.from+1])
}

// hearsay reports whether a sentence begins with people who are not named, with a company,
// or with where it was read: what follows is not what the speakers say.
func (r *reading) hearsay() bool {
	for i := r.from; i < min(r.from+3, r.to); i++ {
		t := &r.toks[i]
		switch {
		case t.is(tagCompany) && t.capital && t.tech == 0, t.low == "according", t.low == "people":
			return true
		case i == r.from && (t.low == "they" || t.low == "they're" || t.low == "someone" || t.low == "somebody"):
			return true
		case i > r.from && (t.low == "heard" || t.low == "read" || t.low == "overheard") && r.firstPerson():
			return true
		case !t.is(tagDet, tagI) && t.low != "some":
			return false
		}
	}
	return false
}

// tasteAt is the word by which a sentence states a taste, and no wish of the moment: "I'd like to
// book a table", "I love how you did that". It is -1 if the sentence states none.
func (r *reading) tasteAt() int {
	at := r.first(r.from, min(r.from+8, r.to), tagLikes, tagHates)
	if at < 0 {
		return -1
	}
	if r.toks[at].is(tagHates) || r.toks[at].is(tagAttribute) || r.toks[r.from].is(tagMy) {
		return at
	}
	prev := &r.toks[max(at-1, r.from)]
	if momentary := prev.is(tagFirm) || prev.is(tagBe) || prev.low == "would" || strings.HasSuffix(prev.low, "'d"); momentary && r.toks[at].low != "prefer" && r.toks[at].low != "rather" {
		return -1
	}
	next := at + max(1, phraseLength(r.toks, at, tagLikes))
	if next >= r.stop || r.pointsOut(next) || r.toks[next].is(tagYou, tagWh, tagIf) {
		return -1
	}
	if it := &r.toks[next]; it.is(tagIt) && !it.is(tagDet) {
		return -1
	}
	return at
}

// pointsOut reports whether what stands from token i on is one of what lies at hand: "that", "the second one".
func (r *reading) pointsOut(i int) bool {
	if r.toks[i].is(tagIt) && (i+1 == r.stop || r.toks[i+1].kind == markToken) {
		return true
	}
	for k := i; k < min(i+3, r.stop) && r.toks[k].kind == wordToken; k++ {
		if r.toks[k].low == "one" || r.toks[k].low == "ones" {
			return r.toks[i].is(tagDet)
		}
	}
	return false
}

// tellsSelf reads "I'm 34", "I'm Maren" and "we're the platform team": the speakers say who
// they are.
func (r *reading) tellsSelf() bool {
	i := r.from
	if !r.toks[i].is(tagI, tagWe) {
		return false
	}
	if !r.toks[i].is(tagBe) {
		i++
	}
	if i+1 >= r.to || !r.toks[i].is(tagBe) || r.toks[i].is(tagPast) {
		return false
	}
	next := &r.toks[i+1]
	return next.kind == numberToken && len(next.low) < 4 || next.capital && next.entry == nil
}

// describesSelf reads the lasting traits of the speakers: "I work as a nurse", "my name is",
// "call me Lex". States that pass do not count: "I'm a bit late", "my phone died".
func (r *reading) describesSelf() bool {
	after := r.from + phraseLength(r.toks, r.from, tagSelf)
	if after == r.from || after >= r.stop {
		return after > r.from && r.toks[after-1].low == "old"
	}
	next := &r.toks[after]
	switch {
	case r.toks[r.from].is(tagMy):
		if r.toks[after-1].is(tagBe) {
			after--
		}
		return r.toks[after].is(tagBe, tagCopula) && r.definite(after+1)
	case phraseLength(r.toks, r.from, tagSelfName) > 0:
		return next.capital || next.kind == numberToken || next.mark(`"`)
	}
	passing := r.l.has(listNoJob, next.low) || next.is(tagTimeNoun, tagUnit) && next.kind == wordToken || next.is(tagDet) && next.low != "a" && next.low != "an"
	for i := after; i < min(after+4, r.stop); i++ {
		passing = passing || r.l.has(listParticular, r.toks[i].low)
	}
	return !passing && !slices.ContainsFunc(r.dates, func(d language.Date) bool { return d.Relative })
}

// ownPerson reads what lasts of the speakers' family and pets: "my sister's name is Anna",
// "my uncle is a pilot", "my birthday is on 3 May".
func (r *reading) ownPerson() bool {
	if !r.toks[r.from].is(tagMy) {
		return false
	}
	person := false
	for i := r.from + 1; i < min(r.from+6, r.to); i++ {
		t := &r.toks[i]
		if t.is(tagBe, tagCopula) {
			return person && r.definite(i+1)
		}
		if person = person || t.is(tagRelation, tagPet); !person || t.is(tagSpeech, tagUse) {
			return false
		}
	}
	return false
}

// namesOwn reads who a person with a name is to the speakers: "Milo is my cat", "Ana Lind is our landlady".
func (r *reading) namesOwn() bool {
	i := r.from
	for i < r.stop && r.toks[i].capital && r.toks[i].entry == nil {
		i++
	}
	if i == r.from || i > r.from+mostNamed || i+2 >= r.stop {
		return false
	}
	if !r.toks[i].is(tagBe) || !r.toks[i+1].is(tagMy, tagOur) {
		return false
	}
	for k := i + 2; k < min(i+2+mostNamed, r.stop); k++ {
		if n := max(phraseLength(r.toks, k, tagRelation), phraseLength(r.toks, k, tagPet)); n > 0 {
			return k+n >= r.stop || r.toks[k+n].kind == markToken || r.toks[k+n].entryHas(tagPrep)
		}
	}
	return false
}

// mostNamed is how many words a name has at most, and how many describe a relation: "my best friend".
const mostNamed = 3

// definite reports whether a name, a figure or a profession stands at token i.
func (r *reading) definite(i int) bool {
	for k := i; k < min(i+3, r.stop); k++ {
		t := &r.toks[k]
		d, dated := r.dated(k, k+1)
		switch {
		case t.capital, t.kind == numberToken, t.is(tagNumberWord), dated && !d.Relative, strings.ContainsRune(t.low, '@'), t.low == "called", t.low == "named":
			return true
		case k == i && (t.low == "a" || t.low == "an"):
			return i+1 < r.stop && !r.l.has(listNoJob, r.toks[i+1].low)
		}
	}
	return false
}

// isMoney reports whether a mark is that of a currency or of a share.
