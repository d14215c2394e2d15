package language

import (
	"slices"
	"time"
)

// Date is one expression of time found in a text.
type Date struct {
	// Start and End are the byte offsets of the expression in the text.
	Start, End int
	// From is the first instant meant, To the first one no longer meant. The
	// width is the precision: a day, a month, a whole year.
	From, To time.Time
	// Relative reports that the meaning hangs on the anchor: the same words
	// said another day would mean another time.
	Relative bool
}

// Dates finds the expressions of time in text, in order and without overlap.
//
// Relative ones ("last Tuesday", "two weeks ago", "in May") are resolved against
// anchor, the time at which the text was said, and in its location. With a zero
// anchor only absolute dates are found. Weeks begin on Monday (ISO 8601);
// seasons are those of the northern hemisphere. Where a language leaves the
// direction open ("on Friday"), the words before it decide: after "will" or
// "we're meeting" it lies ahead, otherwise behind.
func Dates(text string, anchor time.Time) []Date {
	var space [64]dateToken
	found := lexDates(text, space[:0])
	if !slices.ContainsFunc(found, tellsTime) {
		return nil // as in most texts
	}
	return datesOf(slices.Clone(found), anchor)
}

// datesOf finds the expressions of time among the tokens of a text.
func datesOf(tokens []dateToken, anchor time.Time) []Date {
	p := dateParser{tokens: tokens, anchor: anchor, relativeOK: !anchor.IsZero()}
	var out []Date
	for i := 0; i < len(tokens); {
		m, ok := p.date(i, maxDateDepth)
		if !ok || !p.places(m) {
			i++
			continue
		}
		out = append(out, Date{
			Start: int(tokens[i].start), End: int(tokens[m.next-1].end),
			From: m.from, To: m.to, Relative: m.relative,
		})
		if m.to.Sub(m.from) <= 25*time.Hour {
			p.said = m
		}
		i = m.next
	}
	return out
}

// maxDateDepth bounds "the week before the day after the month of …".
const maxDateDepth = 3

// places reports whether the days of a match are known: a relative one needs an anchor.
func (p *dateParser) places(m dateMatch) bool {
	return m.sane() && (p.relativeOK || !m.relative)
}

// dateMatch is a recognised expression: what it means and the token after it.
type dateMatch struct {
	from, to time.Time
	next     int
	relative bool
}

// sane rejects what arithmetic carried out of the years people write.
func (m dateMatch) sane() bool {
	return m.from.Year() >= 1 && m.to.Year() <= 9999 && m.from.Before(m.to)
}
