package language

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon/alike.txt
var alikeText string

//go:embed lexicon/kinds.txt
var kindText string

//go:embed lexicon/verbs.txt
var verbText string

// lexicon is the knowledge of English, by stems.
type lexicon struct {
	alike, kinds map[string][]string
	verbs        map[string]bool
}

// english is the embedded lexicon, read once.
var english = sync.OnceValue(func() *lexicon {
	l := &lexicon{alike: make(map[string][]string), kinds: make(map[string][]string), verbs: Stems(verbText)}
	for _, words := range Lists(alikeText) {
		stems := stemsOf(words)
		for i, w := range stems {
			l.alike[w] = append(append(l.alike[w], stems[:i]...), stems[i+1:]...)
		}
	}
	for name, words := range Lists(kindText) {
		name = Stem(name)
		l.kinds[name] = append(l.kinds[name], stemsOf(words)...)
	}
	return l
})

func stemsOf(words []string) []string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = Stem(w)
	}
	return stems
}

// Stems reads a list of words that are separated by spaces, as the set of their stems.
func Stems(text string) map[string]bool {
	out := make(map[string]bool)
	for _, items := range Lists(text) {
		for _, item := range items {
			for word := range strings.FieldsSeq(item) {
				out[Stem(word)] = true
			}
		}
	}
	return out
}

// Alike are the stems of English words that may stand for the word with a stem in
// everyday talk ("purchase" for "buy"). The result must not be changed. It may name a
// word twice.
func Alike(stem string) []string { return english().alike[stem] }

// Kinds are the stems of the usual members of the class that the word with a stem names:
// "dog" and "cat" for "pet". The result must not be changed. It may name a word twice.
func Kinds(stem string) []string { return english().kinds[stem] }

// Verb reports whether the word with a stem is mostly a verb.
func Verb(stem string) bool { return english().verbs[stem] }
