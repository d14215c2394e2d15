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
)

// Thing is what texts are searched for. It is safe for concurrent use.
type Thing struct {
	about string
	// needles are the folded forms of its name: as it was given, and with its
	// escapes read, layer by layer. None is empty.
	needles [][]byte
	blanks  bool // one of them has some
}

// Of is the thing that a name means.
func Of(about string) *Thing {
	t := &Thing{about: strings.TrimSpace(about)}
	for _, l := range layers([]byte(t.about), false) {
		f, _ := l.fold(false, false)
		needle := bytes.TrimSpace(f.text)
		if len(needle) > 0 && !slices.ContainsFunc(t.needles, func(n []byte) bool { return bytes.Equal(n, needle) }) {
			t.needles = append(t.needles, needle)
			t.blanks = t.blanks || bytes.IndexByte(needle, ' ') >= 0
		}
	}
	return t
}

// About is the name that was given.
func (t *Thing) About() string { return t.about }

// Characters is how many letters, digits and signs the shortest form of the name
// has, marks of letters not counted.
func (t *Thing) Characters() int {
	least := 0
	for i, needle := range t.needles {
		n := 0
		for _, r := range string(needle) {
			if !unicode.Is(unicode.M, r) {
				n++
			}
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least
}

// In reports whether a text names the thing.
func (t *Thing) In(text string) bool { return t.in([]byte(text)) }

func (t *Thing) in(text []byte) bool {
	for _, f := range readings(text, false, t.blanks) {
		for _, needle := range t.needles {
			if at, _ := f.find(needle, 0); at >= 0 {
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
	for _, f := range readings([]byte(text), true, t.blanks) {
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
func (f *folded) find(needle []byte, from int) (start, end int) {
	for from <= len(f.text) {
		i := bytes.Index(f.text[from:], needle)
		if i < 0 {
			break
		}
		start, end = from+i, from+i+len(needle)
		if !goesOn(f.text[end:]) {
			return start, end
		}
		from = start + 1
	}
	return -1, -1
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
