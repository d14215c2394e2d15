package secret

import (
	"strings"
	"unicode"
)

// isKey reports whether a word has the form of a key.
func isKey(w string) bool {
	if len(w) < 12 {
		return false
	}
	for _, p := range theLexicon().prefixes[w[0]] {
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
	id, body, _ := strings.Cut(w, ":")
	if len(id) < 8 || len(body) < 30 {
		return false
	}
	return strings.Trim(id, "0123456789") == "" && isKeyBody(body)
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
	return min(count[1], count[2]) > 3 && count[3] > 2 && turns*3 > len(w)
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
func (s *scan) numbers() {
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
func (s *scan) numberEnd(i int) int {
	switch {
	case i > 0 && strings.IndexByte("./_", s.text[i-1]) >= 0: // part of a longer token
		return 0
	case isDigit(s.text[i]):
		return cardEnd(s.text[i:])
	case digitAt(s.text, i+2) && digitAt(s.text, i+3):
		return s.known.accountEnd(s.text[i:])
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digitAt reports whether the character at i is a digit.
func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && isDigit(s[i]) }

// cardEnd is the length of the card number at the start of s; 0 for none. A blank or a
// hyphen may separate the groups.
func cardEnd(s string) int {
	var digits []byte
	end, groups := 0, 0
	for i := range len(s) {
		if len(digits) == longestCard {
			break
		}
		if isDigit(s[i]) {
			digits = append(digits, s[i])
		} else if groups++; groups > 6 || !parts(s, i) {
			break
		}
		if last := i+1 == len(s) || !isAlnum(s[i+1]); last && isCard(string(digits)) {
			end = i + 1
		}
	}
	return end
}

// longestCard is the number of digits of the longest card numbers.
const longestCard = 19

// parts reports whether the byte at i stands between two groups of digits.
func parts(s string, i int) bool { return strings.IndexByte(" -", s[i]) >= 0 && digitAt(s, i+1) }

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
func isCard(digits string) bool {
	if len(digits) < 13 || !hasIssuer(digits) {
		return false
	}
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func hasIssuer(digits string) bool {
	length := byte('a' + len(digits) - 1)
	for _, issuer := range issuers {
		if strings.HasPrefix(digits, issuer.first) && strings.IndexByte(issuer.lengths, length) >= 0 {
			return true
		}
	}
	return false
}

// accountEnd is the length of the account number (IBAN) at the start of text; 0 for
// none.
func (s *lexicon) accountEnd(text string) int {
	want := s.iban[strings.ToUpper(text[:2])]
	number, end := make([]byte, 0, 64), 0
	for ; end < len(text) && len(number) < want; end++ {
		if c := text[end]; isAlnum(c) {
			number = append(number, c)
		} else if c != ' ' {
			return 0
		}
	}
	if whole := end == len(text) || !isAlnum(text[end]); !whole || len(number) < max(want, 4) {
		return 0
	}
	rest := 0
	for _, c := range append(number, number[:4]...)[4:] {
		rest = mod97(rest, c)
	}
	if rest != 1 {
		return 0
	}
	return end
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
func (s *lexicon) looksChosen(v string) bool {
	m := mix(v)
	if len(v) < 4 || strings.ContainsAny(v, " \t") || s.isTerm(v) {
		return false
	}
	return m.digits > 0 || m.signs > 0 && m.letters > 0
}

// looksMade reports whether a value looks generated, or carefully chosen.
func (s *lexicon) looksMade(v string) bool {
	m := mix(v)
	switch {
	case m.digits == 0 || !s.looksChosen(v):
		return false
	case m.signs > 0 || len(v) >= 8:
		return true
	}
	return m.letters > 0 && m.digits > 1 && len(v) >= 6
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
func (s *lexicon) isTerm(v string) bool {
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
	return isFilling(low) || isVariable(v)
}

// isFilling reports whether a value repeats one sign: "****", "xxxx".
func isFilling(v string) bool { return strings.Trim(v, v[:1]) == "" && !isDigit(v[0]) }

// isVariable reports whether a value is the name of a variable: "$PASSWORD".
func isVariable(v string) bool {
	return v[0] == '$' && strings.ToUpper(v) == v && mix(v).digits == 0
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
