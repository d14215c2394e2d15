package recall

import (
	"context"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
)

// A question for what one is, such as "Was ist mein Beruf?", need not share a word with what answers it: "Ich bin Lehrerin".

// ofSelf answers a question for the asker's job, name, age, home or origin with the newest statement that gives it. RecallNone
// leaves the question to others.
func (q *question) ofSelf(ctx context.Context, ask *run.Question) (choice, error) {
	attribute := askedOfSelf(q.whole)
	if attribute == "" || ask.View == nil {
		return choice{kind: run.RecallNone}, nil
	}
	who := personsOf(ask, q)
	who.self = true
	found := who.factsOfSelf(ask, attribute)
	more, err := who.messagesOfSelf(ctx, ask, attribute)
	if found = append(found, more...); err != nil || len(found) == 0 {
		return choice{kind: run.RecallNone}, err
	}
	newest := slices.MaxFunc(found, func(a, b passage) int { return a.before(&b) })
	return choice{kind: run.RecallSure, passages: []passage{newest}, scores: []float32{1}}, nil
}

// factsOfSelf are the facts that give an attribute of the asker.
func (who *persons) factsOfSelf(ask *run.Question, attribute string) (found []passage) {
	facts := ask.View.Pick(func(f *memory.Fact, _ func() memory.News) bool {
		return holds(f) && isTold(f) && !ofTurn(ask, f) && givesOfSelf(f, attribute)
	})
	for i := range facts {
		if f := &facts[i]; !who.silentOn(ask.View, f) {
			p := ofFact(f)
			p.read()
			found = append(found, p)
		}
	}
	return found
}

// messagesOfSelf are the sentences that give an attribute of the asker in messages with the words for it: memory takes no fact from
// a short one in another language.
func (who *persons) messagesOfSelf(ctx context.Context, ask *run.Question, attribute string) ([]passage, error) {
	if ask.Quotes == nil {
		return nil, nil
	}
	f := &finder{ask: ask, q: who.q, left: maxRead}
	text := theSelfGrammar().openings[attribute]
	if err := f.readHits(ctx, ask.View.Search(ranking.Query{Text: text, At: who.q.at, Limit: maxMessages, Skip: ask.Own})); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(f.found, func(p passage) bool {
		return !p.stands() || p.whole || !who.mayAnswer(&p) || !slices.Contains(toldOfSelf(p.text), attribute)
	}), nil
}

// exact are the attributes whose forms the grammar knows so well that what has none of them is no sure answer; never written.
var exact = [...]string{"job", "name", "age"}

// exactly makes a choice that gives nothing exact where the question asks for that one that is not sure.
func (c choice) exactly(q *question) choice {
	attribute := askedOfSelf(q.whole)
	if c.kind != run.RecallSure || !slices.Contains(exact[:], attribute) {
		return c
	}
	for i := range c.passages {
		p := &c.passages[i]
		if slices.Contains(toldOfSelf(p.text), attribute) || p.fact != nil && givesOfSelf(p.fact, attribute) {
			return c
		}
	}
	c.kind = run.RecallUnsure
	return c
}

// givesOfSelf reports whether a fact gives an attribute of its speaker.
func givesOfSelf(f *memory.Fact, attribute string) bool {
	return f.Subject == "i" && f.Attribute == attribute || slices.Contains(toldOfSelf(f.Quote), attribute)
}

// askedOfSelf is the attribute of the asker that a question asks for; "" for none.
func askedOfSelf(text string) string {
	if len(text) > maxShaped {
		return ""
	}
	g := theSelfGrammar()
	words := g.withoutFiller(speltWords(text))
	for i := range g.asks {
		if g.asks[i].shape.match(words, 0, 0) {
			return g.asks[i].attribute
		}
	}
	return ""
}

// withoutFiller leaves out words, and phrases of some words, that say nothing.
func (g *selfGrammar) withoutFiller(words []spelt) []spelt {
	const longest = 3
	var out []spelt
	for i := 0; i < len(words); {
		skip := 0
		for n := min(longest, len(words)-i); n > 0 && skip == 0; n-- {
			if g.lists["filler"][phraseOf(words[i:i+n])] {
				skip = n
			}
		}
		if skip == 0 {
			out = append(out, words[i])
			skip = 1
		}
		i += skip
	}
	return out
}

// phraseOf is some words with spaces between.
func phraseOf(words []spelt) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[i].low)
	}
	return b.String()
}
