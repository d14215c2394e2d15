package recall

import (
	_ "embed" // the words
	"strings"
	"sync"
	"unicode"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/self.txt
var selfText string

// selfGrammar is what people say of themselves by attributes, and how they ask for it.
type selfGrammar struct {
	tells []selfTelling
	asks  []selfAsking
	lists map[string]map[string]bool // of folded words and phrases
	// heads are the first words of openings up to an apostrophe, as they are written.
	heads map[string]bool
	// openings are the words of all openings by attributes.
	openings map[string]string
	jobs     map[tongue]map[string]bool
}

// selfTelling is a form of clauses that give an attribute.
type selfTelling struct {
	attribute, value string
	openings         [][]string
	rest             []string // one of these stands in the rest of the clause, if there are any
	example          string
}

// selfAsking is a form of questions that ask for an attribute.
type selfAsking struct {
	attribute string
	shape     shape
}

// theSelfGrammar is the embedded grammar, read once.
var theSelfGrammar = sync.OnceValue(func() *selfGrammar {
	lists, rows := readRows(selfText)
	g := &selfGrammar{lists: setsOf(lists), heads: map[string]bool{}, openings: map[string]string{}, jobs: map[tongue]map[string]bool{}}
	for t, name := range tongues {
		g.jobs[tongue(t)] = g.lists["job-"+name]
	}
	for _, row := range rows {
		sort, attribute, _ := strings.Cut(row[0], " ")
		if sort == "ask" {
			g.asks = append(g.asks, selfAsking{attribute: attribute, shape: readShape([]string{"", row[1], row[2]}, nil)})
			continue
		}
		g.tells = append(g.tells, readTelling(attribute, row[1:]))
		g.head(row[2])
		g.openings[attribute] += " " + strings.NewReplacer(",", "", "_", " ").Replace(row[2])
	}
	return g
})

// head notes the first words of openings.
func (g *selfGrammar) head(openings string) {
	for opening := range strings.SplitSeq(openings, ", ") {
		head := headOf(opening)
		g.heads[head], g.heads[strings.ToUpper(head[:1])+head[1:]] = true, true
	}
}

// headOf is the first word of a text, up to an apostrophe or another mark.
func headOf(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

// mayTell reports whether a text has the first word of an opening, as few have.
func (g *selfGrammar) mayTell(text string) bool {
	for field := range strings.FieldsSeq(text) {
		if g.heads[headOf(strings.TrimLeft(field, "(¡¿-–—"))] {
			return true
		}
	}
	return false
}

// readTelling reads a row: the value, the openings and the example.
func readTelling(attribute string, cells []string) selfTelling {
	t := selfTelling{attribute: attribute, example: cells[2]}
	value, rest, _ := strings.Cut(cells[0], " … ")
	t.value = value
	if rest != "" {
		t.rest = strings.Split(folded(rest), "/")
	}
	for _, opening := range strings.Split(cells[1], ", ") {
		var words []string
		for _, w := range elidedWords(strings.ReplaceAll(opening, "_", " ")) {
			words = append(words, w.low)
		}
		t.openings = append(t.openings, words)
	}
	return t
}

// isJob reports whether a word names a job, as it is written in its language: with a capital in German, where the end of a compound
// tells what it is, and without one in the others.
func (g *selfGrammar) isJob(w *spelt, capital bool) bool {
	if !capital {
		return g.jobs[french][w.low] || g.jobs[spanish][w.low] || jobs()[language.Stem(w.low)]
	}
	low := strings.TrimSuffix(w.low, "in")
	for end := range g.jobs[german] {
		if strings.HasSuffix(low, end) || strings.HasSuffix(w.low, end) {
			return true
		}
	}
	return false
}
