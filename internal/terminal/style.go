package terminal

import "strings"

// Attr is a style of text.
type Attr uint8

// The styles, which can be combined.
const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Underline
	Strike
	Code
	Accent
)

// codes are the SGR numbers of the styles. Colours come from the user's palette.
var codes = [...]string{"1", "2", "3", "4", "9", "36", "35"}

// Style writes styles. The zero Style writes none.
type Style struct{ rich bool }

// StyleOf is the style for an environment: none if NO_COLOR is set or the terminal is
// dumb.
func StyleOf(getenv func(string) string) Style {
	return Style{rich: getenv("NO_COLOR") == "" && !isDumb(getenv)}
}

// Paint applies a style to a text, which must be clean.
func (s Style) Paint(a Attr, text string) string {
	if !s.rich || a == 0 || text == "" {
		return text
	}
	var b strings.Builder
	b.WriteString("\x1b[")
	sep := ""
	for i, code := range codes {
		if a&(1<<i) != 0 {
			b.WriteString(sep)
			b.WriteString(code)
			sep = ";"
		}
	}
	b.WriteString("m")
	b.WriteString(text)
	b.WriteString("\x1b[0m")
	return b.String()
}

// Terminal control other than styles.
const (
	bracketedPaste = "\x1b[?2004h"
	plainPaste     = "\x1b[?2004l"
	eraseLine      = "\r\x1b[K"
	eraseBelow     = "\r\x1b[J"
	clearScreen    = "\x1b[H\x1b[2J"
)
