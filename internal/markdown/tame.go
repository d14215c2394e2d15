package markdown

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A text for a chat platform or a page keeps all that writing needs, and loses what deceives or
// hides. The terminal is stricter: there Clean decides.
//
//	class                                  examples                 shown     because
//	control characters                     U+0000, U+0085           visibly   they command, and write nothing
//	overrides of direction                 U+202D, U+202E           U+FFFD    they turn Latin words around
//	embeddings, isolates: paired           U+202B…U+202C, U+2067…   as it is  a name of the other direction needs them
//	embeddings, isolates: not paired       U+202B, U+2069           U+FFFD    they turn what follows
//	embeddings, isolates: in code          U+2066                   U+FFFD    they hide what the code does
//	tags that make a flag                  🏴 and U+E0067…U+E007F   as it is  the flags of England, Scotland and Wales
//	other tags                             U+E0041                  U+FFFD    they hide whole texts
//	one form of a character                U+FE0F, U+180B           as it is  emoji, Han and Mongolian have such forms
//	other selectors of forms               U+FE01 behind "a"        U+FFFD    they hide a number each
//	breaks, joiners, marks of direction    U+200B, U+2060, U+200E   as it is  Thai, Persian and Hebrew need them
//	separators of lines and paragraphs     U+2028                   as it is  they are line breaks
//	fillers, deprecated, not assigned      U+3164, U+206A, U+FFF9   U+FFFD    no text needs them; they hide or look like nothing
//
// One symbol stands for a run of characters that are replaced.

// tame is a piece of a text whose embeddings and isolates are paired, or replaced; see [balanced].
func tame(text string) string { return tamed(text, true) }

// tameCode is a piece of code, in which nothing may turn.
func tameCode(text string) string { return tamed(text, false) }

func tamed(text string, turns bool) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, Doubtful) {
		return text
	}
	var b strings.Builder
	last, replaced := rune(0), false
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if n := flagTags(last, text); n > 0 {
			b.WriteString(text[:n])
			last, replaced, text = 0, false, text[n:]
			continue
		}
		shown, hides := written(last, r, turns)
		if again := hides && replaced; shown >= 0 && !again {
			b.WriteRune(shown)
		}
		last, replaced, text = r, hides, text[size:]
	}
	return b.String()
}

// written is the character that stands for r behind last, -1 for none, and whether it stands for one that
// hides something.
func written(last, r rune, turns bool) (shown rune, hides bool) {
	switch {
	case breaksLine(r), unicode.Is(layout(), r), formsOf(last, r):
		return r, false
	case overrides(r):
		return utf8.RuneError, true
	case turns && Turns(r):
		return r, false
	case Shapeless(r):
		return utf8.RuneError, true
	}
	return Visible(last, r), false
}

// layout are the invisible characters that writing needs, wherever they stand.
var layout = sync.OnceValue(func() *unicode.RangeTable {
	return tableOf(reach{0xad, 0xad}, reach{0x34f, 0x34f}, reach{0x61c, 0x61c}, reach{0x115f, 0x1160}, reach{0x17b4, 0x17b5},
		reach{0x180e, 0x180e}, reach{0x200b, 0x200f}, reach{0x2060, 0x2064}, reach{0xfeff, 0xfeff},
		reach{0x13430, 0x1345f}, reach{0x1d173, 0x1d17a})
})

// formsOf reports whether r selects a form of the character before it.
func formsOf(last, r rune) bool {
	if !unicode.Is(unicode.Variation_Selector, r) {
		return false
	}
	return belongs(last, r) || unicode.In(last, unicode.Mongolian, unicode.Myanmar, unicode.Phags_Pa, unicode.Sm)
}

// The tags of a flag are the letters and digits of a region, and the tag that ends them.
const (
	cancelTag = 0xe007f
	leastTags = 3
	mostTags  = 6
)

// flagTags is the length of the tags of a flag at the beginning of a text behind last; 0 if there are none.
func flagTags(last rune, text string) int {
	if last != blackFlag {
		return 0
	}
	n := 0
	for i, r := range text {
		if r == cancelTag && n >= leastTags {
			return i + utf8.RuneLen(r)
		}
		if n++; n > mostTags || !unicode.Is(tagSigns(), r) {
			return 0
		}
	}
	return 0
}

// tagSigns are the tags of digits and small letters.
var tagSigns = sync.OnceValue(func() *unicode.RangeTable { return tableOf(reach{0xe0030, 0xe0039}, reach{0xe0061, 0xe007a}) })

// reach is a range of characters.
type reach struct{ first, last uint32 }

// tableOf is a table of ranges, which rise.
func tableOf(list ...reach) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for _, s := range list {
		t.R32 = append(t.R32, unicode.Range32{Lo: s.first, Hi: s.last, Stride: 1})
	}
	return t
}

// overrides reports whether a character turns what follows, whatever its own direction is.
func overrides(r rune) bool { return r == 0x202d || r == 0x202e }

// balanced is a text without the overrides of direction, and without the embeddings and isolates that have
// no partner in their line. A symbol of the same length replaces each. A line ends what it has begun, so
// that a pair stands in one line.
func balanced(text string) string {
	if !strings.ContainsFunc(text, Turns) {
		return text
	}
	out := []byte(text)
	replace := func(at int) { copy(out[at:], "\ufffd") }
	var open []opened
	for i, r := range text {
		switch {
		case r == '\n', breaksLine(r):
			open = closeAll(open, replace)
		case overrides(r):
			replace(i)
		case r == 0x202c, r == 0x2069: // they end embeddings, and isolates
			last := len(open) - 1
			if last < 0 || open[last].by != r {
				replace(i)
				continue
			}
			open = open[:last]
		case Turns(r):
			open = append(open, opened{i, closerOf(r)})
		}
	}
	closeAll(open, replace)
	return string(out)
}

// opened is a mark that turns the direction, until another one ends that.
type opened struct {
	at int
	by rune
}

// closerOf is the mark that ends an embedding or an isolate.
func closerOf(r rune) rune {
	if r >= 0x2066 {
		return 0x2069
	}
	return 0x202c
}

// closeAll replaces marks that have no partner.
func closeAll(open []opened, replace func(at int)) []opened {
	for _, o := range open {
		replace(o.at)
	}
	return open[:0]
}
