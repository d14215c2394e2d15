// Package cite renders words of people, tools and documents where a model or
// another program reads them as data: recalled messages, facts, summaries, what
// searches bring. Whatever the words are, they stay on the line that the caller
// began, inside the quotation marks that the caller asked for, and hold no sign
// that a person could not see.
//
// It owns the form only. Which words are shown, and in which message of a prompt,
// is the caller's business; the stored originals stay as they were said.
package cite

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
)

// Words appends a text in quotation marks.
func Words(b []byte, text string) []byte {
	b = append(b, '"')
	b = render(b, language.OneLine(text), true)
	return append(b, '"')
}

// Quoted is a text in quotation marks, as [Words] appends it.
func Quoted(text string) string {
	if language.Plain(text) {
		return `"` + text + `"`
	}
	return string(Words(make([]byte, 0, len(text)+8), text))
}

// Line is a text without quotation marks, for the end of a line that nothing
// follows and for a member of a JSON object.
func Line(text string) string {
	if language.Plain(text) {
		return text
	}
	return string(render(make([]byte, 0, len(text)), language.OneLine(text), false))
}

// Inside is a text without quotation marks, for a place within square brackets. No sign of the text ends
// the brackets: its own square brackets become round ones.
func Inside(text string) string {
	line := Line(text)
	if strings.IndexFunc(line, isSquare) < 0 {
		return line
	}
	return squareBrackets().Replace(line)
}

// squareBrackets replaces square brackets, and signs that look like them, by round ones.
var squareBrackets = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("[", "(", "]", ")", "［", "(", "］", ")", "⟦", "(", "⟧", ")", "〚", "(", "〛", ")", "⁅", "(", "⁆", ")",
		"﹇", "(", "﹈", ")", "❲", "(", "❳", ")")
})

// isSquare reports whether a sign is a square bracket, or looks like one.
func isSquare(r rune) bool { return strings.ContainsRune("[]［］⟦⟧〚〛⁅⁆﹇﹈❲❳", r) }

// render appends a text of one line. Marks that could end the quotation are
// escaped when quoted is set.
func render(b []byte, text string, quoted bool) []byte {
	for {
		n := language.PlainPrefix(text)
		b = append(b, text[:n]...)
		if text = text[n:]; text == "" {
			return b
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '"' || r == '\\':
			if quoted {
				b = append(b, '\\')
			}
			b = append(b, byte(r))
		case unicode.IsSpace(r):
			b = append(b, ' ')
		case language.Hidden(r):
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		default: // invalid UTF-8, private use, not assigned
			b = utf8.AppendRune(b, utf8.RuneError)
		}
	}
}
