package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpan is the maximum length of an emphasized span, in bytes. A mark that is not
// closed within it is plain text.
const maxSpan = 1000

// inline parses inline Markdown: emphasis, code, links. It stops before a mark that is
// still ambiguous, and returns the number of bytes read. With final, no more text will
// come, and it reads all. last is the character before the text.
func inline(text string, attr Attr, last rune, final bool, emit func(string, Attr)) int {
	in := scan{text: text, attr: attr, last: last, final: final, emit: emit}
	for in.i < len(text) {
		if !in.step() {
			in.flush(in.i)
			return in.i
		}
	}
	in.flush(len(text))
	return len(text)
}

// scan is the state of parsing a line.
type scan struct {
	text  string
	attr  Attr
	last  rune
	final bool
	emit  func(string, Attr)

	i, from int // the next byte to read, the first byte not shown
}

// flush shows the text up to a position.
func (s *scan) flush(to int) {
	if to > s.from {
		s.emit(s.text[s.from:to], s.attr)
	}
	s.from = to
}

// skip continues after a span that has been shown.
func (s *scan) skip(to int) bool {
	s.last, _ = utf8.DecodeLastRuneInString(s.text[:to])
	s.i, s.from = to, to
	return true
}

// literal reads n bytes as plain text.
func (s *scan) literal(n int) bool {
	s.i += n
	s.last, _ = utf8.DecodeLastRuneInString(s.text[:s.i])
	return true
}

// wait reports whether later input could close a mark that begins here.
func (s *scan) wait() bool { return !s.final && len(s.text)-s.i < maxSpan }

// step reads one mark or character; false means that more text is needed.
func (s *scan) step() bool {
	rest := s.text[s.i:]
	switch c := rest[0]; c {
	case '\\':
		if len(rest) == 1 {
			return s.final && s.literal(1)
		}
		if !strings.ContainsRune("\\`*_{}[]()#+-.!~|<>", rune(rest[1])) {
			return s.literal(1)
		}
		s.flush(s.i)
		s.from++
		return s.literal(2)
	case '`':
		return s.code(rest)
	case '*', '_', '~':
		return s.emphasis(rest, c)
	case '!', '[':
		return s.link(rest)
	}
	_, size := utf8.DecodeRuneInString(rest)
	return s.literal(size)
}

// run counts how often a text begins with a byte.
func run(text string, c byte) int {
	n := 0
	for n < len(text) && text[n] == c {
		n++
	}
	return n
}

// closing finds a run of exactly n bytes c for which ok holds and which no backslash
// escapes. In code, backslashes escape nothing.
func closing(text string, c byte, n int, ok func(at int) bool) int {
	for at := 0; at < min(len(text), maxSpan); at++ {
		if text[at] != c {
			continue
		}
		got := run(text[at:], c)
		if got == n && (c == '`' || at == 0 || text[at-1] != '\\') && ok(at) {
			return at
		}
		at += got - 1
	}
	return -1
}

func (s *scan) code(rest string) bool {
	n := run(rest, '`')
	if n == len(rest) && s.wait() {
		return false
	}
	end := closing(rest[n:], '`', n, func(at int) bool { return s.final || n+at+n < len(rest) || !s.wait() })
	if end < 0 {
		if s.wait() {
			return false
		}
		return s.literal(n)
	}
	s.flush(s.i)
	s.emit(unpadded(rest[n:n+end]), s.attr|Code)
	return s.skip(s.i + n + end + n)
}

// unpadded is code without the blanks next to its backquotes.
func unpadded(code string) string {
	if len(code) > 2 && code[0] == ' ' && code[len(code)-1] == ' ' {
		return code[1 : len(code)-1]
	}
	return code
}

func (s *scan) emphasis(rest string, c byte) bool {
	n := run(rest, c)
	if n == len(rest) {
		if s.wait() {
			return false
		}
		return s.literal(n)
	}
	if s.opensNothing(c, n, rest[n:]) {
		return s.literal(n)
	}
	body := rest[n:]
	undecided := false
	end := closing(body, c, n, func(at int) bool {
		before, _ := utf8.DecodeLastRuneInString(body[:at])
		if at == 0 || unicode.IsSpace(before) {
			return false
		}
		if at+n == len(body) {
			undecided = s.wait()
			return !undecided
		}
		after, _ := utf8.DecodeRuneInString(body[at+n:])
		return c != '_' || !isWord(after)
	})
	if end < 0 {
		if undecided || s.wait() {
			return false
		}
		return s.literal(n)
	}
	s.flush(s.i)
	look := map[int]Attr{1: Italic, 2: Bold, 3: Bold | Italic}[n]
	if c == '~' {
		look = Strike
	}
	inline(body[:end], s.attr|look, ' ', true, s.emit)
	return s.skip(s.i + n + end + n)
}

// opensNothing reports whether n marks before a text are plain text.
func (s *scan) opensNothing(c byte, n int, text string) bool {
	next, _ := utf8.DecodeRuneInString(text)
	return n > 3 || c == '~' && n != 2 || unicode.IsSpace(next) || c == '_' && isWord(s.last)
}

// link reads [label](address) and ![label](address).
func (s *scan) link(rest string) bool {
	open := strings.IndexByte("[!", rest[0])
	if len(rest) > open && rest[open] != '[' {
		return s.literal(1)
	}
	if len(rest) <= open+1 {
		if s.wait() {
			return false
		}
		return s.literal(1)
	}
	near := rest[:min(len(rest), maxSpan)]
	end := strings.IndexByte(near, ']')
	if end < 0 || end+1 == len(rest) {
		if s.wait() {
			return false
		}
		return s.literal(1)
	}
	if rest[end+1] != '(' {
		return s.literal(1)
	}
	n := strings.IndexByte(near[end:], ')')
	if n < 0 {
		if s.wait() {
			return false
		}
		return s.literal(1)
	}
	s.flush(s.i)
	label, address := rest[open+1:end], strings.TrimSpace(rest[end+2:end+n])
	inline(label, s.attr|Underline, ' ', true, s.emit)
	if address != label && address != "" {
		s.emit(" ("+address+")", s.attr|Dim)
	}
	return s.skip(s.i + end + n + 1)
}
