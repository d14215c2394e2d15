package language

import (
	"unicode"
	"unicode/utf8"
)

// AppendFolded appends the lower-case form of s without diacritics to dst: the
// form in which words are compared before they are stemmed.
func AppendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, lowerASCII(c))
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		var buf [utf8.UTFMax]byte
		dst = append(dst, buf[:encodeFolded(buf[:], r)]...)
		i += n
	}
	return dst
}

// Porter reduces a folded English word to its stem in place, without the lists
// of stop words and irregular forms that [Scanner] knows: exactly what a text
// index with Porter's stemmer does.
func Porter(w []byte) []byte { return porter(w) }

// Unspaced reports whether r belongs to a writing without spaces between words,
// whose characters match better in overlapping pairs.
func Unspaced(r rune) bool { return unspaced(r) }

// Hidden reports whether a character is invisible: control characters, directions,
// joiners, tags, fillers, variation selectors. What is shown to a model leaves them
// out, and forgetting looks past them: both use this one set.
func Hidden(r rune) bool {
	if r < 0xad { // the soft hyphen is the first that is no control character
		return r < ' ' || r >= 0x7f && r <= 0x9f
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
