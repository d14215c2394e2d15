package language

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon/abbreviations.txt
var abbreviationText string

// abbreviationRule says after which continuation an abbreviation's full stop
// belongs to the word and does not end the sentence.
type abbreviationRule uint8

const (
	notAbbreviated abbreviationRule = iota
	beforeAnything
	beforeDigit
	beforeLower
)

// abbreviations is the embedded list, read once.
var abbreviations = sync.OnceValue(func() map[string]abbreviationRule {
	rules := map[string]abbreviationRule{
		"always": beforeAnything, "digit": beforeDigit, "lower": beforeLower,
	}
	table := map[string]abbreviationRule{}
	for name, words := range Lists(abbreviationText) {
		for word := range strings.FieldsSeq(words[0]) {
			table[word] = rules[name]
		}
	}
	return table
})

// abbreviationOf looks a word up; its dots inside count, its last one does not.
// A single letter, and letters joined by dots, are initials.
func abbreviationOf(word string) abbreviationRule {
	if len(word) == 0 || len(word) > 8 {
		return notAbbreviated
	}
	if isInitials(word) {
		return initialsRule(word)
	}
	var lower [8]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return abbreviations()[string(lower[:len(word)])]
}

// isInitials reports whether word is letters with a dot between each two.
func isInitials(word string) bool {
	if len(word)%2 == 0 {
		return false
	}
	for i := range len(word) {
		c := word[i] | 0x20
		if letter := c >= 'a' && c <= 'z'; letter != (i%2 == 0) || i%2 == 1 && word[i] != '.' {
			return false
		}
	}
	return true
}

// initialsRule tells "U.S." and the J of "J. Smith" from the pronoun I and from
// a lone letter that ends a sentence ("plan b.").
func initialsRule(word string) abbreviationRule {
	switch {
	case word == "a.m" || word == "p.m" || word == "A.M" || word == "P.M":
		return beforeLower
	case len(word) > 1:
		return beforeAnything
	case word == "I":
		return notAbbreviated
	case word[0] >= 'A' && word[0] <= 'Z':
		return beforeAnything
	case word == "p" || word == "v":
		return beforeDigit
	}
	return notAbbreviated
}
