package language

import (
	"cmp"
	"time"
)

// form is the elements of an expression, each the classes of which its token needs one.
type form []wordClass

const (
	optional wordClass = 1 << (63 - iota) // the element may be left out
	marked                                // a mark or "of" may stand before the element: "May, 2023"
	inner                                 // the element is an expression itself
)

// marks are what may stand before an element that is marked.
const marks = commaMark | dotMark | dashMark | ofWord

// dateRule is one form of expressions of time, and what they mean: no span for what only
// looks like the form. Relative ones hang on the anchor.
type dateRule struct {
	form     form
	mean     func(*dateParser, found) dateSpan
	relative bool
}

// Elements that stand in many forms.
const (
	the      = theWord | optional
	of       = ofWord | optional
	dot      = dotMark | optional
	someYear = yearNumber | marked | optional
	daytime  = partOfDay | optional
	side     = lastWord | nextWord | thisWord
)

// amount is the form of "a couple of weeks" and what stands behind it.
func amount(behind ...wordClass) form {
	return append(form{countWord, vagueWord | optional, of, unitWord}, behind...)
}

// dateGrammar are the forms, in the order in which they are tried: what says more comes
// first. "the" before a form belongs to it.
var dateGrammar = []dateRule{
	{form{fullDate}, (*dateParser).figures, false},
	{form{weekdayWord, commaMark | optional, the, inner}, (*dateParser).datedWeekday, false},
	{form{weekdayWord, commaMark | optional, the, nthWord}, (*dateParser).nthWeekday, true},

	{form{dayNumber, of, monthWord, dot, toWord, the, dayNumber, of, monthWord, someYear}, (*dateParser).monthDays, false},
	{form{monthWord, the, dayNumber, toWord, monthWord, the, dayNumber, someYear}, (*dateParser).monthDays, false},
	{form{dayNumber, toWord, the, dayNumber, of, monthWord, someYear}, (*dateParser).monthDays, false},
	{form{dayNumber, andWord, the, dayNumber, of, monthWord, someYear}, (*dateParser).daysBetween, false},
	{form{monthWord, dot, the, dayNumber, toWord, the, dayNumber, someYear}, (*dateParser).monthDays, false},
	{form{dayNumber, monthWord | marked, someYear}, (*dateParser).monthDays, false},
	{form{monthWord, dot, the, dayNumber, someYear}, (*dateParser).monthDays, false},
	{form{dayNumber, commaMark | andWord}, (*dateParser).listedDay, false},
	{form{dayNumber}, (*dateParser).bareDay, true},
	{form{dayNumber}, (*dateParser).nextDay, true},
	{form{monthWord, yearNumber | marked}, (*dateParser).monthOfYear, false},
	{form{monthWord}, (*dateParser).bareMonth, true},
	{form{holidayWord, unitWord | eveWord | optional, someYear}, (*dateParser).holiday, false},
	{form{holidayWord, tickMark, smallWord, unitWord | eveWord, someYear}, (*dateParser).holiday, false},
	{form{newWord, unitWord, tickMark | optional, smallWord | optional, unitWord | eveWord, someYear}, (*dateParser).holiday, false},

	{amount(agoWord), (*dateParser).away, true},
	{amount(fromWord, nowWord), (*dateParser).away, true},
	{amount(fromWord, inner), (*dateParser).unitsFrom, false},
	{amount(beforeWord|afterWord, toWord|optional, inner), (*dateParser).unitsBeside, false},
	{append(form{inWord}, amount()...), (*dateParser).away, true},
	{append(form{lastWord | nextWord}, amount()...), (*dateParser).stretch, true},
	{form{unitWord | weekdayWord, beforeWord, lastWord}, (*dateParser).unitBeyond, true},
	{form{unitWord | weekdayWord, afterWord, nextWord}, (*dateParser).unitBeyond, true},
	{form{unitWord, beforeWord | afterWord, toWord | optional, inner}, (*dateParser).unitsBeside, false},
	{form{unitWord, ofWord, inner}, (*dateParser).unitOf, false},

	{form{side, weekdayWord, daytime}, (*dateParser).directedWeekday, true},
	{form{side, monthWord}, (*dateParser).directedMonth, true},
	{form{side, seasonWord}, (*dateParser).directedSeason, true},
	{form{side, unitWord | partOfDay}, (*dateParser).directedUnit, true},
	{form{dayWord, daytime}, (*dateParser).relativeDay, true},
	{form{weekdayWord, daytime, beforeWord | afterWord, inner}, (*dateParser).weekdayBeside, false},
	{form{weekdayWord, daytime, of, side, unitWord}, (*dateParser).weekdayOfWeek, true},
	{form{weekdayWord, daytime}, (*dateParser).bareWeekday, true},
	{form{unitWord}, (*dateParser).theWeekend, true},

	{form{seasonWord | quarterWord, yearNumber | marked}, (*dateParser).seasonOfYear, false},
	{form{seasonWord | quarterWord, of, side, unitWord}, (*dateParser).seasonOfYear, true},
	{form{nthWord, unitWord, yearNumber | marked}, (*dateParser).seasonOfYear, false},
	{form{nthWord, unitWord, of, side, unitWord}, (*dateParser).seasonOfYear, true},
	{form{seasonWord}, (*dateParser).bareSeason, true},
	{form{quarterWord}, (*dateParser).bareQuarter, true},
	{form{partWord, ofWord, theWord, unitWord}, (*dateParser).partOfUnit, true},
	{form{partWord, dashMark | of, inner}, (*dateParser).partOf, false},
	{form{yearNumber, dashMark, yearNumber}, (*dateParser).years, false},
	{form{yearNumber}, (*dateParser).years, false},
	{form{decadeWord}, (*dateParser).decade, false},
}

// dateOpenings are the classes of the first tokens of all forms.
var dateOpenings = openingsOf(dateGrammar)

// openingsOf are the classes of the first tokens of rules.
func openingsOf(rules []dateRule) wordClass {
	var all wordClass
	for i := range rules {
		all |= rules[i].form[0]
	}
	return all
}

// dateParser reads expressions of time from tokens by the grammar.
type dateParser struct {
	rules    []dateRule
	openings wordClass // of the first tokens of all rules
	text     string
	tokens   []dateToken
	anchor   time.Time
	// said is the last span found that names a month, which "the 26th" goes on from.
	said dateSpan
}

// found is a form in the text: its tokens by element, −1 for one left out, what stands
// around it, the expression in it, and how deep that may nest.
type found struct {
	start, next   int
	the           bool      // "the" stands before it
	before, after dateToken // around it and its "the"
	form          form
	at            [10]int8
	inner         dateSpan
	innerAt       int
	depth         int
}

// at is the token at i, or a mark past the end.
func (p *dateParser) at(i int) dateToken {
	if i < 0 || i >= len(p.tokens) {
		return dateToken{is: stopMark}
	}
	return p.tokens[i]
}

// is reports whether the token at i has one of the classes.
func (p *dateParser) is(i int, c wordClass) bool {
	if i < 0 || i >= len(p.tokens) {
		return c&stopMark != 0
	}
	return p.tokens[i].is&c != 0
}

// span reads the expression that starts at token i.
func (p *dateParser) span(i, depth int) dateSpan {
	start, before := i, p.at(i-1)
	if p.is(i, theWord) {
		start++
	}
	first := p.at(start).is
	if depth <= 0 || first&p.openings == 0 || before.is&everyWord != 0 {
		return dateSpan{} // as at most tokens
	}
	f := found{start: start, depth: depth, before: before, the: start > i}
	for k := range p.rules {
		r := &p.rules[k]
		if first&r.form[0] == 0 || !p.matches(&f, r.form) {
			continue
		}
		if s := r.mean(p, f); s.from.Before(s.to) {
			s.relative = s.relative || r.relative
			s.next = cmp.Or(s.next, f.next)
			return s
		}
	}
	return dateSpan{}
}

// matches reads a form at the start of f. An element that may be left out is taken
// wherever it stands.
func (p *dateParser) matches(f *found, elements form) bool {
	i := f.start
	f.form = elements
	for k, want := range elements {
		j := i
		if want&marked != 0 && p.is(j, marks) {
			j++
		}
		f.at[k] = -1
		switch {
		case want&inner != 0:
			f.inner, f.innerAt = p.span(i, f.depth-1), i
			if i = f.inner.next; i == 0 {
				return false
			}
			f.inner.next = 0
		case p.is(j, want&^(optional|marked)):
			f.at[k], i = int8(j-f.start), j+1
		case want&optional == 0:
			return false
		}
	}
	f.next, f.after = i, p.at(i)
	return true
}

// token is the nth token of a form that has a class which its element asks for; the zero
// value if there is none.
func (p *dateParser) token(f found, class wordClass, nth int) dateToken {
	for k, want := range f.form {
		if want&class == 0 || f.at[k] < 0 {
			continue
		}
		if t := p.at(f.start + int(f.at[k])); t.is&class != 0 {
			if nth == 0 {
				return t
			}
			nth--
		}
	}
	return dateToken{}
}
