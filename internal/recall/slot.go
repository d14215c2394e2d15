package recall

import (
	_ "embed" // the words that ask for slots
	"slices"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/memory"
)

//go:embed lexicon/slots.txt
var slotText string

// slots are the stems of the words that ask for an attribute, by the attribute.
var slots = sync.OnceValue(func() map[string]map[string]bool {
	out := make(map[string]map[string]bool)
	for attribute, words := range language.Lists(slotText) {
		out[attribute] = make(map[string]bool, len(words))
		for _, word := range words {
			out[attribute][language.Stem(word)] = true
		}
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
	if here == 0 && p.fact != nil && slots()[p.fact.Attribute][w.stem] {
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
			if fact.Kind == memory.Retraction || unsayable(&fact) || f.has(&fact) || f.own(&fact) {
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
	for attribute, words := range slots() {
		if slices.ContainsFunc(q.words, func(w wanted) bool { return words[w.stem] }) {
			attributes = append(attributes, attribute)
		}
	}
	slices.Sort(attributes)
	return attributes
}

// own reports whether a fact is of the turn itself.
func (f *finder) own(fact *memory.Fact) bool {
	return f.ask.Own != nil && f.ask.Own(fact.Source.Root, fact.Source.Seq)
}
