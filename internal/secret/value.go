package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretQuotes are the opening quotation marks of a value, with their closing marks.
var secretQuotes = [][2]string{
	{"\"", "\""}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"},
	{"‘", "’"}, {"**", "**"}, {"「", "」"},
}

// The maximum length of a word and of a value, in bytes, so that long texts full of
// cues cost no more than others.
const longestWord, longestValue = 100, 1000

// valueAt is the value at a position: text in quotation marks, a word, or a series of
// plain words up to the end of its clause.
func (s *scan) valueAt(at int) value {
	for _, q := range secretQuotes {
		if !strings.HasPrefix(s.text[at:], q[0]) {
			continue
		}
		start := at + len(q[0])
		line, _, _ := strings.Cut(s.text[start:min(len(s.text), start+200)], "\n")
		if n := strings.Index(line, q[1]); n > 0 {
			v := value{Span: Span{start, start + n}, quoted: true}
			v.phrase = s.isWord(line[:n])
			return v
		}
		at = start
	}
	v := s.trimmed(Span{at, s.until(at, longestValue, " \t\n\r\"'`<>(),;")})
	v.phrase = s.isPhrase(v.Start)
	return v
}

// trimmed is a word without surrounding punctuation.
func (s *scan) trimmed(w Span) value {
	v := value{Span: w}
	text := s.text[w.Start:w.End]
	left := strings.TrimLeft(text, "\"'`“„«‘*(")
	v.quoted = len(left) < len(text)
	v.Start += len(text) - len(left)
	right := strings.TrimRight(left, ".?:\"'`”“»’*)。、")
	if bare := strings.TrimRight(right, "!"); len(right) == len(left) || len(right)-len(bare) > 1 || mix(bare).digits == 0 {
		right = bare
	}
	v.End = v.Start + len(right)
	return v
}

// isPhrase reports whether plain words that may be a chosen secret extend from a
// position to the end of the clause. The first word decides most: it must not be a
// usual word in sentences about passwords.
func (s *scan) isPhrase(at int) bool {
	end, n := s.phrase(at)
	owned := n > 1 && strings.Contains(s.text[at:end], "'s ") // "Anna's problem"
	return n > 0 && !owned && s.isWord(s.wordAt(at))
}

// phrase is the end of a series of words without function words, from a position up to
// the end of the clause, and the number of words; 0 for none.
func (s *scan) phrase(at int) (end, n int) {
	for ; n <= mostWords; n++ {
		word := s.wordAt(at)
		if n > 0 && (word == "" || s.known.in(word, "clause")) {
			return end, n
		}
		if word == "" || s.known.in(word, "function") {
			return 0, 0
		}
		end = at + len(word)
		if end == len(s.text) || s.text[end] != ' ' {
			return end, n + 1
		}
		at = s.skipSpace(end)
	}
	return 0, 0
}

// wordAt is the word at a position, with the signs inside it; "" for none.
func (s *scan) wordAt(at int) string {
	if at >= len(s.text) {
		return ""
	}
	end := at
	for end < min(len(s.text), at+longestWord) {
		r, n := utf8.DecodeRuneInString(s.text[end:])
		if !isWordRune(r) && !s.joins(end, r) {
			break
		}
		end += n
	}
	return s.text[at:end]
}

// joins reports whether a sign is inside a word.
func (s *scan) joins(at int, r rune) bool {
	if at == 0 || !strings.ContainsRune("-_'.@+", r) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(s.text[at+1:])
	return isAlnum(s.text[at-1]) && isLetterOrDigit(next)
}

// isWordRune reports whether a character is in every word.
func isWordRune(r rune) bool { return isLetterOrDigit(r) || unicode.IsMark(r) }

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// endsClause reports whether a word before n others does not belong to their clause.
func endsClause(word string, n int) bool {
	return isListMarker(word) || n > 0 && strings.IndexByte(".!?:", word[len(word)-1]) >= 0
}

// wordsBefore are the words of the clause before a position, up to the reach of a cue.
func (s *scan) wordsBefore(at int) []Span {
	from := strings.LastIndexAny(s.text[max(0, at-200):at], "\n;") + 1 + max(0, at-200)
	if from < at-120 {
		from = at - 120
	}
	var out []Span
	for end := at; end > from && len(out) < reachBack; {
		for end > from && strings.IndexByte(" \t,", s.text[end-1]) >= 0 {
			end--
		}
		start := end
		for start > from && strings.IndexByte(" \t", s.text[start-1]) < 0 {
			start--
		}
		if word := s.text[start:end]; word == "" || end < at && endsClause(word, len(out)) {
			break
		}
		out = append(out, Span{start, end})
		end = start
	}
	slices.Reverse(out)
	return out
}

// isListMarker reports whether a word begins an item of a list: "-", "*", "1)".
func isListMarker(word string) bool {
	number := strings.TrimRight(word, "-+*•>#|)")
	return number != word && len(number) < 3 && strings.Trim(number, "0123456789") == ""
}

// skipSpace is the first position from at on without a blank.
func (s *scan) skipSpace(at int) int { return s.skip(at, " \t") }

// skip is the first position from at on without one of the signs.
func (s *scan) skip(at int, signs string) int {
	for at < len(s.text) && strings.IndexByte(signs, s.text[at]) >= 0 {
		at++
	}
	return at
}

// until is the first position from at on with one of the signs, at most so many bytes on.
func (s *scan) until(at, most int, signs string) int {
	end := min(len(s.text), at+most)
	if n := strings.IndexAny(s.text[at:end], signs); n >= 0 {
		return at + n
	}
	return end
}

// skipBlank is skipSpace that also skips one line break.
func (s *scan) skipBlank(at int) int {
	at = s.skipSpace(at)
	if at < len(s.text) && (s.text[at] == '\n' || s.text[at] == '\r') {
		return s.skipSpace(at + 1)
	}
	return at
}

// skipClosing skips blanks and the marks that close a cue or a phrase.
func (s *scan) skipClosing(at int) int { return s.skip(at, " \t\"'`)*(") }

// skipStill skips words such as "now", and a colon after a connector.
func (s *scan) skipStill(at int) int {
	for {
		at = s.skipSpace(at)
		word := s.wordAt(at)
		if word != "" && s.known.in(word, "still") {
			at += len(word)
			continue
		}
		if at < len(s.text) && s.text[at] == ':' {
			at++
			continue
		}
		return at
	}
}
