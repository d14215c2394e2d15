package recall

import (
	"slices"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

// query is a question about memory, such as "What changed since March?": what it asks
// for, about what, and of which time.
type query struct {
	aim  aim
	on   *question // what it is about
	span span
	// anchor is the text of an event from which the time counts: "the move" in "What
	// changed after the move?"; "" for none.
	anchor string
}

// readQuery reads a question about memory, or one for several things; nil if the question
// is none.
func readQuery(text string, at time.Time) *query {
	a, rest := aimOf(text)
	words := wordsOf(text)
	if asksFor(text, words)&formReason != 0 {
		return nil
	}
	if a == aimNone {
		if on := readQuestion(text, at); on.many && on.form&^(formPerson|formPlace) == 0 {
			return &query{aim: aimSome, on: on}
		}
		return nil
	}
	q, days := &query{aim: a}, calendarOf(words)
	q.span, rest = spanIn(days.datesOfPart(rest, text, at), rest)
	if q.span == (span{}) && a.byStatus() {
		q.anchor, rest = anchorIn(rest)
	}
	q.on = readPart(rest, text, at)
	if a == aimSaid && !(q.span.closed() && q.bare()) {
		return nil // it asks for one thing that was said
	}
	return q
}

// byStatus reports whether an aim is a state of facts, of which the words of a question
// are only a filter.
func (a aim) byStatus() bool { return a != aimNone && a <= aimHappened }

// bare reports whether a query names no topic. The verb of a question for changes names
// none: "which decisions got reversed?".
func (q *query) bare() bool {
	turn := q.aim == aimReversed || q.aim == aimChanged
	return !slices.ContainsFunc(q.on.words, func(w wanted) bool {
		names := !w.dated && w.weight > slight && w.cues&cueChange == 0
		return names && !(turn && w.verb)
	})
}

// slight is the weight of a word that names no topic: "made" in "which decisions were
// made".
const slight = 0.2

// span is a time, from inclusive, to exclusive; a zero end is open.
type span struct{ from, to time.Time }

// spanIn is the time that the dates of a text name, and the text without them.
func spanIn(dates []language.Date, text string) (span, string) {
	if len(dates) == 0 {
		return span{}, text
	}
	d := dates[0]
	start, relation := d.Start, ""
	if words := speltWords(text[:d.Start]); len(words) > 0 {
		last := &words[len(words)-1]
		if relation = theGrammar().relation(last.low); relation != "" {
			start = last.start
		}
	}
	s := span{d.From, d.To}
	switch relation {
	case "since":
		s.to = time.Time{}
	case "after":
		s = span{from: d.To}
	case "before":
		s = span{to: d.From}
	}
	end := d.End
	if len(dates) > 1 && relation == "" {
		s.to, end = dates[1].To, dates[1].End
	}
	return s, text[:start] + strings.Repeat(" ", end-start) + text[end:]
}

// anchorIn is the event after which a text asks, and the text without it.
func anchorIn(text string) (anchor, rest string) {
	words := speltWords(text)
	for i := range words {
		if r := theGrammar().relation(words[i].low); (r == "since" || r == "after") && i+1 < len(words) {
			return text[words[i+1].start:], text[:words[i].start]
		}
	}
	return "", text
}

// has reports whether a fact was said in the time.
func (s span) has(t time.Time) bool {
	return (s.from.IsZero() || !t.Before(s.from)) && (s.to.IsZero() || t.Before(s.to))
}

// covers reports whether a fact is of the time that is asked about: said in it, or about a part of it. What happened in a time
// is not told by what was said in it of another time.
func (p *query) covers(f *memory.Fact) bool {
	s, when := p.span, p.on.calendar.when(f)
	if p.aim == aimSaid {
		return s.has(f.SaidAt)
	}
	if p.aim == aimHappened && !when.IsZero() {
		return p.happenedIn(when)
	}
	return s.has(f.SaidAt) || s.closed() && !when.IsZero() && s.overlaps(when)
}

// happenedIn reports whether what is told of a time happened in the time that is asked about: what happened last week need not have
// happened yesterday.
func (p *query) happenedIn(when memory.Interval) bool {
	wider := p.span.closed() && when.To.Sub(when.From) > p.span.to.Sub(p.span.from)
	return p.span.overlaps(when) && !wider
}

// overlaps reports whether a part of a time is in the span.
func (s span) overlaps(when memory.Interval) bool {
	return (s.to.IsZero() || when.From.Before(s.to)) && (s.from.IsZero() || s.from.Before(when.To))
}
