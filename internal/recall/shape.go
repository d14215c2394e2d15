package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// shape is a set of forms that a piece of text can have and by which it may
// answer: a sum of money, a weekday, a length of time.
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
	shapeName

	shapeDate = shapeDay | shapeMonth | shapeQuarter | shapeYear | shapeSeason
)

// shapeNames are their names in the lexicon; never written.
var shapeNames = [...]string{
	"money", "frequency", "length", "age", "share", "clock", "day", "month", "quarter", "year", "season", "version", "degrees", "number", "name",
}

// shaping is what the lexicon knows of a word's part in shapes: which it asks
// for, and whether it asks for nothing else; which it gives to a figure; which it
// has alone.
type shaping struct {
	ask, unit, word shape
	means           bool
}

// shapesIn are the shapes that a text has.
func shapesIn(text string) shape {
	l := theLexicon()
	var out shape
	money, before, figure := false, "", false
	for scan := language.Scan(text); ; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		low := strings.ToLower(text[w.Start:w.End])
		known := l.shapes[low]
		out |= known.word
		if known.word&shapeMonth != 0 && figure {
			out |= shapeDay
		}
		if figure {
			out |= known.unit
		}
		money = money || known.ask&shapeMoney != 0
		number := w.Number || l.asks[low]&givesNumber != 0 && low != "one"
		if number {
			out |= shapeNumber | figureShapes(text, &w, low, before, l)
		}
		// "two more weeks": a word may stand between a figure and its unit.
		figure = number || figure && known.unit == 0 && !w.Stop
		before = low
	}
	if money && out&shapeNumber != 0 {
		out |= shapeMoney
	}
	if out&shapeNumber != 0 && tellsAge(text) {
		out |= shapeAge
	}
	return out
}

// figureShapes are the shapes of one figure, by its own letters and by what
// stands right before and behind it.
func figureShapes(text string, w *language.Word, low, before string, l *lexicon) shape {
	out := shapeVersion
	if l.shapes[before].word&shapeMonth != 0 {
		out |= shapeDay
	}
	switch before {
	case "at", "by", "until", "till", "from", "before", "after", "around", "about":
		out |= shapeClock
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

// hasShape reports whether a passage has a shape that the question wants.
func (a *asked) hasShape(p *passage, seen *look) bool {
	if seen.shapes&a.wants != 0 {
		return true
	}
	if a.wants&shapeDate != 0 && (p.fact != nil && !p.fact.When.IsZero() || len(language.Dates(p.text, p.saidAt)) > 0) {
		return true
	}
	return a.wants&shapeName != 0 && (seen.foreign || seen.person || strings.ToLower(p.text) == p.text)
}
