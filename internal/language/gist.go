package language

import (
	"strings"
	"unicode/utf8"
)

// Gist is the beginning of a text in one line of at most limit bytes, cut at a
// word, followed by an ellipsis if anything is missing.
func Gist(text string, limit int) string {
	if len(text) <= limit && plainSpaced(text) {
		return text
	}
	begin := firstRunes(text, limit*2)
	line := strings.Join(strings.Fields(begin), " ")
	if len(line) <= limit && len(begin) == len(text) {
		return line
	}
	line = firstRunes(line, limit)
	if i := strings.LastIndexByte(line, ' '); i > limit/2 {
		line = line[:i]
	}
	return line + "…"
}

// plainSpaced reports whether a text is in one line with single spaces between
// words, as far as ASCII tells: most messages are.
func plainSpaced(text string) bool {
	space := true
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf || c == ' ' && space || c < ' ' {
			return false
		}
		space = c == ' '
	}
	return !space
}

// firstRunes cuts text to at most limit bytes without splitting a character.
func firstRunes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
