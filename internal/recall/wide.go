package recall

import "unicode"

// blank removes question words from writing without spaces. Other text is returned
// unchanged.
func blank(text string) string {
	if !isWide(text) {
		return text
	}
	return theLexicon().asking.Replace(text)
}

// isWide reports whether a text is mostly in a writing system without spaces.
func isWide(text string) bool {
	wide, all := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			all++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
				wide++
			}
		}
	}
	return wide > 0 && wide*2 >= all
}
