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
	// needles are the folded forms of its name: as it was given, and with its
	// escapes read, layer by layer. None is empty.
	needles []needle
}

// needle is a folded form of a name.
type needle struct {
	text []byte
	// whole says that it counts as a whole word only: it is so short that it is a part
	// of many others.
	whole bool
}

// Of is the thing that a name means.
func Of(about string) *Thing {
	t := &Thing{about: strings.TrimSpace(about)}
	for _, l := range layers([]byte(t.about), false) {
		f, _ := l.fold(false, false)
		form := bytes.TrimSpace(f.text)
		if len(form) > 0 && !slices.ContainsFunc(t.needles, func(n needle) bool { return bytes.Equal(n.text, form) }) {
			t.needles = append(t.needles, needle{form, len(characters(form)) < anywhere})
		}
	}
	return t
}

// About is the name that was given.
func (t *Thing) About() string { return t.about }

// anywhere is how many characters a name has that is looked for within words, too.
const anywhere = 3

// IsName reports whether the thing can be looked for: its name has two characters or
// more, or one that is no letter of an alphabet, such as an ideograph or an emoji.
func (t *Thing) IsName() bool {
	for _, n := range t.needles {
		if cs := characters(n.text); len(cs) < 2 && !alone(cs) {
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
	for _, f := range readings(text, false, t.mayBeWide) {
		for _, needle := range t.needles {
			if at, _ := f.find(needle, 0); at >= 0 {
				return true
			}
		}
	}
	return false
}

// mayBeWide reports whether a text may name the thing if it has more blanks: then it has
// the first of the name's words. Most texts have not, and are folded once.
func (t *Thing) mayBeWide(f *folded) bool {
	return slices.ContainsFunc(t.needles, func(n needle) bool {
		word, _, blank := bytes.Cut(n.text, []byte{' '})
		return blank && bytes.Contains(f.text, word)
	})
}

// Span is a piece of a text, in bytes.
type Span struct{ Start, End int }

// Spans are the places where a text names the thing, in their order. They do not
// overlap.
func (t *Thing) Spans(text string) []Span {
	var all []Span
	for _, f := range readings([]byte(text), true, t.mayBeWide) {
		for _, needle := range t.needles {
			for from := 0; ; {
				at, end := f.find(needle, from)
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

// find is the first place of a needle at or behind from; -1 for none. A needle
// that ends within a letter and its marks is not found: "Rene" is not "René".
// One that counts as a whole word is not found within another word.
func (f *folded) find(n needle, from int) (start, end int) {
	for from <= len(f.text) {
		i := bytes.Index(f.text[from:], n.text)
		if i < 0 {
			break
		}
		start, end = from+i, from+i+len(n.text)
		if !goesOn(f.text[end:]) && (!n.whole || f.apart(start, end)) {
			return start, end
		}
		from = start + 1
	}
	return -1, -1
}

// apart reports whether no word goes over the start or the end of a piece.
func (f *folded) apart(start, end int) bool { return !f.within(start) && !f.within(end) }

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
