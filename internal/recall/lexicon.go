package recall

import (
	"embed"
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/*.txt
var lexiconFiles embed.FS

// lexicon is what the responder knows of words. It is read once and never
// written again.
type lexicon struct {
	// weight lists the words, stemmed, that count less than others.
	weight map[string]float64
	// alike leads from a stem to the stems it may stand for.
	alike map[string][]string
	// under leads from a stem to the stems that are examples of it.
	under map[string][]string
	// slots leads from a stem to the attributes of facts it asks for.
	slots map[string][]string
	// asks leads from a word, unstemmed, to what it asks for.
	asks map[string]trait
}

// trait is a set of things a word tells about the sentence it stands in.
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
)

// traitNames are the names of the traits in the lexicon; never written.
var traitNames = [...]string{
	"reason", "time", "number", "person", "place", "change", "list", "order", "decision", "preference",
	"instruction", "first-person", "third-person", "responder", "overview", "relation", "because",
	"number-word", "opening", "request",
}

// weakWeight is what a word counts that too many things share.
const weakWeight = 0.4

// theLexicon reads the embedded files.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		weight: map[string]float64{}, alike: map[string][]string{}, under: map[string][]string{},
		slots: map[string][]string{}, asks: map[string]trait{},
	}
	l.eachLine("weight", func(name string, words []string) {
		for _, w := range words {
			if name == "idle" {
				l.weight[language.Stem(w)] = 0
			} else if _, idle := l.weight[language.Stem(w)]; !idle {
				l.weight[language.Stem(w)] = weakWeight
			}
		}
	})
	l.eachLine("alike", func(_ string, words []string) { l.addGroup(words) })
	l.eachLine("under", func(name string, words []string) {
		for _, w := range words {
			l.under[language.Stem(name)] = append(l.under[language.Stem(name)], language.Stem(w))
		}
	})
	l.eachLine("slot", func(name string, words []string) {
		for _, w := range words {
			l.slots[language.Stem(w)] = append(l.slots[language.Stem(w)], name)
		}
	})
	l.eachLine("asks", func(name string, words []string) {
		for i, trait := range traitNames {
			if trait == name {
				for _, w := range words {
					l.asks[w] |= 1 << i
				}
			}
		}
	})
	return l
})

// addGroup makes every word of a group stand for every other.
func (l *lexicon) addGroup(words []string) {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = language.Stem(w)
	}
	for _, a := range stems {
		for _, b := range stems {
			if a != b {
				l.alike[a] = append(l.alike[a], b)
			}
		}
	}
}

// eachLine calls f for every "name: word, word" line of a file; the name is ""
// where a line has none.
func (l *lexicon) eachLine(file string, f func(name string, words []string)) {
	data, err := lexiconFiles.ReadFile("lexicon/" + file + ".txt")
	if err != nil {
		return // embedded: cannot happen
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, named := strings.Cut(line, ": ")
		if !named {
			name, rest = "", line
		}
		f(name, strings.Split(rest, ", "))
	}
}

// isTechnology reports whether an attribute is one of the sorts of technology
// that the lexicon lists after "*".
func (l *lexicon) isTechnology(attribute string) bool {
	base, _, _ := strings.Cut(attribute, " for ")
	switch base {
	case "language", "database", "cache", "queue", "cloud", "orchestration", "framework", "protocol", "ci",
		"infrastructure", "monitoring", "editor", "operating system", "version control", "server", "test tool",
		"build tool", "tracker", "chat tool", "payment", "identity provider", "model", "mail service", "orm":
		return true
	}
	return false
}
