package memory

import (
	"strings"
	"unicode"
)

// isKey reports whether a word has the form of a key.
func isKey(w string) bool {
	if len(w) < 12 {
		return false
	}
	for _, p := range theSecrets().prefixes[w[0]] {
		if strings.HasPrefix(w, p) && len(w) >= len(p)+12 && isKeyBody(w[len(p):]) {
			return true
		}
	}
	if at := strings.Index(w, "://"); at > 0 {
		host := w[at+3:]
		user, _, found := strings.Cut(host, "@")
		return found && strings.Contains(user, ":")
	}
	return isBotToken(w) || len(w) >= 32 && isRandom(w)
}

// isKeyBody reports whether the text after a prefix is key material, not prose.
func isKeyBody(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isAlnum(c) && strings.IndexByte("-_.+/:!?", c) < 0 {
			return false
		}
	}
	return strings.ContainsAny(s, "0123456789") || len(s) >= 20
}

// isBotToken reports whether a word is a number, a colon and key material, like the bot
// tokens of Telegram.
func isBotToken(w string) bool {
	id, body, found := strings.Cut(w, ":")
	return found && len(id) >= 8 && len(body) >= 30 && strings.Trim(id, "0123456789") == "" && isKeyBody(body)
}

// isRandom reports whether a long word mixes cases and digits as only generated keys
// do. Plain hexadecimal hashes name commits and are no secrets.
func isRandom(w string) bool {
	var count [4]int
	turns, kind := 0, 0
	for i := range len(w) {
		now := randomKind(w[i])
		if now < 0 {
			return false
		}
		if count[now]++; now != kind {
			turns++
		}
		kind = now
	}
	return count[1] > 3 && count[2] > 3 && count[3] > 2 && turns*3 > len(w)
}

// randomKind is 1 for a lower-case letter, 2 for an upper-case letter, 3 for a digit, 0
// for a sign of base64, and -1 for any other character.
func randomKind(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return 1
	case c >= 'A' && c <= 'Z':
		return 2
	case c >= '0' && c <= '9':
		return 3
	case strings.IndexByte("+/=_-", c) >= 0:
		return 0
	}
	return -1
}

// numbers finds card and account numbers by their check digits.
func (s *secretScan) numbers() {
	for i := 0; i < len(s.text); {
		if !isAlnum(s.text[i]) {
			i++
			continue
		}
		if end := s.numberEnd(i); end > 0 {
			s.add(i, i+end)
			i += end
		}
		for i < len(s.text) && isAlnum(s.text[i]) {
			i++
		}
	}
}

// numberEnd is the length of the card or account number that begins at i; 0 for none.
func (s *secretScan) numberEnd(i int) int {
	switch {
	case i > 0 && strings.IndexByte("./_", s.text[i-1]) >= 0: // part of a longer token
		return 0
	case isDigit(s.text[i]):
		return cardEnd(s.text[i:])
	case i+4 < len(s.text) && isDigit(s.text[i+2]) && isDigit(s.text[i+3]):
		return s.known.accountEnd(s.text[i:])
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// cardEnd is the length of the card number at the start of s; 0 for none. A blank or a
// hyphen may separate the groups.
func cardEnd(s string) int {
	var digits []byte
	end, groups := 0, 0
	for i := 0; i < len(s) && len(digits) < 19; i++ {
		if isDigit(s[i]) {
			digits = append(digits, s[i]-'0')
		} else if groups++; strings.IndexByte(" -", s[i]) < 0 || groups > 6 || i+1 == len(s) || !isDigit(s[i+1]) {
			break
		}
		if last := i+1 == len(s) || !isAlnum(s[i+1]); last && isCard(digits) {
			end = i + 1
		}
	}
	return end
}

// issuers are the first digits of cards, with the valid lengths.
var issuers = []struct {
	first   string
	lengths string // as characters: 'm' is the 13th letter
}{
	{"4", "mps"}, {"34", "o"}, {"37", "o"}, {"36", "n"}, {"30", "n"}, {"38", "n"}, {"35", "p"},
	{"51", "p"}, {"52", "p"}, {"53", "p"}, {"54", "p"}, {"55", "p"},
	{"22", "p"}, {"23", "p"}, {"24", "p"}, {"25", "p"}, {"26", "p"}, {"27", "p"}, {"60", "p"}, {"64", "p"}, {"65", "p"}, {"62", "pqrs"},
	{"50", "mnopqrs"}, {"56", "mnopqrs"}, {"57", "mnopqrs"}, {"58", "mnopqrs"}, {"63", "mnopqrs"}, {"67", "mnopqrs"}, {"68", "mnopqrs"},
}

// isCard reports whether digits are a card number: of a known issuer, of a valid
// length, and with the right check digit (Luhn).
func isCard(digits []byte) bool {
	if len(digits) < 13 || !hasIssuer(digits) {
		return false
	}
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func hasIssuer(digits []byte) bool {
	for _, issuer := range issuers {
		ok := strings.IndexByte(issuer.lengths, byte('a'+len(digits)-1)) >= 0
		for i := range len(issuer.first) {
			ok = ok && digits[i] == issuer.first[i]-'0'
		}
		if ok {
			return true
		}
	}
	return false
}

// accountEnd is the length of the account number (IBAN) at the start of text; 0 for
// none.
func (s *secrets) accountEnd(text string) int {
	want := s.iban[strings.ToUpper(text[:2])]
	if want == 0 {
		return 0
	}
	rest, count := 0, 0
	var head [4]byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == ' ' && count > 0 && count < want {
			continue
		}
		if !isAlnum(c) {
			return 0
		}
		if count < 4 {
			head[count] = c
		} else {
			rest = mod97(rest, c)
		}
		if count++; count < want {
			continue
		}
		for _, c := range head {
			rest = mod97(rest, c)
		}
		if whole := i+1 == len(text) || !isAlnum(text[i+1]); whole && rest == 1 {
			return i + 1
		}
		return 0
	}
	return 0
}

// mod97 adds a character to a remainder modulo 97. Letters count from 10.
func mod97(rest int, c byte) int {
	if isDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c|0x20-'a') + 10) % 97
}

// mixed counts the characters of a value by class.
type mixed struct{ letters, digits, signs int }

func mix(v string) (m mixed) {
	for _, r := range v {
		switch {
		case unicode.IsDigit(r):
			m.digits++
		case unicode.IsLetter(r):
			m.letters++
		case strings.ContainsRune("!@#$%^&*_+~?", r):
			m.signs++
		}
	}
	return m
}

// looksChosen reports whether a value is not an ordinary word: it has digits or unusual
// signs among its letters, and is neither a measure nor the name of a technology.
func (s *secrets) looksChosen(v string) bool {
	m := mix(v)
	if len(v) < 4 || strings.ContainsAny(v, " \t") || s.isTerm(v) {
		return false
	}
	return m.digits > 0 || m.signs > 0 && m.letters > 0
}

// looksMade reports whether a value looks generated, or carefully chosen.
func (s *secrets) looksMade(v string) bool {
	m := mix(v)
	if !s.looksChosen(v) || m.digits == 0 {
		return false
	}
	return len(v) >= 8 || m.signs > 0 || m.letters > 0 && m.digits > 1 && len(v) >= 6
}

// isGrouped reports whether a value consists of equal groups of capital letters and
// digits, like the keys of software.
func isGrouped(v string) bool {
	groups := strings.Split(v, "-")
	for _, g := range groups {
		if len(g) < 4 || len(g) != len(groups[0]) || strings.Trim(g, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return false
		}
	}
	return len(groups) > 2
}

// isTerm reports whether a value is a measure ("256-bit"), a path or URL, a placeholder
// ("${PASSWORD}", "****"), or a technology with a number ("OAuth2", "RS256").
func (s *secrets) isTerm(v string) bool {
	low := strings.ToLower(v)
	stem := strings.Trim(strings.TrimLeft(low, "0123456789.,"), "-")
	if stem != low && s.lists["units"][stem] || s.lists["technical"][strings.TrimRight(low, "0123456789.-")] {
		return true
	}
	for _, start := range []string{"/", "./", "~/", "${", "$(", "{{", "<", "http:", "https:", "--"} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return strings.Trim(low, low[:1]) == "" && !isDigit(low[0]) || low[0] == '$' && strings.ToUpper(v) == v && mix(v).digits == 0
}
