package gateway

import (
	"strings"
	"unicode/utf8"
)

// WithoutMention closes the gap that a mention of the bot leaves in a text. It returns what stays of the text before the mention and
// of the text behind it: of two blanks one, and nothing of the sign between an address and the words, as in "@bot, go on". All
// adapters keep to it, so that "@bot: /status" is a command everywhere.
func WithoutMention(before, after string) (string, string) {
	if strings.TrimSpace(before) == "" {
		return before, withoutSign(strings.TrimLeft(after, " "))
	}
	if !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\n") {
		return before, after
	}
	if after != "" && strings.Contains(",.;:!?", after[:1]) { // "thanks @bot!"
		return strings.TrimRight(before, " "), after
	}
	return before, strings.TrimLeft(after, " ")
}

// withoutSign is a text behind an address, without the sign between them. A blank or the end of the text stands behind the sign, but
// for wide signs: otherwise it belongs to the words, as in ":)".
func withoutSign(text string) string {
	sign, size := utf8.DecodeRuneInString(text)
	rest := text[size:]
	switch sign {
	case ',', ':':
		if rest == "" || strings.Contains(" \n", rest[:1]) {
			return strings.TrimLeft(rest, " ")
		}
	case '，', '：', '、':
		return strings.TrimLeft(rest, " ")
	}
	return text
}
