package session

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meaning is the text of a message in the form by which messages are compared. Clients
// rebuild the messages that they send again. What a user or a tool says only loses white
// space around it. Many clients show answers without Markdown or without the model's
// thoughts, and send them as they were shown: of an answer only its letters and numbers
// count.
func (m *Message) Meaning() string {
	text := strings.TrimSpace(m.Content)
	if m.Role != Assistant {
		return text
	}
	if strings.Contains(text, "<") {
		text = thoughts.ReplaceAllString(text, "")
	}
	if strings.ContainsAny(text, "`]") {
		text = unread.ReplaceAllString(text, "$1")
	}
	var b strings.Builder
	b.Grow(len(text))
	for i, c := range text {
		if isRead(text, i, c) {
			b.WriteRune(c)
		}
	}
	if b.Len() == 0 {
		return text
	}
	return b.String()
}

// thoughts matches what a model thinks before it answers.
var thoughts = regexp.MustCompile(strings.ReplaceAll(`(?is)<(?:NAME)>.*?</(?:NAME)>`, "NAME", strings.Join(ThoughtNames(), "|")))

// unread matches the parts of Markdown that hold letters, and are not shown: the language
// of a code block, and the target of a link.
var unread = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)[\\pL\\pN_+.#-]*[ \t]*$|(\\])\\([^()\\s]*(?:\\([^()\\s]*\\)[^()\\s]*)*(?:[ \t]+\"[^\"]*\")?\\)")

// isRead reports whether a rune of an answer at i counts: a letter, a digit, or a sign
// right before a digit, so that -5 is not 5, and 1.5 is not 15.
func isRead(text string, i int, c rune) bool {
	if c >= utf8.RuneSelf {
		return unicode.In(c, unicode.L, unicode.N, unicode.M)
	}
	switch c {
	case '-', '.', ',', ':', '/', '<', '>', '=':
		return i+1 < len(text) && isDigit(rune(text[i+1]))
	}
	return 'a' <= c|0x20 && c|0x20 <= 'z' || isDigit(c)
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

// Length is the size of a message's meaning, in runes.
func (m *Message) Length() int { return utf8.RuneCountInString(m.Meaning()) }
