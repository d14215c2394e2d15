package language

import "unicode/utf8"

// dateToken is a word, a number or a mark of the text.
type dateToken struct {
	is         wordClass
	start, end int32
	value      int32
	capital    bool // starts with an upper-case letter
	doubtful   bool // also an everyday word or a name: may, march, sun, fall
}

// everyday reports whether a token is rather an everyday word than a name: "may".
func (t dateToken) everyday() bool { return t.doubtful && !t.capital }

// maxDateText is how much of a text is searched for dates; offsets are 32 bits.
const maxDateText = 1 << 30

// lexDates cuts text into tokens, appended to out. Runs of words that can have
// no part in a date become one token. The text is in a language other than English unless abroad is nil.
func lexDates(text string, out []dateToken, abroad *dateTongue) []dateToken {
	text = text[:min(len(text), maxDateText)]
	words := dateWords()
	for i := 0; i < len(text); {
		var t dateToken
		switch c := text[i]; {
		case isBlank(c):
			i++
			continue
		case abroad != nil && !markAt(text, i):
			t = abroad.lex(text, i)
		case isDigit(c):
			t = lexDateNumber(text, i, figureLayouts)
		case isLetter(c):
			t = lexDateWord(text, i, words)
		case c < utf8.RuneSelf:
			t = dateToken{is: markClass(rune(c)), end: int32(i + 1)}
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if t = (dateToken{is: markClass(r), end: int32(i + size)}); !isTypographic(r) {
				t = lexDateWord(text, i, words)
			}
		}
		t.start, i = int32(i), int(t.end)
		if n := len(out); n > 0 && t.is&(otherWord|smallWord) != 0 && out[n-1].is == t.is {
			out[n-1].end = t.end
			continue
		}
		out = append(out, t)
	}
	return out
}

// isBlank reports whether c is a space within a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// markAt reports whether a mark stands at i.
func markAt(text string, i int) bool {
	if c := text[i]; c < utf8.RuneSelf {
		return !isLetterOrDigit(c)
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return isTypographic(r)
}

// markClass is the class of a punctuation mark.
func markClass(r rune) wordClass {
	switch r {
	case '.':
		return dotMark | stopMark
	case '!', '?', ';', ':', '\n', '。', '！', '？', '…':
		return stopMark
	case ',', '、', '，':
		return commaMark
	case '-', '–', '—', '‑':
		return dashMark | toWord
	case '(', ')':
		return bracketMark
	case '&':
		return andWord
	case '\'', '’', '‘':
		return tickMark
	}
	return otherMark
}

// isTypographic reports whether r is a mark that phones type.
func isTypographic(r rune) bool { return markClass(r) != otherMark || r == '“' || r == '”' }

// lexDateWord reads a run of letters and digits that begins with a letter. A word that
// is too long for the vocabulary is known by its ending only.
func lexDateWord(text string, i int, words map[string]dateWord) dateToken {
	var low [longestDateWord]byte
	n, end := lowerWord(text, i, &low)
	n, end = lowerNot(text, n, end, &low)
	t := dateToken{is: otherWord, end: int32(end), capital: text[i] >= 'A' && text[i] <= 'Z'}
	if gluedName(text, end) {
		t.end = int32(skipName(text, end))
		return t
	}
	if v, known := words[string(low[:min(n, longestDateWord)])]; known && n <= longestDateWord {
		t.is, t.value, t.doubtful = v.is, v.value, v.doubtful
		return t
	}
	switch tail := text[max(i, end-4):end]; {
	case end-i <= 4, tail == "need", tail == "ceed", tail == "peed": // participles of nothing
	case tail[1:] == "ing":
		t.is = ingWord
	case tail[2:] == "ed":
		t.is = pastWord
	}
	return t
}

// lowerNot adds the "'t" behind a word of n bytes that ends at end: "didn't".
func lowerNot(text string, n, end int, low *[longestDateWord]byte) (length, behind int) {
	if n < 2 || n > longestDateWord-2 || low[n-1] != 'n' {
		return n, end
	}
	r, size := utf8.DecodeRuneInString(text[end:])
	if markClass(r) != tickMark {
		return n, end
	}
	if rest := text[end+size:]; !letterAt(rest, 0) || lowerASCII(rest[0]) != 't' || letterAt(rest, 1) {
		return n, end
	}
	low[n], low[n+1] = '\'', 't'
	return n + 2, end + size + 1
}

// gluedName reports whether what ends at end goes on as a name does: "monday.com",
// "friday_sync".
func gluedName(text string, end int) bool {
	if end+1 >= len(text) {
		return false
	}
	next := text[end+1]
	switch text[end] {
	case '.', '@':
		return next >= 'a' && next <= 'z'
	case '_':
		return isLetterOrDigit(next)
	}
	return false
}

// skipName passes over the rest of a name.
func skipName(text string, i int) int {
	for i < len(text) && (isLetterOrDigit(text[i]) || gluedName(text, i)) {
		i++
	}
	return i
}

// lowerWord reads the word at i in lower case, as far as there is room. n is its length,
// more than there is room for if it is longer or holds letters outside ASCII.
func lowerWord(text string, i int, low *[longestDateWord]byte) (n, end int) {
	for i < len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if isTypographic(r) {
				break
			}
			n, i = longestDateWord+1, i+size
			continue
		}
		if !isLetterOrDigit(c) {
			break
		}
		if n < longestDateWord {
			low[n] = lowerASCII(c)
		}
		n++
		i++
	}
	return n, i
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetterOrDigit(c byte) bool { return isLetter(c) || isDigit(c) }

// letterAt reports whether an ASCII letter stands at i.
func letterAt(text string, i int) bool { return i < len(text) && isLetter(text[i]) }

// digitAt reports whether a digit stands at i.
func digitAt(text string, i int) bool { return i < len(text) && isDigit(text[i]) }

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
