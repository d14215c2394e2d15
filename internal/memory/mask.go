package memory

import "strings"

// hiddenSecret stands where a secret was.
const hiddenSecret = "[secret]"

// MaskSecrets returns a text with every key, password and token in it replaced,
// so that it can be quoted. A text that gives no secret away is returned as it
// is.
func MaskSecrets(text string) string {
	if !hasSecret(text) {
		return text
	}
	if strings.Contains(text, "PRIVATE KEY") {
		return hiddenSecret
	}
	named := map[string]bool{}
	eachNamed(text, func(value string) bool {
		named[value] = true
		return true
	})
	var b strings.Builder
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && isSeparator(text[i]) {
			i++
		}
		b.WriteString(text[start:i])
		start = i
		for i < len(text) && !isSeparator(text[i]) {
			i++
		}
		b.WriteString(maskedWord(text[start:i], named))
	}
	return b.String()
}

// maskedWord is a word of a text that gives secrets away: hidden when it is one
// of them, or holds one behind the name of it ("pin:4711").
func maskedWord(word string, named map[string]bool) string {
	if word == "" {
		return ""
	}
	low := strings.TrimRight(lowered(word), ".!?")
	if isKey(word) || named[low] {
		return hiddenSecret
	}
	if name, value, found := strings.Cut(word, ":"); found && named[strings.TrimRight(lowered(value), ".!?")] {
		return name + ":" + hiddenSecret
	}
	return word
}
