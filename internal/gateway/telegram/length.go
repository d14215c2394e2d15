package telegram

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// visibleLength is the length of a text in Telegram's HTML, without its tags: in units of
// UTF-16, as Telegram counts.
func visibleLength(html string) int {
	n := 0
	for html != "" {
		if html[0] == '<' {
			if end := strings.IndexByte(html, '>'); end > 0 {
				html = html[end+1:]
				continue
			}
		}
		length, rest := visibleRune(html)
		n += length
		html = rest
	}
	return n
}

// visibleRune is the length of a text's first character, and the text behind it. An entity
// of HTML is one character.
func visibleRune(html string) (length int, rest string) {
	if html[0] == '&' {
		for _, entity := range [...]string{"&lt;", "&gt;", "&amp;", "&quot;"} {
			if strings.HasPrefix(html, entity) {
				return 1, html[len(entity):]
			}
		}
	}
	r, size := utf8.DecodeRuneInString(html)
	return max(1, utf16.RuneLen(r)), html[size:]
}
