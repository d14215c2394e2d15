package language

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed lexicon/ordinals.txt
var ordinalText string

// ordinalWords are the words next to ordinals, by what they are, read once.
var ordinalWords = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for kind, words := range Lists(ordinalText) {
		for _, word := range words {
			table[word] = kind
		}
	}
	return table
})

// isOrdinal reports whether a number of one or two digits, which begins at from and whose full stop is at dot, is an ordinal:
// a day before a month, say, or a number behind an article. What follows begins at after.
func isOrdinal(text string, start, from, dot, after, end int) bool {
	if number := text[from:dot]; len(number) > 2 || !isDigits(number) {
		return false
	}
	behind := wordBehind(text[trimStart(text, after, end):end])
	if ordinalWords()[strings.ToLower(behind)] == "behind" {
		return true
	}
	before := wordBefore(strings.TrimRightFunc(text[start:from], unicode.IsSpace))
	return behind != "" && ordinalWords()[strings.ToLower(before)] == "before"
}

// wordBehind are the letters at the beginning of a text.
func wordBehind(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// wordBefore are the letters at the end of a text.
func wordBefore(text string) string {
	at := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if at < 0 {
		return text
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return text[at+size:]
}
