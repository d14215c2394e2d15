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
	if asksFor(text, wordsOf(text))&formReason != 0 {
		return nil
	}
	if a == aimNone {
		if on := readQuestion(text, at); on.many && on.form&^(formPerson|formPlace) == 0 {
			return &query{aim: aimSome, on: on}
		}
		return nil
	}
	q := &query{aim: a}
	q.span, rest = spanIn(rest, at)
	if q.span == (span{}) && a.byStatus() {
		q.anchor, rest = anchorIn(rest)
	}
	q.on = readPart(rest, text, at)
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

// spanIn is the time that a text names, and the text without it.
func spanIn(text string, at time.Time) (span, string) {
	dates := language.Dates(text, at)
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

// covers reports whether a fact is of the time: said in it, or about a part of it.
func (s span) covers(f *memory.Fact) bool {
	if s.has(f.SaidAt) {
		return true
	}
	closed := !s.from.IsZero() && !s.to.IsZero() && !f.When.IsZero()
	return closed && f.When.From.Before(s.to) && s.from.Before(f.When.To)
}
