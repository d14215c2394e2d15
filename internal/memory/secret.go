package memory

import (
	"strings"
	"sync"
)

// secrets is what the lexicon knows of keys and passwords.
type secrets struct {
	prefixes      []string
	named, spoken []string
	harmless      map[string]bool
}

// theSecrets reads the list, once.
var theSecrets = sync.OnceValue(func() *secrets {
	s := &secrets{harmless: map[string]bool{}}
	(&lexicon{}).eachLine("secrets", func(name string, items []string) {
		switch name {
		case "prefix":
			s.prefixes = items
		case "named":
			s.named = items
		case "spoken":
			s.spoken = items
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
func isSeparator(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', ',', ';', '(', ')', '<', '>', '=', '[', ']', '{', '}':
		return true
	}
	return false
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
	eachNamed(lowered(s), func(string) bool {
		found = true
		return false
	})
	return found
}

// eachNamed calls yield for every value that the text, in lower case, gives to
// something called a password, a token, a PIN…, until yield returns false.
func eachNamed(low string, yield func(value string) bool) {
	known := theSecrets()
	spoken := func(value string) bool { return len(value) > 2 && !known.harmless[value] && !yield(value) }
	named := func(value string) bool { return looksSecret(value) && !yield(value) }
	for _, w := range known.spoken {
		if valueAfter(low, w, spoken) {
			return
		}
	}
	for _, w := range known.named {
		if valueAfter(low, w, named) {
			return
		}
	}
}

// valueAfter reports whether the text gives the thing named by word a value
// for which secret returns true.
func valueAfter(low, word string, secret func(string) bool) bool {
	for from := 0; ; {
		at := strings.Index(low[from:], word)
		if at < 0 {
			return false
		}
		at += from
		from = at + len(word)
		if at > 0 && isAlnum(low[at-1]) || from < len(low) && isAlnum(low[from]) {
			continue
		}
		if value, found := givenValue(low[from:]); found && secret(value) {
			return true
		}
	}
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
