package secret

import (
	"slices"
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
func (s *scan) cues() {
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
				s.add(found.Start, found.End)
			} else if found, ok := s.before(c, at, at+n); ok {
				s.add(found.Start, found.End)
			}
			at += n - 1
			break
		}
	}
}

// startsCue reports whether a cue may begin at a position: at the start of a word,
// after a sign, at a capital letter within a word ("clientSecret"), or anywhere if the
// cue may end longer words.
func (s *scan) startsCue(at int, c *cue) bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:at])
	if c.ends || !isLetterOrDigit(r) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(s.text[at:])
	return unicode.IsLower(r) && unicode.IsUpper(first) || first > 0x2e80
}

// endsCue reports whether a cue may end at a position: no letter of a name follows.
func (s *scan) endsCue(end int) bool {
	r, n := utf8.DecodeRuneInString(s.text[end:])
	if n == 0 || r > 0x2e80 {
		return true
	}
	if r == '_' || r == '-' || r == '@' {
		next, _ := utf8.DecodeRuneInString(s.text[end+n:])
		return !unicode.IsLetter(next)
	}
	return !isLetterOrDigit(r)
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
func (s *scan) given(c *cue, start, end int) (Span, bool) {
	at, how := s.linkAt(start, end)
	if how == linkNone {
		if at = s.skipSpace(end); at == end { // a punctuation mark here closes the text before it
			return Span{}, false
		}
	}
	if c.shape == shapeWords {
		return s.linkedWords(at, how)
	}
	v := s.valueAt(at)
	if unplaced := c.placed && !s.saysPlace(end, v.Start); unplaced || v.Start == v.End {
		return v.Span, false
	}
	if c.shape == shapePair {
		if second, ok := s.pair(at); ok {
			return second, true
		}
	}
	if !s.accepts(c, v, how, !s.isAny(start)) {
		return v.Span, false
	}
	v.End = s.extent(c, v)
	return v.Span, true
}

// linkedWords is the series of words that a link leads to.
func (s *scan) linkedWords(at int, how link) (Span, bool) {
	if how == linkNone || how == linkOwned {
		return Span{}, false
	}
	return s.words(at)
}

// extent is the end of an accepted value: codes and phrases may have several words.
func (s *scan) extent(c *cue, v value) int {
	to := v.End
	if c.shape == shapeCode {
		to = max(to, s.codeEnd(v.Start, c))
	}
	end, n := s.phrase(v.Start)
	if several := c.shape == shapeSeveral && n > 2; several || v.phrase || s.isWordSeries(v.Start) {
		to = max(to, end)
	}
	return to
}

// value is a possible secret.
type value struct {
	Span
	quoted bool
	phrase bool // it consists of plain words
}

// linkAt finds the link between a cue that ends at end and its value, and the start of
// the value.
func (s *scan) linkAt(start, end int) (int, link) {
	rest := s.text[end:]
	if strings.HasSuffix(s.text[:start], "--") && strings.HasPrefix(rest, " ") {
		return end + 1, linkOption
	}
	if strings.HasPrefix(rest, "'s ") || strings.HasPrefix(rest, "’s ") {
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
func (s *scan) saysPlace(start, end int) bool {
	for word := range strings.FieldsSeq(s.text[start:max(start, end)]) {
		if s.known.in(word, "place") {
			return true
		}
	}
	return false
}

// leadsOn reports whether a word may come between a cue and its connector: "for the
// router", "now", a name.
func (s *scan) leadsOn(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return s.known.in(word, "of", "still", "giver") || unicode.IsUpper(first) && !s.standsOut(word)
}

// connector is the link at a position, and the position after it.
func (s *scan) connector(at, cueStart int) (int, link) {
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
	case s.known.in(word, "passive"):
		if next := s.skipChange(end, cueStart); next > end {
			return next, linkGiven
		}
	case s.known.in(word, "changing"):
		if next := s.skipChange(at, cueStart); next > at {
			return next, linkGiven
		}
	case s.known.in(word, "given"):
		return s.skipChange(end, cueStart), linkGiven
	case s.known.in(word, "change") && s.changed(cueStart):
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
func (s *scan) skipChange(at, cueStart int) int {
	next := at
	if word := s.wordAt(at); s.known.in(word, "changing") {
		next = s.skipSpace(at + len(word))
	} else if !s.changed(cueStart) {
		return at
	}
	word := s.wordAt(next)
	next = s.skipSpace(next + len(word))
	if s.known.in(word, "became") || s.known.in(word, "change") && s.standsOut(s.wordAt(next)) {
		return next
	}
	return at
}

// changed reports whether a verb of change comes before a cue in its clause.
func (s *scan) changed(at int) bool {
	clause := s.text[at:min(len(s.text), at+80)]
	return s.saysBefore(at, reachBack, "changing") || strings.Contains(clause, "geändert") || strings.Contains(clause, "gesetzt")
}

// saysBefore reports whether one of the n words before a position in its clause is in a
// list.
func (s *scan) saysBefore(at, n int, list string) bool {
	words := s.wordsBefore(at)
	return slices.ContainsFunc(words[max(0, len(words)-n):], func(w Span) bool { return s.known.in(s.of(w), list) })
}

// isAny reports whether a cue means such things in general ("a password is better").
func (s *scan) isAny(at int) bool { return s.saysBefore(at, 2, "any") }

// pair is the secret of a name and its secret at a position.
func (s *scan) pair(at int) (Span, bool) {
	name := s.text[at:s.until(at, longestWord, separators+":|")]
	i := s.skipSpace(at + len(name))
	if name == "" || i == len(s.text) || strings.Contains(name, "/") {
		return Span{}, false
	}
	if word := s.wordAt(i); s.known.in(word, "between") {
		v := s.valueAt(s.skipSpace(i + len(word)))
		return v.Span, s.standsOut(s.of(v.Span))
	}
	if strings.IndexByte("/:|", s.text[i]) < 0 {
		return Span{}, false
	}
	v := s.valueAt(s.skipSpace(i + 1))
	return v.Span, s.known.looksChosen(s.of(v.Span))
}

// before is the value before a cue: "hunter2 is my password".
func (s *scan) before(c *cue, start, end int) (Span, bool) {
	if c.placed {
		return Span{}, false
	}
	next := s.wordAt(s.skipSpace(end))
	if next != "" && !s.known.in(next, "of") && !s.known.in(next, "given") {
		return Span{}, false
	}
	words := s.wordsBefore(start)
	for i := len(words) - 2; i > 0; i-- {
		if s.known.in(s.of(words[i]), "as") && s.known.in(s.of(words[i+1]), "certain") {
			v := s.trimmed(words[i-1])
			return v.Span, s.acceptsBefore(c, v, i == 1)
		}
	}
	return Span{}, false
}
