package recall

import (
	_ "embed" // the words
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/run"
)

// A question for who leads a thing, such as "Wer leitet das Team?", may be answered in other words: "Das Team wird von Jonas geführt".

//go:embed lexicon/leads.txt
var leadText string

// leadGrammar is how people say and ask who leads something.
type leadGrammar struct {
	lists map[string]map[string]bool
	asks  []shape
	most  int // words of the longest phrase of a list
}

// theLeadGrammar is the embedded grammar, read once.
var theLeadGrammar = sync.OnceValue(func() *leadGrammar {
	lists, rows := readRows(leadText)
	g := &leadGrammar{lists: setsOf(lists)}
	for _, items := range lists {
		for _, item := range items {
			g.most = max(g.most, len(strings.Fields(item)))
		}
	}
	for _, row := range rows { // "ask", the pattern and the example
		g.asks = append(g.asks, readShape([]string{"", row[1], row[2]}, lists))
	}
	return g
})

// ledThing are the stems of the thing of which a question asks who leads it; none for another question.
func ledThing(text string) (thing []string) {
	if len(text) > maxShaped {
		return nil
	}
	g := theLeadGrammar()
	words := speltWords(text)
	asked := slices.ContainsFunc(g.asks, func(s shape) bool { return s.match(words, 0, 0) })
	if !asked {
		return nil
	}
	for _, w := range elidedWords(without(text, words)) {
		if opening := len(thing) == 0 && g.lists["of"][w.low]; !opening && !g.lists["article"][w.low] && !g.lists["now"][w.low] {
			thing = append(thing, language.Stem(w.low))
		}
	}
	return thing
}

// ledBy is the newest of some passages that tells who leads the thing of the question; ok is false for none.
func (q *question) ledBy(found []passage, probability float32) (c choice, ok bool) {
	thing := ledThing(q.whole)
	if len(thing) == 0 {
		return c, false
	}
	best := -1
	for i := range found {
		p := &found[i]
		if !p.stands() || p.unrelated || !tellsLeader(p.text, thing) {
			continue
		}
		if best < 0 || p.newerOrShorter(&found[best]) {
			best = i
		}
	}
	if best < 0 {
		return c, false
	}
	return choice{kind: run.RecallSure, passages: found[best : best+1 : best+1], scores: []float32{max(probability, surely)}}, true
}

// newerOrShorter reports whether a passage was said later than another one, or is a part of it.
func (p *passage) newerOrShorter(o *passage) bool {
	if p.same(o) {
		return p.end-p.start < o.end-o.start
	}
	return o.before(p) < 0
}

// tellsLeader reports whether a text says who leads a thing, in a clause that is so now, and not as another one's word.
func tellsLeader(text string, thing []string) bool {
	words := elidedWords(text)
	if slices.ContainsFunc(words, func(w spelt) bool { return unsaidOfSelf(w.low) }) {
		return false
	}
	for from := 0; from < len(words); {
		to := clauseBreak(text, words, from)
		c := leadClause{g: theLeadGrammar(), text: text, words: withoutSince(words[from:to]), thing: thing}
		if c.isSo() && (c.active() || c.passive() || c.noun()) {
			return true
		}
		from = to
	}
	return false
}

// clauseBreak is where a clause that begins at a word ends: at a mark.
func clauseBreak(text string, words []spelt, from int) int {
	for i := from + 1; i < len(words); i++ {
		between := text[words[i-1].end:words[i].start]
		if endsClause(between) || strings.Contains(between, ". ") {
			return i
		}
	}
	return len(words)
}

// leadClause is a clause that may say who leads a thing.
type leadClause struct {
	g     *leadGrammar
	text  string
	words []spelt
	thing []string
}

// isSo reports whether a clause says what is so: nothing denied, over or to come. "Mai" is a month, and denies in Italian.
func (c *leadClause) isSo() bool {
	return !slices.ContainsFunc(c.words, func(w spelt) bool {
		denies := theLexicon().cues[w.low]&cueDeny != 0 && theLexicon().words[w.low]&formTime == 0
		return denies || c.g.lists["later"][w.low] || theSelfGrammar().lists["once"][w.low]
	})
}

// active reads "Jonas leitet das Team", and "Das Team leitet Jonas" in German.
func (c *leadClause) active() bool {
	for i := range c.words {
		n := c.phrase("leads", i)
		if n == 0 || i > 0 && c.g.lists["infinitive"][c.words[i-1].low] {
			continue
		}
		if _, ok := c.thingAt(i + n); ok && (c.names(0, i) || c.cleft(i)) {
			return true
		}
		if c.thingBefore(i) && c.leaderFrom(i+1) {
			return true
		}
	}
	return false
}

// cleft reports whether the clause picks out a leader before a verb: "C'est Inès qui dirige la cantine".
func (c *leadClause) cleft(verb int) bool {
	start := c.phrase("it-is", 0)
	return start > 0 && c.g.lists["that-one"][c.words[verb-1].low] && c.names(start, verb-1)
}

// thingBefore reports whether the thing stands before a word, and nothing else.
func (c *leadClause) thingBefore(at int) bool {
	end, ok := c.thingAt(0)
	return ok && end == at
}

// leaderFrom reports whether the leader stands from a word to the end, without an article.
func (c *leadClause) leaderFrom(at int) bool {
	return at < len(c.words) && !c.g.lists["article"][c.words[at].low] && c.names(at, len(c.words))
}

// passive reads "Das Team wird von Jonas geführt" and "L'équipe est dirigée par Léa".
func (c *leadClause) passive() bool {
	end, ok := c.thingAt(0)
	if !ok || end >= len(c.words) || !c.g.lists["passive"][c.words[end].low] {
		return false
	}
	led, by := -1, -1
	for i := end + 1; i < len(c.words); i++ {
		if c.g.lists["led"][c.words[i].low] {
			led = i
		}
		if by < 0 && c.g.lists["by"][c.words[i].low] {
			by = i
		}
	}
	if led < 0 || by < 0 {
		return false
	}
	if led > by {
		return c.names(by+1, led)
	}
	return c.names(by+1, len(c.words))
}

// noun reads "Lena ist die Leiterin der Bibliothek" and "Chef der Abteilung ist Frau Klein".
func (c *leadClause) noun() bool {
	for i := range c.words {
		if !c.g.lists["leader"][c.words[i].low] || i+1 >= len(c.words) || !c.g.lists["of"][c.words[i+1].low] {
			continue
		}
		end, ok := c.thingAt(i + 2)
		start := c.beforeNoun(i)
		switch {
		case !ok:
		case start == 0:
			return end+1 < len(c.words) && c.g.lists["be"][c.words[end].low] && c.names(end+1, len(c.words))
		case c.g.lists["be"][c.words[start-1].low]:
			return c.names(0, start-1)
		}
	}
	return false
}

// beforeNoun is where the words before a noun begin that say no more than that it is the one: an article, and "new".
func (c *leadClause) beforeNoun(i int) int {
	for i > 0 && (c.g.lists["article"][c.words[i-1].low] || thePlainWords().renews[c.words[i-1].low] || c.g.lists["now"][c.words[i-1].low]) {
		i--
	}
	return i
}

// phrase is how many words of a phrase of a list stand at a place; 0 for none.
func (c *leadClause) phrase(list string, at int) int {
	for n := min(c.g.most, len(c.words)-at); n > 0; n-- {
		if c.g.lists[list][phraseOf(c.words[at:at+n])] {
			return n
		}
	}
	return 0
}

// thingAt reads the thing from a word on, and nothing narrower: with articles before and in it, and with words such as "now" and "new".
func (c *leadClause) thingAt(at int) (end int, ok bool) {
	k := 0
	for ; at < len(c.words) && k < len(c.thing); at++ {
		low := c.words[at].low
		switch {
		case language.Stem(low) == c.thing[k]:
			k++
		case c.g.lists["article"][low], k == 0 && (c.g.lists["now"][low] || thePlainWords().renews[low]):
		default:
			return 0, false
		}
	}
	if k < len(c.thing) || at < len(c.words) && c.narrower(at) {
		return 0, false
	}
	return at, true
}

// narrower reports whether a word goes on from a thing to a narrower one, or to another: "the team in Bonn", "the team meeting".
func (c *leadClause) narrower(at int) bool {
	w := &c.words[at]
	for t := range thePlainWords().narrows {
		if thePlainWords().narrows[t][w.low] {
			return true
		}
	}
	known := c.phrase("leads", at) > 0 || c.g.lists["passive"][w.low] || c.g.lists["be"][w.low] || c.g.lists["now"][w.low]
	return !known && !functional(w.low) && !timeWord(w.low) && !joinsClauses(w.low)
}

// functional reports whether a word is a function word of one of the languages.
func functional(low string) bool {
	words := wordsOf(low)
	return len(words) > 0 && words[0].stop || slices.ContainsFunc(theLexicon().foreign, func(list map[string]bool) bool { return list[low] })
}

// timeWord reports whether a word tells since or until when something is so.
func timeWord(low string) bool {
	return theGrammar().relation(low) != "" || theLexicon().words[low]&formTime != 0 || theLexicon().cues[low]&cuePresent != 0
}

// names reports whether some words name a person: a name, a relation, or the speaker.
func (c *leadClause) names(from, to int) bool {
	const most = 6
	if to-from < 1 || to-from > most {
		return false
	}
	named := false
	for i := from; i < to; i++ {
		w := &c.words[i]
		if c.g.lists["nobody"][w.low] {
			return false
		}
		known := !c.g.lists["article"][w.low] && (isCapital(c.text, w) || isRelation(w.low))
		named = named || known || hasDuty(w.low, dutyMe)
	}
	return named
}
