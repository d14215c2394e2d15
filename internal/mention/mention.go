// Package mention finds a thing wherever a text names it, however it is spelled.
//
// One [Thing] finds what is to be forgotten, takes it out, and certifies that it
// is gone, so that the three cannot disagree. Texts are compared in one folded
// form (see fold.go), as they stand and with their escapes read (see escape.go), layer
// by layer; JSON is compared value by value. The package knows no storage.
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

// Thing is what texts are searched for. It is safe for concurrent use.
type Thing struct {
	about string
	// forms are the folded forms of its name: as it was given, and with its escapes
	// read, layer by layer. None is empty. needles are what is looked for of each.
	forms   [][]byte
	needles []needle
}

// Of is the thing that a name means.
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

// About is the name that was given.
func (t *Thing) About() string { return t.about }

// several reports whether the name has several words, so that a gap may stand between them.
func (t *Thing) several() bool {
	return slices.ContainsFunc(t.needles, func(n needle) bool { return len(n.words) > 1 })
}

// anywhere is how many characters a name has that is looked for within words, too.
const anywhere = 3

// IsName reports whether the thing can be looked for: its name has two characters or
// more, or one that is no letter of an alphabet, such as an ideograph or an emoji.
func (t *Thing) IsName() bool {
	for _, form := range t.forms {
		if cs := characters(form); len(cs) < 2 && !alone(cs) {
			return false
		}
	}
	return len(t.needles) > 0
}

// characters are the letters, digits and signs of a folded form, marks of letters not
// counted. A Korean syllable is one.
func characters(form []byte) []rune {
	var out []rune
	for _, r := range string(norm.NFC.Bytes(form)) {
		if !unicode.Is(unicode.M, r) || unicode.Is(unicode.Me, r) { // the mark of a keycap makes a sign
			out = append(out, r)
		}
	}
	return out
}

// alone reports whether a single character says something by itself.
func alone(cs []rune) bool {
	return len(cs) == 1 && (unicode.In(cs[0], unicode.Han, unicode.So) || cs[0] >= 0xac00 && cs[0] <= 0xd7a3)
}

// In reports whether a text names the thing.
func (t *Thing) In(text string) bool { return t.in([]byte(text)) }

func (t *Thing) in(text []byte) bool {
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

// Spans are the places where a text names the thing, in their order. They do not
// overlap.
func (t *Thing) Spans(text string) []Span {
	var all []Span
	for _, f := range readings([]byte(text), true) {
		for i := range t.needles {
			for from := 0; ; {
				at, end := f.find(&t.needles[i], from)
				if at < 0 {
					break
				}
				all = append(all, Span{f.from[at], f.to[end-1]})
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

// ofWord reports whether a character is a part of a word that blanks set apart.
func ofWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nd, unicode.M) && !language.Unspaced(r)
}

// goesOn reports whether a text begins with what belongs to the letter before it:
// a combining mark, or a part of a Korean syllable.
func goesOn(rest []byte) bool {
	if len(rest) == 0 || rest[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRune(rest)
	return r >= 0x1160 && r <= 0x11ff || norm.NFKD.Properties(rest).CCC() != 0
}
