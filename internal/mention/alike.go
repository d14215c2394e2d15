package mention

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/hermes-memory/hermes/internal/language"
)

// Alike finds the spellings of a name that differ from it in accents only, such as "José" for "Jose". They are no
// mentions, but a search for the name finds them. It is not safe for concurrent use.
type Alike struct {
	thing *Thing
	bare  []string // the words of the name without accents
	found []*Thing
}

// NewAlike returns a search for such spellings of a thing.
func NewAlike(t *Thing) *Alike {
	a := &Alike{thing: t, bare: t.NameWords()}
	for i, word := range a.bare {
		a.bare[i] = bare(word)
	}
	if cs := []rune(strings.Join(a.bare, "")); len(cs) < 2 { // a letter alone, as of "C#", or a sign
		a.bare = nil
	}
	return a
}

// mostAlike bounds how many spellings are kept.
const mostAlike = 10

// Look looks for spellings in a text.
func (a *Alike) Look(text string) {
	if len(a.bare) == 0 || !bytes.Contains(language.AppendFolded(nil, text), []byte(a.bare[0])) {
		return // most texts, at little cost
	}
	n := len(a.bare)
	for _, words := range Words(text, n > 1) {
		for i := 0; i+n <= len(words); i++ {
			window := words[i : i+n]
			if slices.EqualFunc(window, a.bare, func(w Word, name string) bool { return bare(w.Text) == name }) {
				a.keep(text[window[0].Start:window[n-1].End])
			}
		}
	}
}

// keep keeps a spelling that is neither a mention nor known.
func (a *Alike) keep(spelling string) {
	if len(a.found) == mostAlike || strings.Contains(spelling, "\n") {
		return
	}
	for _, t := range append([]*Thing{a.thing}, a.found...) {
		if t.In(spelling) {
			return
		}
	}
	a.found = append(a.found, Of(spelling))
}

// Found are the spellings that were found, as they are written, in order; none that another one of them is found by.
func (a *Alike) Found() []string {
	var out []string
	for _, t := range a.found {
		out = append(out, t.About())
	}
	slices.Sort(out)
	return out
}

// bare is a folded word without the marks of its letters, as the index of texts has it.
func bare(word string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, word)
	return string(language.AppendFolded(nil, letters))
}
