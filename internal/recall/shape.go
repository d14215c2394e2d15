package recall

import (
	_ "embed" // the shapes
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/shapes.txt
var shapeText string

// aim is what a question about memory asks for.
type aim uint8

const (
	aimNone     aim = iota
	aimReversed     // decisions that were taken back
	aimChanged      // what is no longer as it was
	aimDecided      // what was decided
	aimHappened     // what happened in a time
	aimOrder        // what came after what
	aimList         // all of a kind
	aimAbout        // all that was told of a topic
	aimCount        // how many times something was told
	aimLast         // the newest of its kind
	aimSome         // several things, by a plural: "which towns"
	aimSelf         // who the asker is
	aimSaid         // what the asker said in a time
)

// aimNames are the aims in the file of shapes; never written.
var aimNames = [...]string{"", "reversed", "changed", "decided", "happened", "order", "list", "about", "count", "last", "some", "self", "said"}

// shape is the form of questions with one aim: elements in order.
type shape struct {
	aim     aim
	parts   []element
	wide    bool // in writing without spaces: the parts are looked for inside the text
	example string
}

// element is a word or phrase of a shape, one of several.
type element struct {
	choices [][]string
	gap     bool // any words may stand before it
	end     bool // it is the end of the question
}

// grammar is what the file of shapes holds: the shapes in their order, the words that
// relate a time to what is asked, and those that tell a decision.
type grammar struct {
	shapes    []shape
	relations map[string]string
	decides   map[string]bool
}

// relation is how a word before a time relates to it: "since", "after", "before", or "".
func (g *grammar) relation(low string) string { return g.relations[low] }

// theGrammar is the embedded grammar, read once.
var theGrammar = sync.OnceValue(func() *grammar {
	g := &grammar{relations: map[string]string{}, decides: map[string]bool{}}
	lists, rows := readRows(shapeText)
	for _, row := range rows {
		g.shapes = append(g.shapes, readShape(row, lists))
	}
	for _, name := range [...]string{"since", "after", "before"} {
		for _, word := range lists["@"+name] {
			g.relations[folded(word)] = name
		}
	}
	for _, word := range lists["@decide"] {
		g.decides[folded(word)] = true
	}
	return g
})

// readRows reads a lexicon: its lists, by names that begin with "@", and the cells of its rows. "_" is a space in an item.
func readRows(text string) (lists map[string][]string, rows [][]string) {
	lists = map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '@':
			for name, items := range language.Lists(line) {
				for _, item := range items {
					lists[name] = append(lists[name], strings.ReplaceAll(item, "_", " "))
				}
			}
		default:
			rows = append(rows, strings.Split(line, " | "))
		}
	}
	return lists, rows
}

// setsOf are lists as sets of folded words and phrases, by their names without "@".
func setsOf(lists map[string][]string) map[string]map[string]bool {
	sets := make(map[string]map[string]bool, len(lists))
	for name, items := range lists {
		set := make(map[string]bool, len(items))
		for _, item := range items {
			set[folded(item)] = true
		}
		sets[name[1:]] = set
	}
	return sets
}

// decides reports whether a text has a word that tells a decision.
func decides(text string) bool {
	return slices.ContainsFunc(speltWords(text), func(w spelt) bool { return theGrammar().decides[w.low] })
}

// readShape reads a row: the aim, the pattern and the example.
func readShape(cells []string, lists map[string][]string) shape {
	s := shape{aim: aim(indexOf(aimNames[:], cells[0])), example: cells[2]}
	gap := true
	for _, field := range strings.Fields(cells[1]) {
		switch field {
		case "^":
			gap = false
			continue
		case "…":
			gap = true
			continue
		}
		e := element{gap: gap, end: field == "$"}
		gap = false
		for _, item := range strings.Split(field, "/") {
			items := []string{strings.ReplaceAll(item, "_", " ")}
			if item[0] == '@' {
				items = lists[item]
			}
			for _, text := range items {
				s.wide = s.wide || isWide(text)
				e.choices = append(e.choices, strings.Fields(folded(text)))
			}
		}
		s.parts = append(s.parts, e)
	}
	return s
}

// spelt is a word of a question as shapes compare it.
type spelt struct {
	low        string
	start, end int
	used       bool // a shape names it
}

// speltWords cuts a text into words of letters, digits, apostrophes and hyphens.
func speltWords(text string) []spelt {
	var out []spelt
	start := -1
	for i, r := range text + " " {
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '\'' || r == '’' || r == '-'
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			out = append(out, spelt{low: folded(text[start:i]), start: start, end: i})
			start = -1
		}
	}
	return out
}

// elidedWords are the words of a text, with the French article parted from what it stands before.
func elidedWords(text string) []spelt {
	var out []spelt
	for _, w := range speltWords(text) {
		if before, rest := cutElision(w.low); rest != "" && len(before) <= len("qu") {
			cut := w.start + elision(text[w.start:w.end])
			out = append(out, spelt{low: before + "'", start: w.start, end: cut}, spelt{low: rest, start: cut, end: w.end})
			continue
		}
		out = append(out, w)
	}
	return out
}

// elision is how long the word before an apostrophe is, with that.
func elision(word string) int {
	i := strings.IndexAny(word, "'’")
	_, size := utf8.DecodeRuneInString(word[i:])
	return i + size
}

// maxShaped is the longest question that a shape is looked for in, in bytes.
const maxShaped = 400

// aimOf is what a question asks for of memory, and the rest of its text: what the question
// is about. aimNone is that of a question with no shape.
func aimOf(text string) (a aim, rest string) {
	if len(text) > maxShaped {
		return aimNone, text
	}
	words, wide := speltWords(text), isWide(text)
	for i := range theGrammar().shapes {
		s := &theGrammar().shapes[i]
		if s.wide {
			if wide {
				if rest, ok := s.within(text); ok {
					return s.aim, rest
				}
			}
			continue
		}
		if s.match(words, 0, 0) {
			return s.aim, without(text, words)
		}
	}
	return aimNone, text
}

// match marks the words that the parts from one on name, in the words from one on. It
// reports whether all parts are there.
func (s *shape) match(words []spelt, part, at int) bool {
	if part == len(s.parts) {
		return true
	}
	e := &s.parts[part]
	for ; at <= len(words); at++ {
		for _, choice := range e.choices {
			end := at + len(choice)
			if e.end {
				end = at
			}
			if !e.stands(choice, words, at) || !s.match(words, part+1, end) {
				continue
			}
			for i := at; i < end; i++ {
				words[i].used = true
			}
			return true
		}
		if !e.gap {
			return false
		}
	}
	return false
}

// stands reports whether a choice of the element stands at a place.
func (e *element) stands(choice []string, words []spelt, at int) bool {
	if e.end {
		return at == len(words)
	}
	if at+len(choice) > len(words) {
		return false
	}
	for i, w := range choice {
		if words[at+i].low != w {
			return false
		}
	}
	return true
}

// without is a text without the words that a shape named.
func without(text string, words []spelt) string {
	out := []byte(text)
	for _, w := range words {
		if w.used {
			for i := w.start; i < w.end; i++ {
				out[i] = ' '
			}
		}
	}
	return strings.TrimSpace(string(out))
}

// within looks for the parts inside a text without spaces, in their order. It returns the
// text without them.
func (s *shape) within(text string) (rest string, ok bool) {
	var b strings.Builder
	left := folded(text)
	for i := range s.parts {
		at, length := -1, 0
		for _, choice := range s.parts[i].choices {
			word := strings.Join(choice, " ")
			if found := strings.Index(left, word); found >= 0 && (at < 0 || found < at) {
				at, length = found, len(word)
			}
		}
		if at < 0 {
			return "", false
		}
		b.WriteString(left[:at] + " ")
		left = left[at+length:]
	}
	return b.String() + left, true
}

// shaped reports whether a text is a question by its shape alone: "connection limit over
// time".
func shaped(text string) bool {
	a, _ := aimOf(text)
	return a != aimNone && slices.Contains([]aim{aimOrder, aimList, aimAbout}, a)
}
