package memory

import (
	"embed"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/*.txt
var lexiconFiles embed.FS

// meaning is the knowledge about a word or a phrase.
type meaning struct {
	tags tagSet
	// tech is the category of technology it names, from 1; 0 for none.
	tech uint8
	// everyday is set if the technology's name is also a common word.
	everyday bool
	// choice is the group of alternatives and side the alternative that the word names;
	// choice is 0 for none.
	choice, side uint8
	// topics are the topics of a question with this word.
	topics []topic
}

// topic is one thing that a question can ask for: facts of a kind, or facts that name a
// technology of a category (0 with an empty kind means any technology).
type topic struct {
	kind Kind
	tech uint8
}

// entry is a word of the lexicon with the phrases that begin with it.
type entry struct {
	text string // in lower case
	base string // the form for comparisons
	meaning
	phrases []phrase
}

// phrase is the rest of an expression of several words.
type phrase struct {
	rest []string
	base string
	meaning
}

// lexicon is the general knowledge of distillation. It is read once and never changed.
type lexicon struct {
	words      map[string]*entry
	categories []string // of technology; categories[0] is unused
	choices    []string // of alternatives; choices[0] is unused
	same       map[string]string
	lists      map[string]uint32 // the lists a word is in, a bit each
	// foreign are words of languages in other writings, by what they say of a sentence.
	foreign map[string][]string
}

// theLexicon reads the embedded files.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		words:      make(map[string]*entry, 8192),
		categories: []string{""}, choices: []string{""}, same: map[string]string{}, lists: map[string]uint32{}, foreign: map[string][]string{},
	}
	l.eachLine("same", func(name string, items []string) {
		for _, item := range items {
			l.same[item] = name
		}
	})
	l.eachLine("lists", l.addList)
	l.eachLine("technology", l.addTechnology)
	l.eachLine("alternatives", l.addChoice)
	l.eachLine("topics", l.addTopic)
	for _, file := range []string{
		"grammar", "discourse", "causes", "actions", "people", "instructions", "measures", "change", "talk",
	} {
		l.eachLine(file, l.addTagged)
	}
	return l
})

// eachLine calls f for every list of a file.
func (l *lexicon) eachLine(file string, f func(name string, items []string)) {
	data, err := lexiconFiles.ReadFile("lexicon/" + file + ".txt")
	if err != nil {
		return // not reachable: the file names are constants, and a test reads them all
	}
	for name, items := range language.Lists(string(data)) {
		f(name, items)
	}
}

// addTagged adds the items of one tag, and the forms of those marked as verbs.
func (l *lexicon) addTagged(name string, items []string) {
	if strings.HasPrefix(name, "foreign ") {
		if strings.HasSuffix(name, " end") { // the end of a syllable of Hangul is compared alone
			for i := range items {
				items[i] = norm.NFD.String(items[i])
			}
		}
		l.foreign[name] = items
		return
	}
	t, known := tagNames()[name]
	if !known {
		return // not reachable: a test compares the files with the names
	}
	for _, item := range items {
		base, verb := strings.CutPrefix(item, "~")
		l.meaningOf(base, base).tags.add(t)
		if !verb {
			continue
		}
		for _, form := range verbForms(base) {
			l.meaningOf(form, base).tags.add(t)
		}
	}
}

// addTechnology adds the names of one category.
func (l *lexicon) addTechnology(name string, items []string) {
	l.categories = append(l.categories, name)
	for _, item := range items {
		item, everyday := strings.CutPrefix(item, "?")
		m := l.meaningOf(item, "")
		if m.tech == 0 {
			m.tech, m.everyday = uint8(len(l.categories)-1), everyday
		}
	}
	for alias, item := range l.same {
		if m := l.meaningOf(item, ""); m.tech == uint8(len(l.categories)-1) {
			if a := l.meaningOf(alias, ""); a.tech == 0 {
				a.tech, a.everyday = m.tech, m.everyday
			}
		}
	}
}

// addChoice adds a group of alternatives, whose sides a slash separates.
func (l *lexicon) addChoice(name string, items []string) {
	l.choices = append(l.choices, name)
	side := uint8(1)
	for _, item := range items {
		for i, word := range strings.Split(item, " / ") {
			if i > 0 {
				side++
			}
			word, everyday := strings.CutPrefix(word, "?")
			m := l.meaningOf(word, "")
			m.everyday = m.everyday || everyday
			m.choice, m.side = uint8(len(l.choices)-1), side
		}
	}
}

// addTopic adds the words of questions that ask for one thing.
func (l *lexicon) addTopic(name string, items []string) {
	t := topic{}
	if kind, isKind := strings.CutPrefix(name, "["); isKind {
		t.kind = Kind(strings.TrimSuffix(kind, "]"))
	} else if name != "*" {
		t.tech = l.category(name)
	}
	for _, item := range items {
		m := l.meaningOf(item, "")
		m.topics = append(m.topics, t)
	}
}

// category returns the number of a category of technology.
func (l *lexicon) category(name string) uint8 {
	for i, c := range l.categories {
		if c == name {
			return uint8(i)
		}
	}
	return 0
}

// classOf is the category under which a technology is compared with others: a cache can
// take the place of a database.
func (l *lexicon) classOf(tech uint8) uint8 {
	if l.categories[tech] == "cache" {
		return l.category("database")
	}
	return tech
}

// meaningOf returns the meaning of a word or phrase, and creates it if absent.
func (l *lexicon) meaningOf(item, base string) *meaning {
	first, rest, several := strings.Cut(item, " ")
	e := l.words[first]
	if e == nil {
		e = &entry{text: first, base: l.canonical(first)}
		l.words[first] = e
	}
	if !several {
		if base != "" && base != item && e.base == e.text {
			e.base = l.canonical(base)
		}
		return &e.meaning
	}
	words := strings.Fields(rest)
	for i := range e.phrases {
		if strings.Join(e.phrases[i].rest, " ") == rest {
			return &e.phrases[i].meaning
		}
	}
	e.phrases = append(e.phrases, phrase{rest: words, base: l.canonical(item)})
	return &e.phrases[len(e.phrases)-1].meaning
}

// canonical returns the name of a thing for comparisons.
func (l *lexicon) canonical(name string) string {
	if other, found := l.same[name]; found {
		return other
	}
	return name
}
