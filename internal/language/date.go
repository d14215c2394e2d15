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
// direction open ("on Friday"), the words of its clause decide: what is planned or
// told in the present lies ahead, what is told in the past behind. A weekday of which
// nothing tells lies ahead. "On Friday" is not the day itself; "Friday" alone may be.
func Dates(text string, anchor time.Time) []Date {
	var space [64]dateToken
	found := lexDates(text, space[:0], nil)
	if !slices.ContainsFunc(found, tellsTime) {
		return nil // as in most texts
	}
	return datesOf(text, slices.Clone(found), anchor)
}

// datesOf finds the expressions of time among the tokens of a text.
func datesOf(text string, tokens []dateToken, anchor time.Time) []Date {
	return (&dateParser{rules: dateGrammar, openings: dateOpenings, text: text, tokens: tokens, anchor: anchor}).dates()
}

// dates finds the expressions of time among all tokens.
func (p *dateParser) dates() []Date {
	var out []Date
	tokens, anchor := p.tokens, p.anchor
	for i := 0; i < len(tokens); {
		s := p.span(i, maxDateDepth)
		if !s.sane() || s.relative && anchor.IsZero() {
			i++
			continue
		}
		out = append(out, Date{
			Start: int(tokens[i].start), End: int(tokens[s.next-1].end),
			From: s.from, To: s.to, Relative: s.relative,
		})
		if s.named {
			p.said = s
		}
		i = s.next
	}
	return out
}

// maxDateDepth bounds "the week before the day after the month of …".
const maxDateDepth = 3

// dateSpan is a recognised expression: what it means and the token after it. The zero
// value is none.
type dateSpan struct {
	from, to time.Time
	next     int
	relative bool
	named    bool // it names a month, which a day without one may mean
}

// sane rejects what arithmetic carried out of the years people write.
func (s dateSpan) sane() bool {
	return s.next > 0 && s.from.Year() >= 1 && s.to.Year() <= 9999 && s.from.Before(s.to)
}

// days is the length of a span, rounded.
func (s dateSpan) days() int { return int(s.to.Sub(s.from).Hours()+12) / 24 }
