package recall

import (
	"context"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// messages searches the messages that ranking finds for words.
func (f *finder) messages(ctx context.Context, words string) error {
	if f.q.Quotes == nil {
		return nil
	}
	hits := f.q.View.Search(ranking.Query{Text: words, At: f.a.at, Limit: maxMessages, Skip: f.q.Own})
	if len(hits) == 0 {
		return nil
	}
	docs, err := f.q.Quotes(ctx, placesOf(hits))
	if err != nil {
		return fmt.Errorf("read messages to quote: %w", err)
	}
	at := make(map[memory.Place]*ranking.Document, len(docs))
	for i := range docs {
		at[memory.Place{Root: docs[i].Root, Seq: docs[i].Seq}] = &docs[i]
	}
	for _, h := range hits {
		d := at[memory.Place{Root: h.Root, Seq: h.Seq}]
		if d == nil || ours(d.Role, d.Text) || d.Role == session.System {
			continue
		}
		prior := 0.0
		if hits[0].Score > 0 {
			prior = max(0, rankBonus*h.Score/hits[0].Score)
		}
		near := f.last(at[memory.Place{Root: h.Root, Seq: h.Seq - 1}])
		if goesOn(d.Text) {
			for _, back := range [...]int64{1, 2} {
				near = f.joined(near, at[memory.Place{Root: h.Root, Seq: h.Seq - back}], d)
			}
		}
		f.message(d, near, prior)
	}
	return nil
}

// placesOf are the positions of the found messages and of the two before each.
func placesOf(hits []ranking.Hit) []memory.Place {
	out := make([]memory.Place, 0, 3*len(hits))
	listed := make(map[memory.Place]bool, 3*len(hits))
	for _, h := range hits {
		for _, seq := range [...]int64{h.Seq, h.Seq - 1, h.Seq - 2} {
			if p := (memory.Place{Root: h.Root, Seq: seq}); seq >= 0 && !listed[p] {
				listed[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// joined adds the speaker's previous message to the words around d, if d continues it.
func (f *finder) joined(near *look, before, d *ranking.Document) *look {
	if before == nil || before.Role != d.Role || before.Speaker != d.Speaker || len(before.Text) > maxNear {
		return near
	}
	seen := f.a.look(before.Text)
	return seen.scaled(askedDegree).join(near)
}

// last is the look of the question at the end of a message, for the message that
// answers it; nil without a question.
func (f *finder) last(d *ranking.Document) *look {
	if d == nil || ours(d.Role, d.Text) || !marked(d.Text) {
		return nil
	}
	text := d.Text
	if len(text) > maxPassage {
		text = strings.ToValidUTF8(text[len(text)-maxPassage:], "")
	}
	seen := f.a.look(text)
	return seen.scaled(askedDegree)
}

// message searches the sentences of one message. near is the look of the preceding
// question, prior the rank of the message.
func (f *finder) message(d *ranking.Document, near *look, prior float64) {
	text := d.Text
	if len(text) > f.left {
		text = strings.ToValidUTF8(text[:f.left], "")
	}
	f.left -= len(text)
	var facts []memory.Fact
	checked := false
	question, whole := near, near
	sentences := language.Sentences(text)
	looks := make([]look, len(sentences))
	for i, s := range sentences {
		if s.Code || s.End-s.Start > maxPassage {
			continue
		}
		looks[i] = f.a.look(text[s.Start:s.End])
		if len(text) <= maxNear {
			whole = looks[i].scaled(nearDegree).join(whole)
		}
	}
	for i, s := range sentences {
		if s.Code || s.End-s.Start > maxPassage {
			near = nil
			continue
		}
		p := passage{
			root: d.Root, seq: d.Seq, start: s.Start, end: s.End, role: d.Role, speaker: d.Speaker,
			saidAt: d.SaidAt, text: text[s.Start:s.End], order: prior,
		}
		seen := looks[i]
		p.seen = &looks[i]
		before := whole
		if before == nil {
			before = near
		}
		if !f.a.strongWord(&seen) && !goesOn(p.text) {
			before = question
		}
		near = seen.scaled(nearDegree)
		if s.Quoted || asks(p.text) || f.a.coverage(&seen, before) == 0 {
			continue
		}
		if !checked {
			facts, checked = f.facts(d), true
		}
		if f.a.holds(&p, facts) && !(p.fact == nil && p.role == session.User && isTask(p.text)) {
			if f.a.has(asksReason) && i+1 < len(sentences) {
				explained(&p, text, sentences[i+1])
			}
			f.add(p, before)
		}
	}
}

// goesOn reports whether a sentence begins with a word that refers to an earlier one.
func goesOn(sentence string) bool {
	switch word, _ := firstWord(sentence); word {
	case "it", "it's", "its", "they", "they're", "their", "that", "that's", "this", "these", "those", "he", "he's", "his", "she", "she's", "her", "both", "there":
		return true
	}
	return false
}

// explained extends a passage without a reason by the next sentence, if that sentence
// clearly continues it: "We dropped Heroku. It was too expensive."
func explained(p *passage, text string, next language.Sentence) {
	if p.fact != nil && p.fact.Because != "" || next.Code || next.End-p.start > maxPassage || next.Start < p.end {
		return
	}
	switch word, _ := firstWord(text[next.Start:next.End]); word {
	case "it", "it's", "they", "that", "that's", "this", "because", "too":
		p.end, p.text, p.explained = next.End, text[p.start:next.End], true
	}
}

// isTask reports whether a sentence gives an order: a request to write something tells
// no fact.
func isTask(sentence string) bool {
	first, _ := opening(sentence)
	return theLexicon().asks[first]&opensTask != 0
}

// facts returns the facts that memory has of a message.
func (f *finder) facts(d *ranking.Document) []memory.Fact {
	if len(d.Text) > maxChecked {
		return nil
	}
	var out []memory.Fact
	for _, fact := range memory.Distill(*d, nil) {
		if kept, found := f.q.View.Fact(fact.ID); found {
			out = append(out, kept)
		}
	}
	return out
}

// holds gives a sentence its fact, and reports whether it was asserted: not asked,
// supposed or quoted.
func (a *asked) holds(p *passage, facts []memory.Fact) bool {
	meant := true
	for i := range facts {
		f := &facts[i]
		if f.Source.Start >= p.end || p.start >= f.Source.End {
			continue
		}
		if !tellable(f.Kind) && !(a.supposes && f.Kind == memory.Hypothetical) {
			meant = false
			continue
		}
		if p.fact == nil || f.Source.End-f.Source.Start > p.fact.Source.End-p.fact.Source.Start {
			p.fact = f
		}
	}
	if p.fact != nil {
		p.start, p.end, p.text = p.fact.Source.Start, p.fact.Source.End, p.fact.Quote
	}
	return meant || p.fact != nil
}
