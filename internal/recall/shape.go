package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// shape is a set of forms that a text can have and the question can ask for: a sum of
// money, a weekday, a duration.
type shape uint32

// The shapes, in the order of shapeNames.
const (
	shapeMoney shape = 1 << iota
	shapeFrequency
	shapeLength
	shapeAge
	shapeShare
	shapeClock
	shapeDay
	shapeMonth
	shapeQuarter
	shapeYear
	shapeSeason
	shapeVersion
	shapeDegrees
	shapeNumber
	shapeMeasure
	shapeName

	shapeDate = shapeDay | shapeMonth | shapeQuarter | shapeYear | shapeSeason
)

// shapeNames are the names of shapes in the lexicon; never written.
var shapeNames = [...]string{
	"money", "frequency", "length", "age", "share", "clock", "day", "month", "quarter", "year", "season", "version", "degrees", "number", "measure", "name",
}

// shaping are the shapes that the lexicon gives to a word: those that it asks for, and
// whether it asks for nothing else; those that it gives to a figure; those that it has
// alone.
type shaping struct {
	ask, unit, word shape
	means           bool
}

// shapesIn are the shapes that a text has.
func shapesIn(text string) shape {
	r := shapeReader{l: theLexicon(), text: text, money: far, amount: far}
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		r.word(&w)
	}
	if r.plain > 0 {
		r.found |= shapeNumber
		if tellsAge(text) {
			r.found |= shapeAge
		}
	}
	return r.found
}

// shapeReader reads the figures of a text.
type shapeReader struct {
	l     *lexicon
	text  string
	found shape
	// at is the number of words so far; end is the end of the last word.
	at, end int
	before  string
	// figure is set after a number until its unit. plain counts the numbers that are
	// not dates.
	figure bool
	plain  int
	// rhythm says that the figure follows "every".
	rhythm bool
	// money and amount are the positions where the clause last mentioned a price and a
	// plain number.
	money, amount int
}

// word reads the next word.
func (r *shapeReader) word(w *language.Word) {
	if strings.ContainsAny(r.text[min(r.end, w.Start):w.Start], ",;") {
		r.money, r.amount = far, far // a price stands in the clause that speaks of one
	}
	low := strings.ToLower(r.text[w.Start:w.End])
	known := r.l.shapes[low]
	if low == "since" && !datedNext(r.text[w.End:]) {
		known.word = 0 // "since the load was crushing us" is no duration
	}
	r.found |= known.word
	if isOrdinal(low) && strings.HasPrefix(r.text[w.End:], " of ") {
		r.found |= shapeDay // "the third of each month"
	}
	if (r.before == "a" || r.before == "an") && known.unit&shapeLength != 0 {
		r.found |= shapeLength // "for a day"
	}
	if known.ask&shapeMoney != 0 || trades(string(w.Stem)) {
		r.money = r.at
		if r.at-r.amount <= 5 {
			r.found |= shapeMoney
		}
	}
	if strings.ContainsAny(r.text[min(r.end, w.Start):w.Start], ",;:") && r.end > 0 {
		r.figure = false // a word after a punctuation mark is no unit
	}
	number := w.Number || r.l.asks[low]&givesNumber != 0 && low != "one"
	if r.figure {
		r.unit(w, &known, number)
	}
	if number {
		r.number(w, low)
		r.rhythm = r.before == "every"
	}
	// "two more weeks": a word may stand between a figure and its unit.
	if number && len(low) == 4 && (strings.HasPrefix(low, "19") || strings.HasPrefix(low, "20")) && (r.before == "in" || r.before == "since" || r.before == "of" || r.before == "until") {
		number = false // a year
	}
	r.figure = number || r.figure && known.unit == 0 && !w.Stop
	r.before, r.end = low, w.End
	r.at++
}

// unit reads the word after a figure.
func (r *shapeReader) unit(w *language.Word, known *shaping, number bool) {
	if unit := known.unit; r.rhythm {
		r.found |= unit&^shapeLength | shapeFrequency // "every 5 minutes"
	} else {
		r.found |= unit
	}
	if known.word&shapeMonth != 0 {
		r.found |= shapeDay
		if !number {
			r.plain-- // "3 June" is no amount
		}
	}
	if known.unit == shapeFrequency {
		r.plain-- // "3 times"
	} else if !w.Stop && known.unit&shapeLength == 0 {
		r.found |= shapeMeasure
	}
}

// number reads a figure.
func (r *shapeReader) number(w *language.Word, low string) {
	shapes := figureShapes(r.text, w, low, r.before, r.l)
	r.found |= shapes
	if leadsToMeasure(r.before) && !isClock(r.text, w) {
		r.found |= shapeMeasure
	}
	if shapes&shapeDate == 0 && !isClock(r.text, w) || shapes&(shapeMoney|shapeShare) != 0 {
		r.plain++
		r.amount = r.at
		if next, _ := firstWord(r.text[w.End:]); r.at-r.money <= 6 && next != "of" && !r.pieces(next) {
			r.found |= shapeMoney
		}
	}
}

// datedNext reports whether one of the next words belongs to a date.
func datedNext(rest string) bool {
	for range 3 {
		word := ""
		word, rest = firstWord(rest)
		if word == "" || word[0] >= '0' && word[0] <= '9' || theLexicon().shapes[word].word&shapeDate != 0 || theLexicon().shapes[word].unit&shapeLength != 0 {
			return word != ""
		}
		switch word {
		case "last", "then", "childhood", "birth", "always":
			return true
		}
	}
	return false
}

// pieces reports whether a word after a figure names the traded things and not the
// money: "bought 30 shares".
func (r *shapeReader) pieces(next string) bool {
	known := r.l.shapes[next]
	return len(next) > 3 && strings.HasSuffix(next, "s") && known.unit&(shapeMoney|shapeLength) == 0 && !language.Stop(next)
}

// isOrdinal reports whether a word gives a place in a row.
func isOrdinal(low string) bool {
	return theLexicon().has(listOrdinal, low)
}

// trades reports whether a word is about buying or selling, so that a plain figure in
// the sentence may be the price.
func trades(stem string) bool {
	return theLexicon().has(listTrading, stem)
}

// figureShapes are the shapes of one figure, judged by its characters and by the words
// before and after it.
func figureShapes(text string, w *language.Word, low, before string, l *lexicon) shape {
	out := shape(0)
	if w.Number {
		out |= shapeVersion
	}
	for _, rate := range l.parts[partRate] {
		if strings.HasPrefix(text[w.End:], rate) {
			out |= shapeMoney
		}
	}
	if week := before == "week" || before == "weeks"; week {
		out |= shapeDay
	}
	if l.shapes[before].word&shapeMonth != 0 {
		out |= shapeDay
	}
	switch before {
	case "at", "by", "until", "till", "before", "after":
		if len(low) <= 2 || l.shapes[low].unit == 0 && !w.Number {
			out |= shapeClock
		}
	case "age", "aged":
		out |= shapeAge
	}
	if w.Start > 0 && strings.ContainsAny(text[max(0, w.Start-3):w.Start], "$€£¥") {
		out |= shapeMoney
	}
	digits := len(low) - len(strings.TrimLeft(low, "0123456789.,"))
	if tail := low[digits:]; tail != "" {
		out |= l.shapes[tail].unit
		if tail == "st" || tail == "nd" || tail == "rd" || tail == "th" {
			out |= shapeDay
		}
	}
	if digits == 4 && len(low) == 4 && (strings.HasPrefix(low, "19") || strings.HasPrefix(low, "20")) {
		out |= shapeYear
	}
	after := text[w.End:]
	switch {
	case strings.HasPrefix(after, "%"), strings.HasPrefix(after, " %"):
		out |= shapeShare
	case strings.HasPrefix(after, "°"), strings.HasPrefix(after, " °"):
		out |= shapeDegrees
	case strings.HasPrefix(after, "€"), strings.HasPrefix(after, " €"), strings.HasPrefix(after, "$"), strings.HasPrefix(after, " $"), strings.HasPrefix(after, "£"):
		out |= shapeMoney
	case len(after) > 1 && after[0] == ':' && after[1] >= '0' && after[1] <= '9':
		out |= shapeClock
	case len(after) > 1 && (after[0] == '/' || after[0] == '-' || after[0] == '.') && after[1] >= '0' && after[1] <= '9':
		out |= shapeShare | shapeDay | shapeMonth
	}
	return out
}

// hasShape reports whether a passage has a shape that the question asks for.
func (a *asked) hasShape(p *passage, seen *look) bool {
	if seen.shapes&a.wants != 0 || a.wants == shapeMoney && (within(p.text, " cost us ") || within(p.text, " cost me ")) {
		return true
	}
	if a.wants&shapeDate != 0 && (p.fact != nil && !p.fact.When.IsZero() || len(language.Dates(p.text, p.saidAt)) > 0) {
		return true
	}
	return a.wants&shapeName != 0 && (seen.foreign || opensWithName(p.text) || strings.ToLower(p.text) == p.text)
}

// opensWithName reports whether a text seems to begin with a name: a capitalized word
// that is no common word, followed by a verb.
func opensWithName(text string) bool {
	first, rest := firstWord(text)
	verb, _ := firstWord(rest)
	stem := language.Stem(first)
	if first == "" || language.Stop(first) || theLexicon().listed[stem] || strings.HasSuffix(first, "ed") || strings.HasSuffix(first, "ing") || strings.HasSuffix(first, "ly") {
		return false
	}
	switch verb {
	case "is", "was", "has", "had", "will", "does", "did", "and", "can":
		return true
	}
	return strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "ed")
}

// leadsToMeasure reports whether a figure after the word measures the subject: "the
// pool is 25".
func leadsToMeasure(before string) bool {
	switch before {
	case "is", "are", "was", "were", "be", "of", "to", "under", "over", "than", "about", "around", "roughly", "exactly", "i'm", "at", "up", "only", "just", "maximum", "minimum", "max", "min", "nearly", "almost":
		return true
	}
	return false
}
