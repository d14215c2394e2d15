package terminal

import (
	"strings"
	"unicode/utf8"
)

// Clean makes control characters visible, so that no text can move the cursor,
// change the title, write to the clipboard or answer in the person's name. Line
// feeds and tabs stay; carriage returns are dropped. Marks that turn the
// direction of what follows are replaced: they make a command look like another.
func Clean(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, unsafe) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return -1
		case !unsafe(r):
			return r
		case r < ' ':
			return 0x2400 + r // the pictures of the control characters
		case r == 0x7f:
			return 0x2421
		}
		return utf8.RuneError
	}, text)
}

// unsafe reports whether a terminal may do more with a character than show it.
func unsafe(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r >= 0x7f && r <= 0x9f:
		return true
	}
	return r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
