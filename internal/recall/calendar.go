package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// calendar is the languages in which the times of a question, and of what may answer it, are read besides English; none for a
// question in English. Memory knows the times of statements in English.
type calendar []tongue

// calendarOf is that of a question: the languages, other than English, of which it has the most words.
func calendarOf(words []word) calendar {
	var out calendar
	most := 0
	for t := range tongue(len(tongues)) {
		known := t.known(words)
		switch {
		case known > most:
			most, out = known, calendar{t}
		case known == most && known > 0:
			out = append(out, t)
		}
	}
	if len(out) > 0 && out[0] == english {
		return nil
	}
	return out
}

// dates are the times that a text names.
func (c calendar) dates(text string, at time.Time) []language.Date {
	if found := c.abroad(text, at); len(found) > 0 {
		return found
	}
	return language.Dates(text, at)
}

// abroad are the times that a text names in the first of the languages in which it names any.
func (c calendar) abroad(text string, at time.Time) []language.Date {
	for _, t := range c {
		if found := language.DatesIn(tongues[t], text, at); len(found) > 0 {
			return found
		}
	}
	return nil
}

// datesOfPart are the times that a part of a question names. They mean what they mean in the whole: the part may lack the verb that
// tells whether they are over, or by which a number is a year.
func (c calendar) datesOfPart(part, whole string, at time.Time) []language.Date {
	found := c.dates(part, at)
	if part == whole {
		return found
	}
	for _, w := range c.dates(whole, at) {
		start := strings.Index(part, whole[w.Start:w.End])
		if start < 0 {
			continue
		}
		w.Start, w.End = start, start+w.End-w.Start
		i := slices.IndexFunc(found, func(d language.Date) bool { return d.Start < w.End && w.Start < d.End })
		switch {
		case i < 0:
			found = append(found, w)
		case found[i].Start == w.Start && found[i].End == w.End:
			found[i].From, found[i].To = w.From, w.To
		}
	}
	slices.SortFunc(found, func(a, b language.Date) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// when is the time that a fact is about; zero for none.
func (c calendar) when(f *memory.Fact) memory.Interval {
	if !f.When.IsZero() || len(c) == 0 {
		return f.When
	}
	return firstOf(c.abroad(f.Quote, f.SaidAt))
}

// firstOf is the time of the first date; zero for none.
func firstOf(found []language.Date) memory.Interval {
	if len(found) == 0 {
		return memory.Interval{}
	}
	return memory.Interval{From: found[0].From, To: found[0].To}
}

// when is the time that a passage is about; zero for none. Its fact knows it, or the text is in the language of the question.
func (q *question) when(p *passage) memory.Interval {
	switch {
	case p.fact != nil:
		return q.calendar.when(p.fact)
	case len(q.calendar) == 0:
		return memory.Interval{}
	}
	return firstOf(q.calendar.abroad(p.text, p.saidAt))
}
