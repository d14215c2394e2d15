package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hermes-memory/hermes/internal/language"
)

// Words are compared without case and without the diacritics of Latin letters, in every index
// and in every text. A database that folded words itself would find others than the texts show.

// appendFolded appends the form of s in which words are compared: the full case folding of
// Unicode, with full-width letters as ordinary ones. Folding a second time changes nothing.
func appendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, lower(c))
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = appendFoldedRune(dst, r)
		i += n
	}
	return dst
}

// appendFoldedRune appends the form of a character outside ASCII.
func appendFoldedRune(dst []byte, r rune) []byte {
	if within(r, 0xFB00, 0xFB07) { // ligatures
		return append(dst, ligatures[r-0xFB00]...)
	}
	if !within(r, 0x300, 0x370) { // a mark may have a capital that is a letter
		r = unicode.ToLower(unicode.ToUpper(r)) // forms that share a capital are one: σ and ς
	}
	if within(r, 0x180, 0x250) || within(r, 0x1E00, 0x1F00) {
		var buf [utf8.UTFMax]byte
		if parts := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition(); len(parts) > 1 && parts[0] < utf8.RuneSelf {
			return append(dst, parts[0]) // all decomposed letters of these blocks are lower-case now
		}
	}
	return language.AppendFolded(dst, string(r))
}

// ligatures are the letters of U+FB00 to U+FB06.
var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

func within(r, first, end rune) bool { return r >= first && r < end }

// folded is a text in the form in which words are compared. Most texts are in it but for ASCII
// capitals, which every index folds alike.
func folded(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return string(appendFolded(make([]byte, 0, len(text)+8), text))
		}
	}
	return text
}
