package recall

import (
	"context"
	"slices"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// A question that names a time is answered by what was told of that very time: "Where was I in June 2023?".

// readSpan reads the time that the question asks about.
func (q *question) readSpan() {
	if len(q.dates) > 0 {
		q.span, _ = spanIn(q.dates, q.text)
	}
}

// closed reports whether a span is a time with a beginning and an end.
func (s span) closed() bool { return !s.from.IsZero() && !s.to.IsZero() }

// contains reports whether a time lies in the span.
func (s span) contains(when memory.Interval) bool {
	return !when.IsZero() && !when.From.Before(s.from) && !when.To.After(s.to)
}

// ofTime adds the facts about the time that the question asks about, if it has no other words by which a search finds them.
func (f *finder) ofTime() {
	q := f.q
	if !q.span.closed() || slices.ContainsFunc(q.words, func(w wanted) bool { return !w.dated && !w.verb }) {
		return
	}
	facts := f.ask.View.Pick(func(fact *memory.Fact, _ func() memory.News) bool {
		return fact.Current() && q.span.contains(q.calendar.when(fact)) && !ofTurn(f.ask, fact)
	})
	for i := range facts[:min(len(facts), maxPlanned)] {
		fact := &facts[i]
		if unsayable(fact) || f.has(fact) {
			continue
		}
		p := ofFact(fact)
		p.rank = len(f.found)
		p.read()
		f.found = append(f.found, p)
	}
}

// tellsDays are words with which people tell what they did, in the languages of calendars.
const tellsDays = " heute gestern aujourd'hui hier hoy ayer"

// messagesOfTime are the sentences that tell of the time asked about in messages with such words: memory takes no fact from many of
// them in another language than English.
func (p *query) messagesOfTime(ctx context.Context, ask *run.Question) ([]passage, error) {
	q := p.on
	if p.aim != aimHappened || len(q.calendar) == 0 || ask.Quotes == nil {
		return nil, nil
	}
	who, f := personsOf(ask, q), &finder{ask: ask, q: q, left: maxRead}
	query := ranking.Query{Text: q.whole + tellsDays, At: q.at, Limit: maxMessages, Skip: ask.Own}
	if err := f.readHits(ctx, ask.View.Search(query)); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.found, func(o passage) bool {
		when := q.when(&o)
		told := o.fact == nil && o.stands() && !o.whole && o.cues&(cueSuppose|cueDeny) == 0
		return !told || when.IsZero() || !p.happenedIn(when) || !who.mayAnswer(&o)
	}), nil
}

// ofTheTime are the passages that answer a question for what was so in a time: told of that time, with all other words of the
// question and in its form. None for a question that says no more than a time.
func (q *question) ofTheTime(found []passage) []passage {
	onlyTime := q.form == 0 && !slices.ContainsFunc(q.words, func(w wanted) bool { return !w.dated })
	if !q.span.closed() || q.yesNo || q.many || onlyTime {
		return nil
	}
	var out []passage
	for i := range found {
		if p := &found[i]; q.tellsOfTime(p) {
			out = append(out, *p)
		}
	}
	out = distinct(out, len(out))
	if len(out) > mostHeld {
		return nil
	}
	return inOrder(out)
}

// tellsOfTime reports whether a passage tells of the time asked about what is asked.
func (q *question) tellsOfTime(p *passage) bool {
	stated := p.role == session.User && p.fact != nil && p.stated()
	if !stated || p.yields || !p.mayAnswer() {
		return false
	}
	if !q.span.contains(q.when(p)) || q.form&^p.forms != 0 || p.values[fNotSelf]+p.values[fOther] > 0 {
		return false
	}
	return !slices.ContainsFunc(q.words, func(w wanted) bool {
		here, kin := w.inside(p)
		return !w.dated && here == 0 && kin < likeness
	})
}

// ofOtherTime reports whether a passage names only times that the question does not ask about, and was not said in the one that
// it asks about.
func (q *question) ofOtherTime(p *passage) bool {
	if !q.span.closed() || q.span.has(p.saidAt) {
		return false
	}
	found := q.calendar.dates(p.text, p.saidAt)
	asked := memory.Interval{From: q.span.from, To: q.span.to}
	return len(found) > 0 && !slices.ContainsFunc(found, func(d language.Date) bool { return overlaps(d, asked) })
}

// timed is the choice of the passages of a time; ok is false if there are none.
func (q *question) timed(found []passage, probability float32) (choice, bool) {
	told := q.ofTheTime(found)
	c := choice{kind: run.RecallSure, passages: told}
	for range told {
		c.scores = append(c.scores, max(probability, surely))
	}
	return c, len(told) > 0
}
