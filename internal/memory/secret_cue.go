package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The reach of a cue: over a phrase between cue and value ("the password for the router
// in the hall is"), over the words before it ("hunter2 is my old wifi password"), and
// the number of words in a secret of words.
const (
	reachOf, reachBack = 6, 6
	mostWords          = 8
)

// cues finds the values that the text gives for a password, a token, a PIN….
func (s *secretScan) cues() {
	for at := 0; at < len(s.text); at++ {
		begun := s.known.cuesAt(s.text[at:])
		for i := range begun {
			c := &begun[i]
			if !s.startsCue(at, c) {
				continue
			}
			n := c.prefixOf(s.text[at:])
			if n < 0 || !s.endsCue(at+n) {
				continue
			}
			if found, ok := s.given(c, at, at+n); ok {
				s.add(found.start, found.end)
			} else if found, ok := s.before(c, at, at+n); ok {
				s.add(found.start, found.end)
			}
			at += n - 1
			break
		}
	}
}

// startsCue reports whether a cue may begin at a position: at the start of a word,
// after a sign, at a capital letter within a word ("clientSecret"), or anywhere if the
// cue may end longer words.
func (s *secretScan) startsCue(at int, c *cue) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:at])
	if at == 0 || !unicode.IsLetter(r) && !unicode.IsDigit(r) || c.ends {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s.text[at:])
	return unicode.IsLower(r) && unicode.IsUpper(first) || first > 0x2e80
}

// endsCue reports whether a cue may end at a position: no letter of a name follows.
func (s *secretScan) endsCue(end int) bool {
	r, n := utf8.DecodeRuneInString(s.text[end:])
	if n == 0 || r > 0x2e80 {
		return true
	}
	if r == '_' || r == '-' || r == '@' {
		next, _ := utf8.DecodeRuneInString(s.text[end+n:])
		return !unicode.IsLetter(next)
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// link is the connection between a cue and its value.
type link uint8

const (
	linkNone   link = iota // the value is next to the cue
	linkGiven              // "is"
	linkSign               // "=", ":"
	linkOption             // "--password hunter2"
	linkOwned              // "'s", which may also begin a possessive
)

// given is the value after a cue.
func (s *secretScan) given(c *cue, start, end int) (secretSpan, bool) {
	at, how := s.linkAt(start, end)
	if how == linkNone {
		if at = s.skipSpace(end); at == end { // a punctuation mark here closes the text before it
			return secretSpan{}, false
		}
	}
	if c.shape == shapeWords {
		if how == linkNone || how == linkOwned {
			return secretSpan{}, false
		}
		return s.words(at)
	}
	v := s.valueAt(at)
	if v.start == v.end {
		return v.secretSpan, false
	}
	if c.placed && !s.saysPlace(end, v.start) {
		return v.secretSpan, false
	}
	if c.shape == shapePair {
		if second, ok := s.pair(at); ok {
			return second, true
		}
	}
	ok := s.accepts(c, v, how, !s.isAny(start))
	if c.shape == shapeCode && ok {
		v.end = max(v.end, s.codeEnd(v.start, c))
	}
	if end, n := s.phrase(v.start); ok && (v.phrase || n > 2 && c.shape == shapeSeveral || s.isWordSeries(v.start)) {
		v.end = max(v.end, end)
	}
	return v.secretSpan, ok
}

// secretValue is a possible secret.
type secretValue struct {
	secretSpan
	quoted bool
	phrase bool // it consists of plain words
}

// linkAt finds the link between a cue that ends at end and its value, and the start of
// the value.
func (s *secretScan) linkAt(start, end int) (int, link) {
	if strings.HasSuffix(s.text[:start], "--") && end < len(s.text) && s.text[end] == ' ' {
		return end + 1, linkOption
	}
	if rest := s.text[end:]; strings.HasPrefix(rest, "'s ") || strings.HasPrefix(rest, "’s ") {
		return end + strings.IndexByte(rest, ' ') + 1, linkOwned
	}
	at := s.skipClosing(end)
	for range reachOf + 1 {
		if next, how := s.connector(at, start); how != linkNone {
			return s.skipStill(next), how
		}
		word := s.wordAt(at)
		if word == "" || at == s.skipClosing(end) && !s.leadsOn(word) {
			return 0, linkNone
		}
		at = s.skipClosing(at + len(word))
	}
	return 0, linkNone
}

// saysPlace reports whether the text between two positions names what a code opens.
func (s *secretScan) saysPlace(start, end int) bool {
	for word := range strings.FieldsSeq(s.text[start:max(start, end)]) {
		if s.known.in("place", word) {
			return true
		}
	}
	return false
}

// leadsOn reports whether a word may come between a cue and its connector: "for the
// router", "now", a name.
func (s *secretScan) leadsOn(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return s.known.in("of", word) || s.known.in("still", word) || s.known.in("giver", word) || unicode.IsUpper(first) && !s.standsOut(word)
}

// connector is the link at a position, and the position after it.
func (s *secretScan) connector(at, cueStart int) (int, link) {
	rest := s.text[at:]
	for _, sign := range s.known.signs {
		if strings.HasPrefix(rest, sign) {
			return s.skipBlank(at + len(sign)), linkSign
		}
	}
	for _, phrase := range s.known.phrased {
		if n := foldedPrefix(rest, phrase); n > 0 && n < len(rest) && rest[n] == ' ' {
			return s.skipChange(s.skipSpace(at+n), cueStart), linkGiven
		}
	}
	word := s.wordAt(at)
	end := s.skipSpace(at + len(word))
	switch {
	case word == "":
		return at, linkNone
	case s.known.in("passive", word):
		if next := s.skipChange(end, cueStart); next > end {
			return next, linkGiven
		}
	case s.known.in("changing", word):
		if next := s.skipChange(at, cueStart); next > at {
			return next, linkGiven
		}
	case s.known.in("given", word):
		return s.skipChange(end, cueStart), linkGiven
	case s.known.in("change", word) && s.changed(cueStart):
		return end, linkGiven
	}
	for _, cjk := range []string{"是", "为", "は"} {
		if strings.HasPrefix(word, cjk) {
			return at + len(cjk), linkGiven
		}
	}
	return at, linkNone
}

// skipChange skips the change between a copula and the value: "was changed to",
// "wurde auf … geändert".
func (s *secretScan) skipChange(at, cueStart int) int {
	next := at
	if word := s.wordAt(at); s.known.in("changing", word) {
		next = s.skipSpace(at + len(word))
	} else if !s.changed(cueStart) {
		return at
	}
	word := s.wordAt(next)
	next = s.skipSpace(next + len(word))
	if s.known.in("became", word) || s.known.in("change", word) && s.standsOut(s.wordAt(next)) {
		return next
	}
	return at
}

// changed reports whether a verb of change comes before a cue in its clause.
func (s *secretScan) changed(at int) bool {
	for _, w := range s.wordsBefore(at) {
		if s.known.in("changing", s.text[w.start:w.end]) {
			return true
		}
	}
	return strings.Contains(s.text[at:min(len(s.text), at+80)], "geändert") || strings.Contains(s.text[at:min(len(s.text), at+80)], "gesetzt")
}

// isAny reports whether a cue means such things in general ("a password is better").
func (s *secretScan) isAny(at int) bool {
	words := s.wordsBefore(at)
	for i := max(0, len(words)-2); i < len(words); i++ {
		if s.known.in("any", s.text[words[i].start:words[i].end]) {
			return true
		}
	}
	return false
}

// accepts reports whether a value is a secret for a cue. certain says that the cue
// means a particular thing.
func (s *secretScan) accepts(c *cue, v secretValue, how link, certain bool) bool {
	text := s.text[v.start:v.end]
	if s.isMeasure(v) {
		return false
	}
	switch c.shape {
	case shapeSeveral:
		if end, n := s.phrase(v.start); how != linkNone && n > 2 {
			return end > v.end
		}
		fallthrough
	case shapeChosen:
		if how == linkNone {
			return s.standsOut(text) || v.phrase && (v.quoted || s.goesWithName(c, v))
		}
		return s.known.looksChosen(text) || (v.phrase || s.isWordSeries(v.start)) && (certain || how == linkSign)
	case shapeMade:
		return (s.known.looksMade(text) || how != linkNone && isGrouped(text)) && (how != linkNone || len(text) >= 12)
	case shapeLoose, shapePair:
		return s.standsOut(text) && (how != linkNone || c.shape == shapeLoose && s.afterName(v.start-len(c.word)-1))
	case shapeCode:
		return s.isCode(c, v, how)
	}
	return false
}

// goesWithName reports whether a value is one word at the end of a clause that names a
// user: "user jane, password marigold".
func (s *secretScan) goesWithName(c *cue, v secretValue) bool {
	if _, n := s.phrase(v.start); n != 1 {
		return false
	}
	return s.afterName(v.start - len(c.word) - 1)
}

// afterName reports whether the clause names a user before a position.
func (s *secretScan) afterName(at int) bool {
	for _, w := range s.wordsBefore(max(0, at)) {
		if s.known.in("named", s.text[w.start:w.end]) {
			return true
		}
	}
	return false
}

// standsOut reports whether a value is hardly a word of a sentence.
func (s *secretScan) standsOut(text string) bool {
	m := mix(text)
	if !s.known.looksChosen(text) || len(text) < 6 || m.letters == 0 || m.digits == 0 {
		return false
	}
	return m.digits > 1 || m.signs > 0 || strings.ToLower(text) == text
}

// isMeasure reports whether the word after a value makes it a measure ("12
// characters").
func (s *secretScan) isMeasure(v secretValue) bool {
	text := s.text[v.start:v.end]
	return strings.Trim(text, "0123456789.,") == "" && s.known.in("units", s.wordAt(s.skipSpace(v.end)))
}

// isCode reports whether a value is a code for a cue: a number of digits in the cue's
// range, or a few letters and digits.
func (s *secretScan) isCode(c *cue, v secretValue, how link) bool {
	text := s.text[v.start:v.end]
	if m := mix(text); m.letters > 0 {
		return (how != linkNone || c.min > 8 && m.digits > 4) && m.digits > 1 && c.max > 4 && s.known.looksChosen(text)
	}
	return s.codeEnd(v.start, c) > 0
}

// codeEnd is the end of a code that begins at a position; 0 if there is none. A blank,
// a hyphen or a slash may separate groups of digits.
func (s *secretScan) codeEnd(at int, c *cue) int {
	digits, end := 0, 0
	for i := at; i < len(s.text) && digits <= c.max; i++ {
		switch b := s.text[i]; {
		case isDigit(b):
			digits++
			end = i + 1
		case c.min > 8 && b >= 'A' && b <= 'Z': // insurance numbers contain a letter
		case strings.IndexByte(" -/", b) < 0 && (b != '.' || c.min < 9 || i+1 == len(s.text) || !isDigit(s.text[i+1])) || s.known.in("units", s.wordAt(i+1)):
			i = len(s.text)
		}
	}
	if digits < c.min || digits > c.max {
		return 0
	}
	return end
}

// pair is the secret of a name and its secret at a position.
func (s *secretScan) pair(at int) (secretSpan, bool) {
	i := at
	for i < min(len(s.text), at+longestWord) && !isSeparator(s.text[i]) && s.text[i] != ':' && s.text[i] != '|' {
		i++
	}
	name := s.text[at:i]
	i = s.skipSpace(i)
	if name == "" || i == len(s.text) || strings.Contains(name, "/") {
		return secretSpan{}, false
	}
	if word := s.wordAt(i); s.known.in("between", word) {
		v := s.valueAt(s.skipSpace(i + len(word)))
		return v.secretSpan, s.standsOut(s.text[v.start:v.end])
	}
	if strings.IndexByte("/:|", s.text[i]) < 0 {
		return secretSpan{}, false
	}
	v := s.valueAt(s.skipSpace(i + 1))
	return v.secretSpan, s.known.looksChosen(s.text[v.start:v.end])
}

// before is the value before a cue: "hunter2 is my password".
func (s *secretScan) before(c *cue, start, end int) (secretSpan, bool) {
	if c.placed {
		return secretSpan{}, false
	}
	next := s.wordAt(s.skipSpace(end))
	if next != "" && !s.known.in("of", next) && !s.known.in("given", next) {
		return secretSpan{}, false
	}
	words := s.wordsBefore(start)
	for i := len(words) - 2; i > 0; i-- {
		copula, article := s.text[words[i].start:words[i].end], s.text[words[i+1].start:words[i+1].end]
		if !s.known.in("as", copula) || !s.known.in("certain", article) {
			continue
		}
		v := s.trimmed(words[i-1])
		text := s.text[v.start:v.end]
		switch c.shape {
		case shapeCode:
			return v.secretSpan, s.isCode(c, v, linkGiven)
		case shapeChosen, shapeSeveral:
			first := i == 1 && s.isWord(text)
			return v.secretSpan, s.known.looksChosen(text) || first || v.quoted && s.isWord(text)
		case shapeMade:
			return v.secretSpan, s.known.looksMade(text)
		}
		return v.secretSpan, c.shape == shapeLoose && s.standsOut(text)
	}
	return secretSpan{}, false
}

// isWord reports whether a word may be a chosen secret: it is none of the usual words
// in sentences about secrets.
func (s *secretScan) isWord(text string) bool {
	if utf8.RuneCountInString(text) < 3 || s.known.in("function", text) || s.known.in("harmless", text) || s.known.isTerm(text) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if unicode.IsUpper(first) {
		return true
	}
	for _, ending := range s.known.endings {
		if strings.HasSuffix(text, ending) && len(text) > len(ending)+2 {
			return false
		}
	}
	return unicode.IsLetter(first)
}
