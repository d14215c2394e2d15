package secret

import (
	"unicode"
	"unicode/utf8"
)

// gram is the class of each of three characters at the start of a text, five bits each.
// A text that begins with a cue begins with one of the cue's grams. A character outside
// ASCII ends a gram, for its other case may have another length.
type gram uint16

// gramSet is a set of grams.
type gramSet [1 << 15 / 64]uint64

func (s *gramSet) add(g gram) { s[g>>6] |= 1 << (g & 63) }

func (s *gramSet) has(g gram) bool { return s[g>>6]&(1<<(g&63)) != 0 }

// The classes of characters, besides those of the letters: 1 to 26.
const (
	classOther = 0
	classBlank = 27 // what matches a blank of a cue
	classWide  = 28 // a byte of a character outside ASCII
	lastClass  = classWide
)

// classes are looked up for every byte that is learnt or quoted; never written.
var classes = func() (out [256]uint8) {
	for b := range out {
		c := byte(b)
		if letter := leet[c]; letter != 0 {
			c = letter
		}
		switch {
		case c >= utf8.RuneSelf:
			out[b] = classWide
		case c == ' ', c == '_', c == '-':
			out[b] = classBlank
		case unicode.IsLetter(rune(c)):
			out[b] = c | 0x20 - 'a' + 1
		}
	}
	return out
}()

// gramAt is the gram at the start of a text.
func gramAt(text string) gram {
	g := gram(classes[text[0]]) << 10
	if g == classWide<<10 {
		return g | gram(text[0])
	}
	if len(text) > 1 {
		g |= gram(classes[text[1]]) << 5
	}
	if len(text) > 2 && g&(31<<5) != classWide<<5 {
		g |= gram(classes[text[2]])
	}
	return g
}

// gramsOf are the grams that texts with a cue may begin with.
func gramsOf(cue string) map[gram]bool {
	out := map[gram]bool{}
	first, n := utf8.DecodeRuneInString(cue)
	for _, c := range []rune{first, unicode.ToUpper(first)} {
		b := string(c)[0]
		g := gram(classes[b]) << 10
		if b >= utf8.RuneSelf {
			out[g|gram(b)] = true
			continue
		}
		addGrams(out, g, 5, cue[n:])
	}
	return out
}

// addGrams adds the grams that go on with the rest of a cue. shift is the place of the
// next class.
func addGrams(out map[gram]bool, g gram, shift int, rest string) {
	if shift < 0 {
		out[g] = true
		return
	}
	out[g|classWide<<shift] = true // some letters outside ASCII are capitals of letters within it
	if rest == "" {
		for class := range gram(lastClass) {
			addGrams(out, g|class<<shift, shift-5, "")
		}
		return
	}
	next, n := utf8.DecodeRuneInString(rest)
	if next == ' ' {
		addGrams(out, g, shift, rest[n:]) // a text may leave it out
	}
	if next < utf8.RuneSelf {
		addGrams(out, g|gram(classes[next])<<shift, shift-5, rest[n:])
	}
}
