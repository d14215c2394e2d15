package recall

import (
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// timeDoubt is the penalty for a passage without a time if the question asks for one.
// The day of a message dates the speakers' decisions, but not a birthday or an event
// that happened to them.
func timeDoubt(p *passage) float64 {
	f := p.fact
	switch {
	case f == nil || f.Kind == memory.Decision || f.Kind == memory.Event:
		return noTime
	case f.Kind == memory.Cause || f.Kind == memory.Number && f.Value == "":
		if opensInFirstPerson(p.text) || f.Value != "" {
			return noTime
		}
		return noTimeOfIt
	}
	return noTimeAtAll
}

// timed reports whether a passage speaks of a time: a date, an hour, or a habit.
func (p *passage) timed() bool {
	if p.fact != nil && !p.fact.When.IsZero() {
		return true
	}
	if len(p.text) > maxPassage {
		return false
	}
	if shapesIn(p.text)&(shapeClock|shapeDate) != 0 {
		return true
	}
	l := theLexicon()
	for scan := language.Scan(p.text); ; {
		w, ok := scan.Next()
		if !ok {
			break
		}
		if l.asks[string(w.Stem)]&givesTime != 0 {
			return true
		}
	}
	return len(language.Dates(p.text, p.saidAt)) > 0
}

// then reports whether a passage was said at, or speaks of, a time asked for.
func (a *asked) then(p *passage) bool {
	low := ""
	for i := range a.spans {
		s := &a.spans[i]
		if overlaps(s, p.saidAt, p.saidAt.Add(time.Second)) {
			return true
		}
		if p.fact != nil && !p.fact.When.IsZero() && overlaps(s, p.fact.When.From, p.fact.When.To) {
			return true
		}
		if low == "" {
			low = strings.ToLower(p.text)
		}
		if words := strings.ToLower(a.text[s.Start:s.End]); calendar(words) && strings.Contains(low, words) {
			return true
		}
	}
	return false
}

// calendar reports whether an expression of time names a part of the calendar,
// such as "Q1", rather than counting from today.
func calendar(words string) bool {
	for _, relative := range [...]string{"last", "next", "this", "past", "ago", "day", "week", "now"} {
		if strings.Contains(words, relative) {
			return false
		}
	}
	return true
}

// overlaps reports whether a time asked for shares an instant with [from, to).
func overlaps(s *language.Date, from, to time.Time) bool {
	return from.Before(s.To) && s.From.Before(to)
}
