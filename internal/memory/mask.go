package memory

import "strings"

// hiddenSecret stands where a secret was.
const hiddenSecret = "[secret]"

// MaskSecrets returns a text with every key, password and token replaced, so that it
// can be quoted. A text without secrets is returned unchanged.
func MaskSecrets(text string) string {
	return masked(text, secretSpans(text))
}

// masked is a text without its secrets.
func masked(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(hiddenSecret)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
