package recall

import (
	"embed"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/*.txt
var lexiconFiles embed.FS

// lexicon is the responder's knowledge of words. It is read once and never changed.
type lexicon struct {
	// weight lists the words, stemmed, with a lower weight.
	weight map[string]float64
	// idle lists the words, unstemmed, without weight.
	idle map[string]bool
	// opposites maps a stem to its opposites.
	opposites map[string][]string
	// function lists the function words of other languages, by language.
	function map[string][]string
	// alike maps a stem to words that may replace it.
	alike map[string][]twin
	// under maps a stem to words that are examples of it.
	under map[string][]twin
	// base maps the stem of an irregular form to the stem of its base form, and forms
	// the reverse.
	base  map[string]string
	forms map[string][]twin
	// slots maps a stem to the attributes of facts that it asks for.
	slots map[string][]string
	// asks maps a word, unstemmed, to its traits.
	asks map[string]trait
	// shapes maps a word, unstemmed, to its part in the shapes of answers.
	shapes map[string]shaping
	// ending are the stems of words for giving something up. turned are the words,
	// unstemmed, that say so in a statement.
	ending, turned map[string]bool
	// lists are the lists of a word or stem, one bit each; parts are lists of parts of
	// sentences.
	lists map[string]uint32
	parts [len(partLists)][]string
	// face maps a phrase in which people speak of themselves to the same phrase in the
	// second person.
	face map[string]string
	// asking removes question words from writing without spaces.
	asking *strings.Replacer
	// listed are the stems of words that are not names, even if they are capitalized at
	// the start of a sentence.
	listed map[string]bool
}

// twin is a word that may stand for another.
type twin struct{ stem, word string }

// trait is a set of properties that a word gives its sentence.
type trait uint32

// The traits, in the order of traitNames.
const (
	asksReason trait = 1 << iota
	asksTime
	asksNumber
	asksPerson
	asksPlace
	asksChange
	asksList
	asksOrder
	asksDecision
	asksPreference
	asksInstruction
	firstPerson
	thirdPerson
	toResponder
	asksOverview
	namesRelation
	givesReason
	givesNumber
	opensQuestion
	opensRequest
	givesTime
	namesMeasure
	namesMoney
	opensTask
	asksEffect
	namesSomebody
)

// traitNames are the names of the traits in the lexicon; never written.
var traitNames = [...]string{
	"reason", "time", "number", "person", "place", "change", "list", "order", "decision", "preference",
	"instruction", "first-person", "third-person", "responder", "overview", "relation", "because",
	"number-word", "opening", "request", "habit", "measure", "money", "task", "effect", "somebody",
}

// weakWeight is the weight of a word that many things share.
const weakWeight = 0.4

// slightWeight is the weight of a word that fits nearly everything.
const slightWeight = 0.2

// weights are the weights of the word lists; never written.
var weights = map[string]float64{"idle": 0, "slight": slightWeight, "weak": weakWeight}

// theLexicon reads the embedded files.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		weight: map[string]float64{}, idle: map[string]bool{}, function: map[string][]string{}, opposites: map[string][]string{}, alike: map[string][]twin{}, under: map[string][]twin{},
		base: map[string]string{}, forms: map[string][]twin{}, slots: map[string][]string{}, asks: map[string]trait{}, shapes: map[string]shaping{}, listed: map[string]bool{}, ending: map[string]bool{}, turned: map[string]bool{},
		lists: map[string]uint32{}, face: map[string]string{},
	}
	l.addLists()
	l.eachLine("form", l.addForms)
	l.eachLine("weight", func(name string, words []string) {
		for _, w := range words {
			if exact, only := strings.CutPrefix(w, "="); only {
				l.idle[exact] = true // its stem is that of another word
				continue
			}
			l.listed[l.plain(w)] = true
			if _, known := l.weight[l.plain(w)]; name == "idle" || !known {
				l.weight[l.plain(w)] = weights[name]
			}
		}
	})
	l.eachLine("alike", func(_ string, words []string) { l.addGroup(words) })
	l.eachLine("under", func(name string, words []string) {
		for _, w := range words {
			if name == "job" {
				l.asks[language.Stem(w)] |= namesSomebody
			}
			l.under[l.plain(name)] = append(l.under[l.plain(name)], twin{l.plain(w), w})
		}
	})
	l.eachLine("slot", func(name string, words []string) {
		for _, w := range words {
			if have := l.slots[l.plain(w)]; len(have) == 0 || have[len(have)-1] != name {
				l.slots[l.plain(w)] = append(have, name)
			}
		}
	})
	l.eachLine("antonym", func(name string, words []string) {
		for _, a := range strings.Split(name, ", ") {
			for _, b := range words {
				l.opposites[l.plain(a)] = append(l.opposites[l.plain(a)], l.plain(b))
				l.opposites[l.plain(b)] = append(l.opposites[l.plain(b)], l.plain(a))
			}
		}
	})
	l.eachLine("function", func(name string, words []string) { l.function[name] = words })
	l.eachLine("turn", func(name string, words []string) {
		for _, w := range words {
			if name == "turned" {
				l.turned[w] = true
				continue
			}
			l.ending[language.Stem(w)], l.ending[l.plain(w)] = true, true
		}
	})
	l.eachLine("shape", l.addShapes)
	l.eachLine("asks", func(name string, words []string) {
		for i, trait := range traitNames {
			if trait == name {
				for _, w := range words {
					l.asks[w] |= 1 << i
					if 1<<i&(namesRelation|givesReason|givesNumber|givesTime|namesMoney|namesSomebody|asksPreference) != 0 {
						if stem := language.Stem(w); !language.Stop(stem) { // "one" has the stem of "on"
							l.asks[stem] |= 1 << i
						}
					}
				}
			}
		}
	})
	return l
})

// addShapes adds the words that ask for a shape or have it.
func (l *lexicon) addShapes(name string, words []string) {
	part, name, _ := strings.Cut(name, " ")
	for i := range shapeNames {
		if shapeNames[i] != name {
			continue
		}
		for _, w := range words {
			known := l.shapes[w]
			switch part {
			case "mean":
				known.ask, known.means = known.ask|1<<i, true
			case "ask":
				known.ask |= 1 << i
			case "unit":
				known.unit |= 1 << i
			default:
				known.word |= 1 << i
			}
			l.shapes[w] = known
			if stem := language.Stem(w); stem != w && part == "word" && !language.Stop(stem) {
				stemmed := l.shapes[stem]
				stemmed.word |= 1 << i
				l.shapes[stem] = stemmed
			}
		}
	}
}

// addForms adds the irregular forms of a word.
func (l *lexicon) addForms(name string, words []string) {
	base := language.Stem(name)
	for _, w := range words {
		if form := language.Stem(w); form != base {
			l.base[form] = base
			l.forms[base] = append(l.forms[base], twin{form, w})
		}
	}
}

// plain is the stem of a word's base form.
func (l *lexicon) plain(word string) string {
	stem := language.Stem(word)
	if base, irregular := l.base[stem]; irregular {
		return base
	}
	return stem
}

// addGroup makes the words of a group interchangeable.
func (l *lexicon) addGroup(words []string) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = l.plain(w)
		l.listed[stems[i]] = true
	}
	for _, a := range stems {
		for i, b := range stems {
			if a != b {
				l.alike[a] = append(l.alike[a], twin{b, words[i]})
			}
		}
	}
}

// eachLine calls f for every list of a file.
func (l *lexicon) eachLine(file string, f func(name string, words []string)) {
	data, err := lexiconFiles.ReadFile("lexicon/" + file + ".txt")
	if err != nil {
		return // embedded: cannot happen
	}
	for name, words := range language.Lists(string(data)) {
		f(name, words)
	}
}

// turns reports whether a sentence in lower case is about giving something up.
func (l *lexicon) turns(low string) bool {
	for word := range strings.FieldsFuncSeq(low, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if l.turned[word] {
			return true
		}
	}
	return false
}

// known reports whether the weight of a stem is listed.
func (l *lexicon) known(stem string) bool {
	_, listed := l.weight[stem]
	return listed
}

// knows reports whether the lexicon has examples of a word.
func (l *lexicon) knows(stem string) bool { return len(l.slots[stem]) > 0 || len(l.under[stem]) > 0 }

// isTechnology reports whether an attribute is a sort of technology, which the lexicon
// lists after "*".
func (l *lexicon) isTechnology(attribute string) bool {
	base, _, _ := strings.Cut(attribute, " for ")
	return l.has(listTechnology, base)
}
