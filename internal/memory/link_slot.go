package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// slot compares the slots of two facts. A newer fact that only remarks on the thing, or
// adds to it, gives no other value.
func (p *pairing) slot(was, now *Fact) {
	remarks := p.was.valued() && !p.now.valued() && !p.now.cues.any(endCues|negationCues)
	figureless := p.was.numFigures > 0 && p.now.numFigures == 0
	if remarks || figureless || p.now.cues.any(alsoCues) || now.Attribute == "" {
		return
	}
	slot := now.Subject == was.Subject && now.Attribute == was.Attribute
	p.v.when(sameSlot, slot && now.Value != was.Value && (now.Attribute != whatItIs || p.excludes(was, now)))
}

// whatItIs is the attribute of "the lead is Anna". Much can be said of a thing in this form that holds at once: "Maria is a
// nurse", "Maria is looking for a flat".
const whatItIs = "is"

// leastAlike is the cosine from which two values are of one sort. Of 24 pairs that exclude each other (a nurse, a doctor;
// approved, rejected) 15 reach it, and of 22 that do not (a nurse, looking for a flat) none.
const leastAlike = 0.32

// excludes reports whether the newer value of what a thing is can hardly hold with the older one. A word of change, such
// as "now", says that it does not. Values that are told in different forms hold at once: "a nurse", "from Porto".
func (p *pairing) excludes(was, now *Fact) bool {
	if p.measured() {
		return true
	}
	alike := p.now.cues.any(turnCues) || ofOneSort(was.Value, now.Value)
	return alike && formOf(p.l, was) == formOf(p.l, now)
}

// valueForm is the form in which a statement tells what a thing is.
type valueForm uint8

const (
	bareForm   valueForm = iota // "is broken", "is Anna"
	nounForm                    // "is a nurse", "is the captain"
	placeForm                   // "is in Lyon"
	originForm                  // "is from Gotland"
)

// formOf reads the form of a fact's value from the word before it.
func formOf(l *lexicon, f *Fact) valueForm {
	at := strings.Index(f.Statement, f.Value)
	if at < 0 {
		return bareForm
	}
	before := strings.Fields(lowered(f.Statement[:at]))
	first, _, _ := strings.Cut(lowered(f.Value), " ")
	for _, word := range append(before[max(0, len(before)-2):], first) {
		switch {
		case l.has(listOrigin, word):
			return originForm
		case l.has(listPlace, word):
			return placeForm
		case l.has(listDefinite, word), l.has(listPossessive, word), l.has(listOne, word):
			return nounForm
		}
	}
	return bareForm
}

// ofOneSort reports whether two values can be those of one thing at two times, and hardly at one: their meanings are
// alike, both are names, or neither has a word whose meaning is known.
func ofOneSort(a, b string) bool {
	was, now := wordvec.Of(a), wordvec.Of(b)
	unknown := was.Known()+now.Known() == 0
	return unknown || isName(a) && isName(b) || was.Cosine(&now) >= leastAlike
}

// measured reports whether both statements have figures, or both dates.
func (p *pairing) measured() bool {
	return p.was.numFigures > 0 && p.now.numFigures > 0 || p.was.numDays > 0 && p.now.numDays > 0
}

// isName reports whether a value begins with a capital letter.
func isName(value string) bool {
	first, _ := utf8.DecodeRuneInString(value)
	return unicode.IsUpper(first)
}
