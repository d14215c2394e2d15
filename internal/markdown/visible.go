package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a text of any origin safe to show: it cannot move a cursor, or look like
// other text. Line feeds and tabs stay; carriage returns are dropped. Other control
// characters, and marks that change the writing direction, are made visible. Invisible
// characters stay where scripts need them: in joined emoji, and between letters of joining
// scripts. Elsewhere they may hide something, and a symbol replaces them.
func Clean(text string) string {
	if !strings.ContainsFunc(text, Doubtful) && utf8.ValidString(text) {
		return text
	}
	last := rune(0)
	return strings.Map(func(r rune) rune {
		shown := Visible(last, r)
		last = r
		return shown
	}, text)
}

// Doubtful reports whether Clean may replace a character.
func Doubtful(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', breaksLine(r):
		return true
	case r < 0x7f:
		return false
	}
	return r <= 0x9f || Shapeless(r)
}

// Visible is the character to show for r after last; -1 for none.
func Visible(last, r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r == '\r':
		return -1
	case r < ' ':
		return 0x2400 + r // Unicode's control pictures
	case r == 0x7f:
		return 0x2421
	case r >= 0x80 && r <= 0x9f, breaksLine(r), Turns(r):
		return utf8.RuneError
	case !Shapeless(r), belongs(last, r):
		return r
	case layoutOnly(r), Shapeless(last), isTag(r) && last == blackFlag:
		return -1 // one symbol stands for a run of them
	}
	return utf8.RuneError
}

// breaksLine reports whether a character is a line or paragraph separator.
func breaksLine(r rune) bool { return r == '\u2028' || r == '\u2029' }

// Turns reports whether a character changes the writing direction.
func Turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

// Shapeless reports whether a character is invisible. The Arabic number signs have the
// same category and are visible.
func Shapeless(r rune) bool {
	return r >= 0xad && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// layoutOnly reports whether a character only affects layout: the soft hyphen, and
// direction marks.
func layoutOnly(r rune) bool {
	switch r {
	case 0xad, 0x61c, 0x200e, 0x200f:
		return true
	}
	return false
}

// blackFlag is the character before the tag characters of a flag.
const blackFlag = 0x1f3f4

func isTag(r rune) bool { return r >= 0xe0020 && r <= 0xe007f }

// belongs reports whether an invisible character legitimately changes the one before
// it.
func belongs(last, r rune) bool {
	switch {
	case r == 0x200d: // zero width joiner
		return pictograph(last) || joins(last)
	case r == 0x200c: // zero width non-joiner
		return joins(last)
	case r == 0xfe0e, r == 0xfe0f: // as text, as a picture
		return last != r && pictograph(last) || unicode.In(last, unicode.Nd, unicode.So, unicode.Po, unicode.Sm)
	case unicode.Is(unicode.Variation_Selector, r): // another form of a character
		return unicode.Is(unicode.Han, last)
	}
	return false
}

// pictograph reports whether a character may be part of a joined emoji.
func pictograph(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x2bff, r == 0xfe0f, r == 0x20e3:
		return true
	}
	return false
}

// joins reports whether a character belongs to a joining script.
func joins(r rune) bool {
	return r >= 0x600 && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese)
}
