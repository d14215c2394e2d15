package memory

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// secrets is what the lexicon knows of keys and passwords.
type secrets struct {
	prefixes []string
	names    [256][]secretName // by their first letter
	harmless map[string]bool
}

// secretName is a word for something that must not be told.
type secretName struct {
	word   string
	spoken bool // people choose words for it, not only machines
}

// theSecrets reads the list, once.
var theSecrets = sync.OnceValue(func() *secrets {
	s := &secrets{harmless: map[string]bool{}}
	(&lexicon{}).eachLine("secrets", func(name string, items []string) {
		switch name {
		case "prefix":
			s.prefixes = items
		case "named", "spoken":
			for _, word := range items {
				s.names[word[0]] = append(s.names[word[0]], secretName{word, name == "spoken"})
			}
		case "harmless":
			for _, word := range items {
				s.harmless[word] = true
			}
		}
	})
	return s
})

// hasSecret reports whether a piece of text gives a secret away: a key of a
// known form, or a value for something called a password, a token, a PIN….
func hasSecret(s string) bool {
	if strings.Contains(s, "PRIVATE KEY") {
		return true
	}
	for i := 0; i < len(s); {
		for i < len(s) && isSeparator(s[i]) {
			i++
		}
		start := i
		for i < len(s) && !isSeparator(s[i]) {
			i++
		}
		if isKey(s[start:i]) {
			return true
		}
	}
	return namesSecret(s)
}

// isSeparator reports whether c ends a key.
func isSeparator(c byte) bool { return separators[c] }

// separators are looked up for every byte that is learnt or quoted; never written.
var separators = [256]bool{
	' ': true, '\t': true, '\n': true, '\r': true, '"': true, '\'': true, '`': true, ',': true, ';': true,
	'(': true, ')': true, '<': true, '>': true, '=': true, '[': true, ']': true, '{': true, '}': true,
}

// isKey reports whether a word has the form of a key.
func isKey(w string) bool {
	if len(w) < 12 {
		return false
	}
	for _, p := range theSecrets().prefixes {
		if strings.HasPrefix(w, p) && len(w) >= len(p)+12 && isKeyBody(w[len(p):]) {
			return true
		}
	}
	if at := strings.Index(w, "://"); at > 0 {
		host := w[at+3:]
		user, _, found := strings.Cut(host, "@")
		return found && strings.Contains(user, ":")
	}
	return len(w) >= 32 && isRandom(w)
}

// isKeyBody reports whether what follows a prefix is key material, not prose.
func isKeyBody(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' && c != '+' && c != '/' && c != ':' && c != '!' && c != '?' {
			return false
		}
	}
	return strings.ContainsAny(s, "0123456789") || len(s) >= 20
}

// isRandom reports whether a long word mixes cases and digits as only generated
// keys do. Hashes in plain hexadecimal are names of commits, not secrets.
func isRandom(w string) bool {
	var lower, upper, digit, turns int
	kind := 0
	for i := range len(w) {
		now := 0
		switch c := w[i]; {
		case c >= 'a' && c <= 'z':
			lower++
			now = 1
		case c >= 'A' && c <= 'Z':
			upper++
			now = 2
		case c >= '0' && c <= '9':
			digit++
			now = 3
		case c == '+' || c == '/' || c == '=' || c == '_' || c == '-':
		default:
			return false
		}
		if now != kind {
			turns++
		}
		kind = now
	}
	return lower > 3 && upper > 3 && digit > 2 && turns*3 > len(w)
}

// namesSecret reports whether a value follows a word for a secret.
func namesSecret(s string) bool {
	found := false
	eachNamed(s, func(string) bool {
		found = true
		return false
	})
	return found
}

// eachNamed calls yield for every value, in lower case, that the text gives to
// something called a password, a token, a PIN…, until yield returns false. Few
// texts name one: so the text is only put in lower case when it does.
func eachNamed(text string, yield func(value string) bool) {
	known := theSecrets()
	low := ""
	if !isASCII(text) { // else a text in lower case has the same places
		text = lowered(text)
		low = text
	}
	for at := 0; at < len(text); at++ {
		names := known.names[asciiLower(text[at])]
		if names == nil || at > 0 && isAlnum(text[at-1]) {
			continue
		}
		for _, n := range names {
			end := at + len(n.word)
			if !foldedPrefix(text[at:], n.word) || end < len(text) && isAlnum(text[end]) {
				continue
			}
			if low == "" {
				low = lowered(text)
			}
			if value, found := givenValue(low[end:]); found && known.secret(n, value) && !yield(value) {
				return
			}
		}
	}
}

// secret reports whether the value of something gives it away.
func (s *secrets) secret(n secretName, value string) bool {
	if n.spoken {
		return len(value) > 2 && !s.harmless[value]
	}
	return looksSecret(value)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldedPrefix reports whether s begins with prefix, which is in lower case.
func foldedPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if asciiLower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// asciiLower puts a letter in lower case; other bytes stay as they are.
func asciiLower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// givenValue is the word that the text behind a secret's name sets it to.
func givenValue(rest string) (string, bool) {
	rest = strings.TrimLeft(rest, " \t\"'`)")
	for _, of := range [...]string{"for ", "of ", "on ", "at ", "in "} { // "the password for the router is"
		phrase, ok := strings.CutPrefix(rest, of)
		if at := strings.Index(phrase, " is "); ok && at >= 0 && at < 40 {
			rest = phrase[at+1:]
		}
	}
	for _, sep := range [...]string{"is set to ", "is now ", "is: ", "is ", "was ", ": ", ":", "= ", "=", "to "} {
		value, found := strings.CutPrefix(rest, sep)
		if !found {
			continue
		}
		value = strings.TrimLeft(value, " \t\"'`")
		if end := strings.IndexAny(value, " \t\"'`,;"); end >= 0 {
			value = value[:end]
		}
		return strings.TrimRight(value, ".!?"), true
	}
	return "", false
}

// looksSecret reports whether a word is no ordinary one: digits or unusual
// signs stand among its letters.
func looksSecret(w string) bool {
	if len(w) < 4 {
		return false
	}
	digits := strings.ContainsAny(w, "0123456789")
	return digits && (len(w) >= 8 || strings.Trim(w, "0123456789") != "") || strings.ContainsAny(w, "!@#$%^&*_+")
}
