package recall

import (
	_ "embed" // the words
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/session"
)

// What is plainly so of the thing asked for goes before what is said of a narrower thing, of another thing of its class, of
// the past, or by another person, whichever was told later.

//go:embed lexicon/plain.txt
var plainText string

// plainWords are the words of the lexicon.
type plainWords struct {
	narrows                 [len(tongues)]map[string]bool
	renews, hearsay, bygone map[string]bool
	last, spans, was        map[string]bool
}

// thePlainWords is the embedded lexicon, read once.
var thePlainWords = sync.OnceValue(func() *plainWords {
	l := &plainWords{}
	lists := map[string]*map[string]bool{"renews": &l.renews, "hearsay": &l.hearsay, "past": &l.bygone, "last": &l.last, "span": &l.spans, "was": &l.was}
	for t := range l.narrows {
		lists["narrows "+tongues[t]] = &l.narrows[t]
	}
	for name, items := range language.Lists(plainText) {
		set := make(map[string]bool, len(items))
		for _, item := range items {
			set[folded(item)] = true
		}
		*lists[name] = set
	}
	return l
})

// bearing is what keeps a passage from being plainly so of what a question asks for.
type bearing struct {
	leads    bool      // a clause of it begins with the thing asked for
	narrowed bool      // it tells of a narrower thing
	hearsay  bool      // another person says so
	bygone   bool      // it was so once
	until    time.Time // it was so until then; zero if the passage has no time that ended
}

// yield marks the passages that yield to another one: it has as much of the question, and is more plainly so of the thing
// asked for.
func (q *question) yield(found []passage) {
	if !slices.ContainsFunc(found, func(p passage) bool { return p.covered() >= mostly }) {
		return
	}
	asked, bearings := q.bearing(), make([]bearing, len(found))
	for i := range found {
		if found[i].covered() > 0 {
			bearings[i] = q.bearingOf(&found[i], &asked)
		}
	}
	for i := range found {
		p := &found[i]
		for k := range found {
			o := &found[k]
			if k != i && o.answersAs(q, p) && (bearings[i].behind(&bearings[k], o.saidAt) || q.namesSibling(p, o)) {
				p.yields, p.narrower = true, bearings[i].narrowed
				break
			}
		}
	}
}

// mostly is the share of a question from which a passage may answer it instead of another one.
const mostly = 0.75

// answersAs reports whether a passage answers at least as much of a question as another one of the same side.
func (p *passage) answersAs(q *question, o *passage) bool {
	const least = 0.001
	covers := p.covered() >= mostly && p.covered() >= o.covered()-least
	ended := p.fact != nil && !p.fact.Current()
	surer := p.values[fSuppose] <= o.values[fSuppose] && p.values[fDeny] <= o.values[fDeny] && p.values[fOffSubject] == 0
	if !covers || !surer || ended {
		return false
	}
	if p.role != o.role || p.unrelated || p.asks {
		return false
	}
	form := q.form
	if form == 0 {
		form = formNumber
	}
	return form&o.forms&^p.forms == 0
}

// behind reports whether what a passage says is less plainly so than what another one says, which was said at a time.
func (b *bearing) behind(o *bearing, said time.Time) bool {
	if !o.leads || o.hearsay || o.bygone || !o.until.IsZero() {
		return false
	}
	ended := !b.until.IsZero() && !b.until.After(said)
	return b.narrowed || b.hearsay || b.bygone || ended
}

// bearing is what a question itself speaks of: what a person said, or what was so once.
func (q *question) bearing() bearing {
	l := thePlainWords()
	b := bearing{hearsay: q.cues&cueSay != 0, bygone: q.cues&cueBack != 0 || len(q.dates) > 0}
	for _, w := range wordsOf(q.whole) {
		b.hearsay, b.bygone = b.hearsay || l.hearsay[w.low], b.bygone || l.bygone[w.low]
	}
	return b
}

// bearingOf reads what keeps a passage from being plainly so of what is asked for. What the question itself speaks of does
// not, and a change is no thing of the past.
func (q *question) bearingOf(p *passage, asked *bearing) (b bearing) {
	b.leads, b.narrowed = q.leadsIn(p)
	b.hearsay = !asked.hearsay && saidByOther(p.words)
	if asked.bygone || p.role != session.User || p.turns || passive(p.words) {
		return b
	}
	b.bygone = wasOnce(p.words)
	for _, d := range language.Dates(p.text, p.saidAt) {
		if !d.To.After(p.saidAt) && (b.until.IsZero() || d.To.Before(b.until)) {
			b.until = d.To
		}
	}
	return b
}

// wasOnce reports whether a text says how something was: with a word for that, or at a time that is over.
func wasOnce(words []word) bool {
	l := thePlainWords()
	was, once := false, false
	for i := range words {
		if l.bygone[words[i].low] {
			return true
		}
		was = was || l.was[words[i].low]
		for k := max(0, i-mostOwned); k < min(i+mostOwned, len(words)) && l.last[words[i].low]; k++ {
			once = once || l.spans[words[k].low]
		}
	}
	return was && once
}

// passive reports whether a text tells what was done to something: "the rent was raised".
func passive(words []word) bool {
	for i := range words[:max(0, len(words)-1)] {
		if was := words[i].low == "was" || words[i].low == "were"; was && language.Verb(words[i+1].stem) {
			return true
		}
	}
	return false
}

// saidByOther reports whether a text says what a person said, heard or thinks. What the speaker said is the speaker's own.
func saidByOther(words []word) bool {
	for i := range words {
		own := i > 0 && words[i-1].cues&cueSelf != 0
		if thePlainWords().hearsay[words[i].low] && !own {
			return true
		}
	}
	return false
}

// plainFirst puts passages that yield to others behind all others. plain is how many do not, or all if each does.
func plainFirst(found []passage) (plain int) {
	slices.SortStableFunc(found, func(a, b passage) int {
		return int(truth(a.yields) - truth(b.yields))
	})
	plain = slices.IndexFunc(found, func(p passage) bool { return p.yields })
	if plain <= 0 {
		return len(found)
	}
	return plain
}
