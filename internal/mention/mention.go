// Package mention finds a thing wherever a text names it, however it is spelled.
//
// One [Thing] finds the mentions of what is to be forgotten, removes them, and
// certifies that none is left, so that these three cannot disagree. Texts are compared
// in one folded form (see fold.go), as written and with their escapes decoded (see
// escape.go), layer by layer. JSON is compared value by value. The package knows no
// storage.
package mention

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hermes-memory/hermes/internal/language"
)

// Thing is a name to search texts for. It is safe for concurrent use.
type Thing struct {
	about string
	// forms are the folded forms of its name: as given, and with its escapes decoded,
	// layer by layer. None is empty. needles are the search strings of each form.
	forms   [][]byte
	needles []needle
}

// OfWord returns the thing with a name that counts as a whole word, or as whole words, only: "Tom" is not in "tomorrow".
func OfWord(about string) *Thing {
	t := Of(about)
	for i := range t.needles {
		t.needles[i].apart = true
	}
	return t
}

// Whole reports whether the name counts as a whole word only, however long it is.
func (t *Thing) Whole() bool { return len(t.needles) > 0 && t.needles[0].apart }

// Of returns the thing with a name.
func Of(about string) *Thing {
	t := &Thing{about: strings.TrimSpace(about)}
	for _, l := range layers([]byte(t.about), false) {
		f, _ := l.fold(false, false)
		form := bytes.TrimSpace(f.text)
		if len(form) > 0 && !slices.ContainsFunc(t.forms, func(f []byte) bool { return bytes.Equal(f, form) }) {
			t.forms, t.needles = append(t.forms, form), append(t.needles, newNeedle(form))
		}
	}
	return t
}

// About returns the name that was given.
func (t *Thing) About() string { return t.about }

// several reports whether the name has several words, so that a gap may stand between them.
func (t *Thing) several() bool {
	return slices.ContainsFunc(t.needles, func(n needle) bool { return len(n.words) > 1 })
}

// anywhere is the number of characters from which on a name is also found within words.
const anywhere = 3

// IsName reports whether the thing can be searched for: its name has two characters or
// more, or one that is not a letter of an alphabet, such as an ideograph or an emoji.
func (t *Thing) IsName() bool {
	for _, form := range t.forms {
		if cs := characters(form); len(cs) < 2 && !alone(cs) {
			return false
		}
	}
	return len(t.needles) > 0
}

// characters counts the letters, digits and signs of a folded form, without the marks
// of letters. A Korean syllable counts as one.
func characters(form []byte) []rune {
	var out []rune
	for _, r := range string(norm.NFC.Bytes(form)) {
		if !unicode.Is(unicode.M, r) || unicode.Is(unicode.Me, r) { // the mark of a keycap makes a sign
			out = append(out, r)
		}
	}
	return out
}

// alone reports whether a single character has a meaning by itself.
func alone(cs []rune) bool {
	return len(cs) == 1 && (unicode.In(cs[0], unicode.Han, unicode.So) || cs[0] >= 0xac00 && cs[0] <= 0xd7a3)
}

// In reports whether a text names the thing.
func (t *Thing) In(text string) bool { return t.in([]byte(text)) }

func (t *Thing) in(text []byte) bool {
	return t.has(text) && (len(t.madeIn(text)) == 0 || len(t.places(text)) > 0)
}

// madeIn are the ways in which this program may have made a piece of a text that has the name, so that the piece
// names nothing.
func (t *Thing) madeIn(text []byte) (ways []func(text []byte, s Span) bool) {
	if t.slight() {
		ways = append(ways, inMadeID)
	}
	for _, w := range madeWords {
		if w.mayBeIn(text) {
			ways = append(ways, w.holds)
		}
	}
	return ways
}

// has reports whether the name is in a text, be it in an id by chance, or in a word of this program.
func (t *Thing) has(text []byte) bool {
	for _, f := range readings(text, false) {
		for i := range t.needles {
			if at, _ := f.find(&t.needles[i], 0); at >= 0 {
				return true
			}
		}
	}
	return false
}

// Span is a piece of a text, in bytes.
type Span struct{ Start, End int }

// Spans are the places where a text names the thing, in order. They do not overlap.
func (t *Thing) Spans(text string) []Span { return t.spans([]byte(text)) }

func (t *Thing) spans(text []byte) []Span {
	if !t.has(text) { // places cost several times as much
		return nil
	}
	return t.places(text)
}

// places are the spans of a text that has the name.
func (t *Thing) places(text []byte) []Span {
	var all []Span
	ways := t.madeIn(text)
	for _, f := range readings(text, true) {
		for i := range t.needles {
			for from := 0; ; {
				at, end := f.find(&t.needles[i], from)
				if at < 0 {
					break
				}
				s := Span{f.from[at], f.to[end-1]}
				if !slices.ContainsFunc(ways, func(made func([]byte, Span) bool) bool { return made(text, s) }) {
					all = append(all, s)
				}
				from = end
			}
		}
	}
	return joined(all)
}

// joined sorts spans and joins those that overlap.
func joined(all []Span) []Span {
	slices.SortFunc(all, func(a, b Span) int { return a.Start - b.Start })
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// within reports whether a place is within a word. Writings without spaces have no words.
func (f *folded) within(at int) bool {
	before, _ := utf8.DecodeLastRune(f.text[:at])
	behind, _ := utf8.DecodeRune(f.text[at:])
	return ofWord(before) && ofWord(behind)
}

// ofWord reports whether a character belongs to a word of a writing that separates
// words by spaces.
func ofWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nd, unicode.M) && !language.Unspaced(r)
}

// goesOn reports whether the first character of a text belongs to the letter before the
// text: a combining mark, or a part of a Korean syllable.
func goesOn(rest []byte) bool {
	if len(rest) == 0 || rest[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRune(rest)
	return r >= 0x1160 && r <= 0x11ff || norm.NFKD.Properties(rest).CCC() != 0
}
