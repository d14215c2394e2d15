package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineEnd finds the end of the line that holds at, and where the next begins.
func lineEnd(text string, at int) (end, next int) {
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '\n', '\r', '\v', '\f':
			return i, i + 1
		case 0xe2: // U+2028 and U+2029 are e2 80 a8 and e2 80 a9
			if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
				return i, i + 3
			}
		}
	}
	return len(text), len(text)
}

// fenceAt returns the length of the code fence that the line at starts with;
// 0 when it starts with none.
func fenceAt(text string, at int) int {
	i := at
	for i < len(text) && i-at < 3 && text[i] == ' ' {
		i++
	}
	n := 0
	for i+n < len(text) && (text[i+n] == '`' || text[i+n] == '~') && text[i+n] == text[i] {
		n++
	}
	if n < 3 {
		return 0
	}
	return n
}

// fenceEnd finds where the fenced block that opens at ends: after the line
// that closes it, or with the text.
func fenceEnd(text string, at, fence int) int {
	mark := text[at+strings.IndexAny(text[at:], "`~")]
	_, next := lineEnd(text, at)
	for next < len(text) {
		end, after := lineEnd(text, next)
		line := strings.TrimSpace(text[next:end])
		if len(line) >= fence && strings.Trim(line, string(mark)) == "" {
			return after
		}
		next = after
	}
	return len(text)
}

// skipMarkup steps over what marks a line as quoted, as a heading or as an
// item of a list.
func skipMarkup(text string, start, end int) (at int, quoted bool) {
	start = trimStart(text, start, end)
	for start < end && text[start] == '>' {
		quoted = true
		start = trimStart(text, start+1, end)
	}
	if hashes := len(text[start:end]) - len(strings.TrimLeft(text[start:end], "#")); hashes > 0 && hashes <= 6 &&
		start+hashes < end && text[start+hashes] == ' ' {
		start = trimStart(text, start+hashes, end)
	}
	return skipBullet(text, start, end), quoted
}

// skipBullet steps over "- ", "* ", "• ", "[x] ", "1. " and "1) ".
func skipBullet(text string, start, end int) int {
	r, size := utf8.DecodeRuneInString(text[start:end])
	switch r {
	case '-', '*', '+', '•', '‣', '▪', '◦', '–', '—', '·':
		if after := start + size; after < end && text[after] == ' ' {
			start = trimStart(text, after, end)
		}
		if rest := text[start:end]; strings.HasPrefix(rest, "[ ] ") || strings.HasPrefix(rest, "[x] ") {
			start = trimStart(text, start+3, end)
		}
		return start
	}
	return skipNumber(text, start, end)
}

// skipNumber steps over "1. " and "1) ".
func skipNumber(text string, start, end int) int {
	i := start
	for i < end && i-start < 3 && isDigit(text[i]) {
		i++
	}
	if i == start || i+1 >= end || text[i+1] != ' ' {
		return start
	}
	switch text[i] {
	case '.', ')':
		return trimStart(text, i+1, end)
	}
	return start
}

// trimStart returns the place of the first byte of text[start:end] that is not
// space.
func trimStart(text string, start, end int) int {
	for start < end {
		if c := text[start]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return start
			}
			start++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			return start
		}
		start += size
	}
	return start
}

// trimEnd returns the place after the last byte of text[start:end] that is not
// space.
func trimEnd(text string, start, end int) int {
	for end > start {
		if c := text[end-1]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return end
			}
			end--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			return end
		}
		end -= size
	}
	return end
}
