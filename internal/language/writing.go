package language

import (
	"unicode"
	"unicode/utf8"
)

// wordRune reports whether r is part of words: a letter, a digit, or a mark
// that changes the letter before it.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiClass[r] != 0
	}
	if r == utf8.RuneError {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// unspaced reports whether r belongs to a writing that sets no space between
// words, or glues so much to them that pairs of characters match better.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x0F00, // Thai, Lao
		within(r, 0x1000, 0x10A0), within(r, 0x1780, 0x1800): // Burmese, Khmer
		return unicode.IsLetter(r) || unicode.Is(unicode.M, r)
	case within(r, 0x1100, 0x1200), within(r, 0xAC00, 0xD7B0): // hangul
		return true
	case within(r, 0x3041, 0x3100), within(r, 0x31F0, 0x3200), within(r, 0xFF66, 0xFFA0): // kana
		return r != '・' && r != '゠'
	case r == '々', within(r, 0x3400, 0x4DC0), within(r, 0x4E00, 0xA000), within(r, 0xF900, 0xFB00):
		return true
	}
	return within(r, 0x20000, 0x32000) // rarer Han
}

// within reports whether r is one of the characters from first to before end.
func within(r, first, end rune) bool { return r >= first && r < end }

// encodeFolded writes the lower-case form of r without diacritics and returns
// its length. A combining mark, as in decomposed text, leaves nothing.
func encodeFolded(dst []byte, r rune) int {
	if r >= 0xFF01 && r <= 0xFF5E { // full-width ASCII
		r -= 0xFF01 - '!'
	}
	if r < utf8.RuneSelf {
		dst[0] = lowerASCII(byte(r))
		return 1
	}
	if r >= 0x0300 && r < 0x0370 {
		return 0
	}
	r = unicode.ToLower(r)
	if r >= 0x00C0 && r < 0x0180 {
		if plain := latinPlain[r-0x00C0]; plain != ' ' {
			dst[0] = plain
			return 1
		}
		switch r {
		case 'ß':
			return copy(dst, "ss")
		case 'æ':
			return copy(dst, "ae")
		case 'œ':
			return copy(dst, "oe")
		}
	}
	return utf8.EncodeRune(dst, r)
}

// latinPlain gives the letters from U+00C0 to U+017F without their diacritics;
// a space where the letter is more than an accented one.
const latinPlain = "aaaaaa ceeeeiiiidnooooo ouuuuy  aaaaaa ceeeeiiiidnooooo ouuuuy y" +
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkkklllllllllln" +
	"nnnnnnnnoooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
