package recall

import (
	_ "embed" // the words
	"strings"
	"sync"

	"github.com/hermes-memory/hermes/internal/language"
)

//go:embed lexicon/person.txt
var personText string

// faces maps a word of the first person to what one says to their face, read once.
var faces = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for you, words := range language.Lists(personText) {
		for _, w := range words {
			out[w] = you
		}
	}
	return out
})

// opensInFirstPerson reports whether a sentence begins with its speaker.
func opensInFirstPerson(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return faces()[strings.ToLower(word)] != ""
}

// secondPerson rewrites a speaker's sentence in the second person: "I'm building a
// cache" becomes "you're building a cache". It does so only if every word that must
// change is certain: the first word, possessives, and a subject after a conjunction. ok
// is false if the sentence must be quoted unchanged.
func secondPerson(text string) (turned string, ok bool) {
	text = strings.TrimRight(text, ".! ")
	words := strings.Split(text, " ")
	if len(words) < 2 || !opensInFirstPerson(text) || strings.ContainsAny(text, "\"“”«»\n\t") {
		return "", false
	}
	singular := strings.EqualFold(words[0], "i")
	words[0] = faces()[strings.ToLower(words[0])]
	for i := 1; i < len(words); i++ {
		word, mark := cutMark(words[i])
		low := strings.ToLower(word)
		switch {
		case word == "my" || word == "our":
			words[i] = "your" + mark
		case i == 1 && singular && low == "am":
			words[i] = "are" + mark
		case i == 1 && singular && low == "was":
			words[i] = "were" + mark
		case i == 1 && singular && low == "wasn't":
			words[i] = "weren't" + mark
		case subjectAfter(words[i-1], word):
			words[i] = faces()[low] + mark
			singular = low == "i"
			if i+1 < len(words) && !agree(words[i+1]) {
				return "", false
			}
		case unsure(low, singular):
			return "", false
		}
	}
	return strings.Join(words, " "), true
}

// cutMark parts a word from the comma or stop behind it.
func cutMark(word string) (bare, mark string) {
	bare = strings.TrimRight(word, ",.;:!)")
	return bare, word[len(bare):]
}

// subjectAfter reports whether a word of the first person is certainly a subject,
// judged by the previous word.
func subjectAfter(before, word string) bool {
	low := strings.ToLower(word)
	if faces()[low] == "" || low == "my" || low == "our" || word == "i" {
		return false
	}
	switch strings.ToLower(before) {
	case "and", "but", "because", "so", "that", "when", "if", "while", "since", "until", "before", "after", "where", "which":
		return true
	}
	return strings.HasSuffix(before, ",")
}

// agree reports whether the word after a subject is the same for "I" and "you".
func agree(next string) bool {
	switch strings.ToLower(next) {
	case "am", "was", "wasn't", "wasn’t":
		return false
	}
	return true
}

// unsure reports whether a word may mean the speaker or the person addressed, so that
// rewriting it could be wrong.
func unsure(low string, singular bool) bool {
	if faces()[low] != "" {
		return true
	}
	switch low {
	case "me", "mine", "myself", "us", "ours", "ourselves", "you", "your", "yours", "yourself", "you're", "you've", "you'll":
		return true
	case "am", "was":
		return singular
	}
	return false
}
