package language

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed lexicon/alike.txt
var alikeText string

//go:embed lexicon/kinds.txt
var kindText string

//go:embed lexicon/technology.txt
var technologyText string

//go:embed lexicon/idle.txt
var idleText string

//go:embed lexicon/verbs.txt
var verbText string

// lexicon is the knowledge of English, by stems.
type lexicon struct {
	alike, kinds map[string][]string
	groups       map[string][][]string // the groups of words that may stand for one another, by word
	classes      map[string][]string   // the names of the classes that a word is in
	verbs, idle  map[string]bool
}

// english is the embedded lexicon, read once.
var english = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		alike: make(map[string][]string), groups: make(map[string][][]string),
		kinds: make(map[string][]string), classes: make(map[string][]string),
		verbs: Stems(verbText), idle: Stems(idleText),
	}
	for _, words := range Lists(alikeText) {
		stems := stemsOf(words)
		for i, w := range stems {
			l.alike[w] = append(append(l.alike[w], stems[:i]...), stems[i+1:]...)
			l.groups[w] = append(l.groups[w], stems)
		}
	}
	for _, text := range [...]string{kindText, technologyText} {
		for name, words := range Lists(text) {
			name = Stem(name)
			stems := stemsOf(words)
			l.kinds[name] = append(l.kinds[name], stems...)
			for _, stem := range stems {
				l.classes[stem] = append(l.classes[stem], name)
			}
		}
	}
	for _, part := range [...]string{"language", "database", "framework", "queue", "cache", "cloud"} {
		for _, whole := range [...]string{"stack", "tech", "technology", "technologies"} {
			l.kinds[Stem(whole)] = append(l.kinds[Stem(whole)], l.kinds[Stem(part)]...)
		}
	}
	return l
})

// Prepare reads the lexicon, which takes some milliseconds, ahead of its first use.
func Prepare() { english() }

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

// Siblings reports whether two stems are those of different members of one class, which do not name the same: "lunch" and
// "dinner". What is said of one is not said of the other. Members that are alike do name the same, as "dog" and "puppy"
// do, unless the class heads the group in which they are.
func Siblings(a, b string) bool {
	l := english()
	return a != b && slices.ContainsFunc(l.classes[a], func(class string) bool {
		return slices.Contains(l.classes[b], class) && !l.same(a, b, class)
	})
}

// same reports whether two members of a class may stand for one another, and not only for the class.
func (l *lexicon) same(a, b, class string) bool {
	return slices.ContainsFunc(l.groups[a], func(group []string) bool {
		return slices.Contains(group, b) && group[0] != class
	})
}

// Idle reports whether the word with a stem mostly says how one asks, not what one asks
// for.
func Idle(stem string) bool { return english().idle[stem] }

// Verb reports whether the word with a stem is mostly a verb.
func Verb(stem string) bool { return english().verbs[stem] }

// Plural reports whether a noun, in lower case, seems to name several things.
func Plural(noun string) bool {
	if len(noun) <= 3 || noun[len(noun)-1] != 's' || strings.ContainsAny(noun, "'’") {
		return false
	}
	return !strings.ContainsRune("sui", rune(noun[len(noun)-2])) // "glass", "bus", "basis"
}
