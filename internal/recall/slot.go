package recall

import (
	_ "embed" // the words that ask for slots
	"slices"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

//go:embed lexicon/slots.txt
var slotText string

// asking is how people ask for an attribute: with which stems, and in which form if they ask for
// nothing else; 0 if the form does not tell that.
type asking struct {
	words map[string]bool
	form  form
}

// slots are the attributes that people ask for.
var slots = sync.OnceValue(func() map[string]asking {
	out := make(map[string]asking)
	for name, words := range language.Lists(slotText) {
		attribute, of, formed := strings.Cut(name, " ")
		a := asking{words: make(map[string]bool, len(words))}
		for _, word := range words {
			a.words[language.Stem(word)] = true
		}
		if formed {
			a.form = 1 << indexOf(formNames[:], of)
		}
		out[attribute] = a
	}
	return out
})

// likeness is how near a word of a question is to what another word says, or to the slot that
// the fact of a passage fills.
const likeness = 0.8

// inside is how a passage has the word, each from 0 to 1: itself, and in another word or by the
// slot that its fact fills.
func (w *wanted) inside(p *passage) (here, kin float32) {
	here, kin = w.in(p.words)
	if here == 0 && p.fact != nil && slots()[p.fact.Attribute].words[w.stem] {
		kin = max(kin, likeness)
	}
	return here, kin
}

// mostInSlot is how many facts of a slot are looked at: several people may fill it.
const mostInSlot = 8

// fillers adds the facts that fill the slots of the speaker that the question asks for. They need
// share no word with the question, so that a search may not find them.
func (f *finder) fillers() {
	if f.q.cues&(cueSelf|cueWe) == 0 {
		return
	}
	for _, attribute := range f.q.slots() {
		for _, fact := range f.ask.View.InSlot("i", attribute, mostInSlot) {
			if fact.Kind == memory.Retraction || unsayable(&fact) || f.has(&fact) || ofTurn(f.ask, &fact) {
				continue
			}
			p := ofFact(&fact)
			p.rank = len(f.found)
			p.read()
			f.found = append(f.found, p)
		}
	}
}

// has reports whether a fact is among the passages.
func (f *finder) has(fact *memory.Fact) bool {
	return slices.ContainsFunc(f.found, func(p passage) bool { return p.fact != nil && p.fact.ID == fact.ID })
}

// slots are the attributes that the question asks for, in order.
func (q *question) slots() (attributes []string) {
	for attribute, a := range slots() {
		if slices.ContainsFunc(q.words, func(w wanted) bool { return a.words[w.stem] }) {
			attributes = append(attributes, attribute)
		}
	}
	slices.Sort(attributes)
	return attributes
}

// filler is the place of the newest passage whose fact fills the one slot of the speaker that the
// question asks for, and for nothing else; -1 for none. No other passage is a better answer.
func (q *question) filler(found []passage) int {
	best := -1
	for i := range found {
		if p := &found[i]; q.asksOnlyFor(p) && p.stated() && (best < 0 || found[best].before(p) < 0) {
			best = i
		}
	}
	return best
}

// asksOnlyFor reports whether the question asks for the slot of the speaker that the fact of a
// passage fills, and for nothing else.
func (q *question) asksOnlyFor(p *passage) bool {
	ofSpeaker := q.cues&(cueSelf|cueWe) != 0 && q.cues&cueBack == 0
	if !ofSpeaker || len(q.words) == 0 || p.fact == nil || p.fact.Subject != "i" { // without words no slot is named
		return false
	}
	a := slots()[p.fact.Attribute]
	return !slices.ContainsFunc(q.words, func(w wanted) bool { return !a.words[w.stem] }) && a.asked(q)
}

// asked reports whether a question has the form in which the attribute is asked for.
func (a *asking) asked(q *question) bool {
	if a.form == 0 {
		return q.form == 0 && len(a.words) > 0 && asksWhat(wordsOf(q.whole))
	}
	return a.form&q.form != 0
}

// asksWhat reports whether a question begins with "what". A word such as "and" may stand before.
func asksWhat(words []word) bool {
	return slices.ContainsFunc(words[:min(2, len(words))], func(w word) bool { return strings.HasPrefix(w.low, "what") })
}

// stated reports whether a passage states a fact that holds.
func (p *passage) stated() bool {
	return p.fact.Current() && tellable(p.fact.Kind) && p.values[fSuppose] == 0 && p.values[fDeny] == 0
}
