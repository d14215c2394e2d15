package recall

import (
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

const dayLayout = "2 January 2006"

// dayOf is a day in words.
func dayOf(t time.Time) string { return t.UTC().Format(dayLayout) }

// spanOf is a span of time in words, as exactly as it is known.
func spanOf(i memory.Interval) string {
	last := i.To.Add(-time.Second)
	switch width := i.To.Sub(i.From); {
	case width > 360*24*time.Hour && width < 370*24*time.Hour:
		return i.From.Format("2006")
	case width > 27*24*time.Hour && i.From.Month() == last.Month() && i.From.Year() == last.Year():
		return i.From.Format("January 2006")
	case width > 27*24*time.Hour:
		return i.From.Format("January 2006") + " to " + last.Format("January 2006")
	case width > 25*time.Hour:
		return i.From.Format(dayLayout) + " to " + last.Format(dayLayout)
	case width < 23*time.Hour:
		return i.From.Format(dayLayout + " 15:04")
	}
	return i.From.Format(dayLayout)
}

// within reports whether a time is of a date.
func within(d language.Date, t time.Time) bool { return !t.Before(d.From) && t.Before(d.To) }

// overlaps reports whether a fact is about a date. Most facts are about none.
func overlaps(d language.Date, when memory.Interval) bool {
	return !when.IsZero() && span{d.From, d.To}.overlaps(when)
}
