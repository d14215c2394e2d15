// Package title derives a session's title from its messages, without private content.
// It stores nothing.
package title

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

const (
	// maxLength and maxWords bound a derived title.
	maxLength = 60
	maxWords  = 8
	// firstMessages is how many of a session's first messages are tried.
	firstMessages = 8
)

// Of derives a title from the user's first messages, once there is an answer. before
// are the earlier messages, ms the new ones. "" if no message gives a title.
func Of(before, ms []session.Message) string {
	if !Answered(ms) {
		return ""
	}
	tried := 0
	for _, part := range [][]session.Message{before, ms} {
		for i := range part {
			if part[i].Role != session.User || tried == firstMessages {
				continue
			}
			tried++
			if made := Make(part[i].Content); made != "" {
				return made
			}
		}
	}
	return ""
}

// Answered reports whether messages include an answer.
func Answered(ms []session.Message) bool {
	return slices.ContainsFunc(ms, func(m session.Message) bool { return m.Role == session.Assistant })
}

// Make derives a title from a text: a few words of its first sentence with content,
// without private content.
func Make(text string) string {
	const enough = 4000 // bytes: a text without a topic in them is unlikely to have one later
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	for _, s := range language.Sentences(text) {
		piece := text[s.Start:s.End]
		if s.Code || s.Quoted || Private(piece) || mention.Erased(piece) {
			continue
		}
		if title := fewWords(piece); title != "" {
			return title
		}
	}
	return ""
}

// fewWords is the beginning of a sentence without its greeting; "" if too little
// remains.
func fewWords(sentence string) string {
	words := strings.FieldsFunc(sentence, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	words = withoutOpening(slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "://") }))
	title, letters := "", 0
	for i, w := range words {
		longer := strings.TrimSpace(title + " " + w)
		if i == maxWords || utf8.RuneCountInString(longer) > maxLength {
			break
		}
		title = longer
		letters += lettersOf(w)
	}
	if title == "" && len(words) > 0 { // a language without spaces, or one endless word
		title = string([]rune(words[0])[:min(maxLength, utf8.RuneCountInString(words[0]))])
		letters = lettersOf(title)
	}
	title = strings.TrimRight(title, " .,;:!?…-–—(\"'`。，、！？")
	if letters < 4 && saysLittle(title, len(words)) {
		return ""
	}
	first, size := utf8.DecodeRuneInString(title)
	return string(unicode.ToUpper(first)) + title[size:]
}

// saysLittle reports whether a short title has too little content. In some scripts a
// few characters are enough.
func saysLittle(title string, words int) bool {
	dense := strings.ContainsFunc(title, func(r rune) bool { return r > 0x2e80 })
	return !dense || words > 1 && !strings.Contains(title, " ")
}

func lettersOf(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// openings are greetings and similar phrases at the start of a message, longest first.
const openings = `good morning|good afternoon|good evening|hello there|hey there|hi there|hello|hey|hi|
	please can you|please could you|can you please|could you please|would you please|can you|could you|would you|
	can i|could i|may i|i would like to|i'd like to|i want to|i need to|help me to|help me|please|
	thanks|thank you|okay|ok|well|so|now|hallo|guten tag|guten morgen|bitte|bonjour|salut|hola`

// withoutOpening removes greetings and courtesies from the start.
func withoutOpening(words []string) []string {
next:
	for len(words) > 0 {
		for opening := range strings.SplitSeq(openings, "|") {
			said := strings.Fields(opening)
			if len(words) >= len(said) && saysSame(words[:len(said)], said) {
				words = words[len(said):]
				continue next
			}
		}
		break
	}
	return words
}

func saysSame(words, said []string) bool {
	for i := range said {
		if !strings.EqualFold(strings.Trim(words[i], ",.!?:;"), said[i]) {
			return false
		}
	}
	return true
}

// privateWords are words that a list should not show. Leaving out a title costs
// nothing, because it is only a convenience.
const privateWords = `password passwort passphrase passcode pin secret token credential credentials ssn iban bic cvv passport
	salary debt debts bankruptcy lawsuit divorce affair
	diagnosis diagnosed hiv aids cancer tumor tumour chemotherapy pregnant pregnancy miscarriage abortion
	depressed depression anxiety suicide suicidal bipolar schizophrenia therapist therapy rehab addiction
	sex sexual sexually gay lesbian transgender`

// thePrivate are the stems of privateWords.
var thePrivate = sync.OnceValue(func() map[string]bool {
	stems := make(map[string]bool)
	for w := range strings.FieldsSeq(privateWords) {
		stems[language.Stem(w)] = true
	}
	return stems
})

// Private reports whether a sentence has a secret, an address or a long number, or is
// about a private matter.
func Private(sentence string) bool {
	if secret.Mask(sentence) != sentence {
		return true
	}
	digits := 0
	for _, r := range sentence {
		switch {
		case r == '@':
			return true
		case unicode.IsDigit(r):
			digits++
		case r != ' ' && r != '-' && r != '/' && r != '.' && r != '(' && r != ')':
			digits = 0
		}
		if digits > 6 { // a telephone, an account, a card
			return true
		}
	}
	private := thePrivate()
	words := language.Scan(sentence)
	for w, ok := words.Next(); ok; w, ok = words.Next() {
		if private[string(w.Stem)] {
			return true
		}
	}
	return false
}
