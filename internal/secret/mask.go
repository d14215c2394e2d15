package secret

import "strings"

// hidden stands where a secret was.
const hidden = "[secret]"

// Mask returns a text with every key, password and token replaced, so that it
// can be quoted. A text without secrets is returned unchanged.
func Mask(text string) string {
	return Masked(text, Spans(text))
}

// Masked is a text without the secrets that [Spans] found in it.
func Masked(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start])
		b.WriteString(hidden)
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}
