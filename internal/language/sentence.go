package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is one piece of a text: the bytes from Start to End, without the
// space, the bullet or the quote mark before it.
type Sentence struct {
	Start, End int
	// Code is set for a fenced block and for an element of markup on lines of its own: one
	// piece, whatever it holds. Front ends and agents put documents and data there.
	Code bool
	// Quoted is set for a line that its writer marked as a quotation (">").
	Quoted bool
}

// Sentences cuts a text at the ends of sentences and of lines. Pieces never
// overlap, stand in order, and no letter or digit of the text falls between two
// of them.
//
// A line break ends a piece, because chats, lists and commit notes end thoughts
// with lines, unless it plainly stands inside a sentence of prose whose lines
// were broken for their length: then the piece goes on over it.
func Sentences(text string) []Sentence {
	out := make([]Sentence, 0, 1+len(text)/64)
	var in paragraph
	code := blocks{text: text}
	for at := 0; at < len(text); {
		if end := code.end(at); end > 0 {
			out = append(out, Sentence{Start: at, End: trimEnd(text, at, end), Code: true})
			at = end
			continue
		}
		end, next := lineEnd(text, at)
		if next < len(text) && at >= in.end {
			in = paragraphAt(text, at)
		}
		for line := at; next < in.end && code.end(next) == 0; {
			if text[end] == '\r' && text[next] == '\n' {
				next++
			}
			if !in.wrapped(text, line, end, next) {
				break
			}
			line = next
			end, next = lineEnd(text, next)
		}
		out = appendLines(out, text, at, end)
		at = next
	}
	return out
}

// appendLines cuts a line, and those that go on with it, into sentences.
func appendLines(out []Sentence, text string, start, end int) []Sentence {
	start, quoted := skipMarkup(text, start, end)
	for start < end {
		cut := sentenceEnd(text, start, end)
		from, to := trimStart(text, start, cut), trimEnd(text, start, cut)
		if from < to && hasWord(text[from:to]) {
			out = append(out, Sentence{Start: from, End: to, Quoted: quoted})
		}
		start = cut
	}
	return out
}

// sentenceEnd finds where the sentence that starts at start ends, before end.
func sentenceEnd(text string, start, end int) int {
	for i := start; i < end; {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			if !isStop(c) || i-1 > start && isStop(text[i-2]) {
				continue // nothing, or the rest of a run that was decided about
			}
			if next, ends := asciiStop(text, start, i, end); ends {
				return next
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:end])
		i += size
		switch r {
		case '。', '！', '？', '．', '｡', '؟', '۔', '।', '॥', '።', '‽':
			return skipClosers(text, i, end)
		case '…':
			if next, ends := ellipsisStop(text, i, end); ends {
				return next
			}
		}
	}
	return end
}

// standsApart reports whether a text is set off from what is before it: by space, or by
// a wide character, which needs none.
func standsApart(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r) || isWide(r)
}

// asciiStop decides about the full stop, exclamation or question mark that
// ends at i. It returns where the next sentence begins if this one ends here.
func asciiStop(text string, start, i, end int) (next int, ends bool) {
	first := i - 1
	for i < end && isStop(text[i]) {
		i++
	}
	after := skipClosers(text, i, end)
	if after >= end {
		return end, true
	}
	if !standsApart(text[after:end]) {
		return 0, false
	}
	if text[first] != '.' || i-first == 2 {
		return after, true
	}
	if i-first > 2 { // an ellipsis of dots, or "?!"
		return ellipsisStop(text, after, end)
	}
	return after, !isAbbreviated(text, start, first, after, end)
}

// isStop reports whether c can end a sentence.
func isStop(c byte) bool { return c == '.' || c == '!' || c == '?' }

// isAbbreviated reports whether the full stop at dot belongs to its word.
func isAbbreviated(text string, start, dot, after, end int) bool {
	from := dot
	for from > start && isWordByte(text[from-1]) {
		from--
	}
	word := text[from:dot]
	if from == start && isDigits(word) && len(word) < 4 {
		return true // "1. first"
	}
	if isOrdinal(text, start, from, dot, after, end) {
		return true
	}
	rule := abbreviationOf(strings.TrimLeft(word, "."))
	if rule == notAbbreviated {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[trimStart(text, after, end):end])
	switch rule {
	case beforeDigit:
		return unicode.IsDigit(next)
	case beforeLower:
		return !unicode.IsUpper(next)
	}
	return true
}

// ellipsisStop ends a sentence at an ellipsis only if a new one plainly opens.
func ellipsisStop(text string, after, end int) (next int, ends bool) {
	at := trimStart(text, after, end)
	if at >= end {
		return end, true
	}
	r, _ := utf8.DecodeRuneInString(text[at:end])
	return after, at > after && unicode.IsUpper(r)
}

// skipClosers steps over the quotes and brackets that close behind a stop.
func skipClosers(text string, i, end int) int {
	for i < end {
		r, size := utf8.DecodeRuneInString(text[i:end])
		switch r {
		case '"', '\'', ')', ']', '}', '”', '’', '»', '」', '』', '）', '】', '*', '_', '`':
			i += size
		default:
			return i
		}
	}
	return i
}

// isWide reports whether r belongs to a script that puts no space between
// sentences.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// isWordByte reports whether c may stand inside an abbreviation.
func isWordByte(c byte) bool {
	return c == '.' || isLetterOrDigit(c)
}

// isDigits reports whether s is a plain number.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// hasWord reports whether s holds a letter, a digit or a symbol that says
// something; rules of dashes and stray punctuation are no sentences.
func hasWord(s string) bool {
	for i := range len(s) {
		if isLetterOrDigit(s[i]) {
			return true
		}
	}
	for _, r := range s {
		if r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.So, r)) {
			return true
		}
	}
	return false
}
