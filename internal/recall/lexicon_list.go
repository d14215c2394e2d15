package recall

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/language"
)

// wordList is a list of words with one function in a sentence. Each list is used either
// with stems or with words as written.
type wordList uint8

// The lists of words, in the order of wordLists.
const (
	// of stems
	listAway      wordList = iota // verbs that lead from one thing to another
	listServing                   // what a technology does for those who use it
	listTrading                   // buying and selling: a plain figure may be the price
	listStaying                   // holding on to something
	listLiving                    // "where does our data live?": no more than "is"
	listHappening                 // only that something happens
	listMeasure                   // measures: "how high is the rent?" is answered without "high"
	listVariety                   // add nothing after the name of a sort
	listTier                      // qualified by the word before
	listFirm                      // the kind of a company: "a Python shop"
	listPlace                     // leads to a place
	// of words
	listKeeping // keeping and tracking things
	listCausing // asks for a reason, or for an effect
	listWishing // "what do the auditors want?"
	listNaming  // which of a person's names
	listGuiding // "walk" in "walk me through our stack"
	listGuided  // "through" in it
	listLater   // may begin a continuing sentence, before its subject
	listTrial   // an earlier deed: "that experiment", "the move"
	listCrowd   // left out when counted
	listOrdinal // a place in a row
	// of attributes of facts
	listTechnology // sorts of technology
)

// wordLists are the names of the lists in stem.txt, word.txt and attribute.txt; never
// written.
var wordLists = [...]string{
	"away", "serving", "trading", "staying", "living", "happening", "measure", "variety", "tier", "firm", "place",
	"keeping", "causing", "wishing", "naming", "guiding", "guided", "later", "trial", "crowd", "ordinal", "technology",
}

// partList is a list of parts of sentences with one meaning.
type partList uint8

// The lists of parts, in the order of partLists.
const (
	partStory     partList = iota // a question asks for the effect of something
	partExact                     // a question asks for the very words
	partReplacing                 // a question asks for the replacement of something
	partTurn                      // giving something up, or going back
	partBack                      // something earlier holds again
	partKept                      // it was kept after all
	partTrouble                   // what went wrong
	partTrial                     // trying something
	partNow                       // the present state
	partBreaking                  // between the cause of harm and the harmed thing
	partLeading                   // between a cause and its effect
	partStack                     // what something is made with
	partRate                      // behind a figure that is a price
	partAge                       // a person's age
)

// partLists are the names of the lists in part.txt; never written.
var partLists = [...]string{
	"story", "exact", "replacing", "turn", "back", "kept", "trouble", "trial", "now", "breaking", "leading", "stack", "rate", "age",
}

// addWords returns a function that adds the words of a list in the given form.
func (l *lexicon) addWords(form func(string) string) func(name string, words []string) {
	return func(name string, words []string) {
		for i, list := range wordLists {
			if list == name {
				for _, w := range words {
					l.lists[form(w)] |= 1 << i
				}
			}
		}
	}
}

// addParts adds parts of sentences.
func (l *lexicon) addParts(name string, parts []string) {
	for i, list := range partLists {
		if list == name {
			for _, part := range parts {
				l.parts[i] = append(l.parts[i], strings.ReplaceAll(part, "_", " "))
			}
		}
	}
}

// addLists reads the lists, the words of the first person, and those of questions in
// writing without spaces.
func (l *lexicon) addLists() {
	l.eachLine("stem", l.addWords(language.Stem))
	l.eachLine("word", l.addWords(strings.Clone))
	l.eachLine("attribute", l.addWords(strings.Clone))
	l.eachLine("part", l.addParts)
	l.eachLine("person", func(name string, words []string) {
		for _, w := range words {
			l.face[w] = name
		}
	})
	l.eachLine("wide", func(_ string, words []string) {
		var pairs []string
		for _, w := range words {
			pairs = append(pairs, w, " ")
		}
		l.asking = strings.NewReplacer(pairs...)
	})
}

// has reports whether a word, or a stem, is in a list.
func (l *lexicon) has(list wordList, word string) bool { return l.lists[word]>>list&1 != 0 }

// tells reports whether a text in lower case has one of the parts in a list.
func (l *lexicon) tells(list partList, low string) bool {
	for _, part := range l.parts[list] {
		if strings.Contains(low, part) {
			return true
		}
	}
	return false
}
