package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// accepts reports whether a value after a cue is a secret. certain says that the cue
// means a particular thing.
func (s *scan) accepts(c *cue, v value, how link, certain bool) bool {
	text, linked := s.of(v.Span), how != linkNone
	if s.isMeasure(v) {
		return false
	}
	switch c.shape {
	case shapeSeveral:
		if end, n := s.phrase(v.Start); linked && n > 2 {
			return end > v.End
		}
		return s.isChosen(c, v, how, certain)
	case shapeChosen:
		return s.isChosen(c, v, how, certain)
	case shapeMade:
		return s.isMade(text, linked)
	case shapeLoose:
		return s.standsOut(text) && (linked || s.afterName(c, v))
	case shapePair:
		return s.standsOut(text) && linked
	case shapeCode:
		return s.isCode(c, v, linked)
	}
	return false
}

// acceptsBefore reports whether a value before a cue is a secret. first says that it
// begins the clause.
func (s *scan) acceptsBefore(c *cue, v value, first bool) bool {
	text := s.of(v.Span)
	switch c.shape {
	case shapeSeveral, shapeChosen:
		return s.known.looksChosen(text) || (first || v.quoted) && s.isWord(text)
	case shapeMade:
		return s.known.looksMade(text)
	case shapeLoose:
		return s.standsOut(text)
	case shapeCode:
		return s.isCode(c, v, true)
	}
	return false
}

// isChosen reports whether a value after a cue is a chosen secret.
func (s *scan) isChosen(c *cue, v value, how link, certain bool) bool {
	text := s.of(v.Span)
	switch {
	case how == linkNone:
		return s.standsOut(text) || v.phrase && (v.quoted || s.goesWithName(c, v))
	case s.known.looksChosen(text):
		return true
	case certain, how == linkSign:
		return v.phrase || s.isWordSeries(v.Start)
	}
	return false
}

// isMade reports whether a value after a cue looks generated. It must be long if nothing
// links it to the cue.
func (s *scan) isMade(text string, linked bool) bool {
	if !linked {
		return len(text) >= 12 && s.known.looksMade(text)
	}
	return s.known.looksMade(text) || isGrouped(text)
}

// goesWithName reports whether a value is one word at the end of a clause that names a
// user: "user jane, password marigold".
func (s *scan) goesWithName(c *cue, v value) bool {
	_, n := s.phrase(v.Start)
	return n == 1 && s.afterName(c, v)
}

// afterName reports whether the clause names a user before the cue of a value.
func (s *scan) afterName(c *cue, v value) bool {
	return s.saysBefore(max(0, v.Start-len(c.word)-1), reachBack, "named")
}

// standsOut reports whether a value is hardly a word of a sentence.
func (s *scan) standsOut(text string) bool {
	m := mix(text)
	if len(text) < 6 || min(m.letters, m.digits) == 0 || !s.known.looksChosen(text) {
		return false
	}
	return m.digits > 1 || m.signs > 0 || strings.ToLower(text) == text
}

// isMeasure reports whether the word after a value makes it a measure ("12
// characters").
func (s *scan) isMeasure(v value) bool {
	return strings.Trim(s.of(v.Span), "0123456789.,") == "" && s.known.in(s.wordAt(s.skipSpace(v.End)), "units")
}

// isCode reports whether a value is a code for a cue: a number of digits in the cue's
// range, or a few letters and digits.
func (s *scan) isCode(c *cue, v value, linked bool) bool {
	text := s.of(v.Span)
	switch m := mix(text); {
	case m.letters == 0:
		return s.codeEnd(v.Start, c) > 0
	case m.digits < 2 || c.max < 5:
		return false
	case !linked && !(c.official() && m.digits > 4):
		return false
	}
	return s.known.looksChosen(text)
}

// codeEnd is the end of a code that begins at a position; 0 if there is none.
func (s *scan) codeEnd(at int, c *cue) int {
	digits, end := 0, 0
	for i := at; i < len(s.text) && digits <= c.max; i++ {
		if isDigit(s.text[i]) {
			digits++
			end = i + 1
		} else if !s.insideCode(i, c) {
			break
		}
	}
	if digits < c.min || digits > c.max {
		return 0
	}
	return end
}

// insideCode reports whether a character may be between the digits of a code: a blank,
// a hyphen or a slash between groups, and in an official number a letter or a point.
func (s *scan) insideCode(i int, c *cue) bool {
	switch b := s.text[i]; {
	case c.official() && b >= 'A' && b <= 'Z':
		return true
	case s.known.in(s.wordAt(i+1), "units"):
		return false
	case b == '.':
		return c.official() && digitAt(s.text, i+1)
	default:
		return strings.IndexByte(" -/", b) >= 0
	}
}

// isWord reports whether a word may be a chosen secret: it is none of the usual words
// in sentences about secrets.
func (s *scan) isWord(text string) bool {
	if utf8.RuneCountInString(text) < 3 || s.known.in(text, "function", "harmless") || s.known.isTerm(text) {
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
