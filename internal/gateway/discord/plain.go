package discord

import (
	"strings"
	"unicode/utf16"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// contentOf is the text of a message in Discord's Markdown.
func contentOf(o *gateway.Out) string {
	if o.Plain {
		return escape(o.Text)
	}
	return o.Text
}

// lengthOf counts as Discord does: in UTF-16 code units.
func lengthOf(text string) int { return len(utf16.Encode([]rune(text))) }

// escape makes a text that is shown as it is. A text that is too long with the escapes
// stays as it is: all its words count more than its signs.
func escape(text string) string {
	if !strings.ContainsAny(text, "\\*_~`|>#-[<") {
		return text
	}
	var b strings.Builder
	begins := true // a line
	for i := range len(text) {
		if isMarkup(text, i, begins) {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
		begins = text[i] == '\n' || begins && text[i] == ' '
	}
	if out := b.String(); lengthOf(out) <= maxLength {
		return out
	}
	return text
}

// isMarkup reports whether a sign of a text would be read as markup.
func isMarkup(text string, i int, begins bool) bool {
	switch text[i] {
	case '\\', '*', '_', '~', '`', '|', '[':
		return true
	case '>', '#', '-':
		return begins
	case '<': // a mention, an emoji, a time
		return i+1 < len(text) && strings.IndexByte("@#:at/", text[i+1]) >= 0
	}
	return false
}
