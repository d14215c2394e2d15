package openai

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// errSyntax says that a text is not valid JSON.
var errSyntax = errors.New("the text is not valid JSON")

// scanner walks over a JSON text once, returns the requested values and skips the rest.
// An answer has hundreds of chunks, most of whose content is not needed, so scanner
// allocates only the strings it returns. A value of an unexpected type is skipped,
// because servers differ; invalid JSON sets bad.
type scanner struct {
	text []byte
	at   int
	deep int
	bad  bool
}

// peek returns the first byte of the next token, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take consumes the given token if it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.at >= len(s.text) {
		return false
	}
	s.at++
	return true
}

func (s *scanner) fail() {
	s.bad = true
	s.at = len(s.text)
}

// end fails unless all input was read.
func (s *scanner) end() {
	if s.peek(); s.at < len(s.text) {
		s.fail()
	}
}

// object calls visit for each member; visit must read the value. A value that is not an
// object is skipped.
func (s *scanner) object(visit func(name []byte)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	if !s.enter() || s.leave('}') {
		return
	}
	for !s.bad {
		quoted, plain := s.quoted()
		if !s.take(':') {
			s.fail()
			return
		}
		visit(unquote(quoted, plain))
		if s.take(',') {
			continue
		}
		if !s.leave('}') {
			s.fail()
		}
		return
	}
}

// unquote is the text of a quoted string. plain says that it has no escapes.
func unquote(quoted []byte, plain bool) []byte {
	switch {
	case !plain:
		text, _ := jsontext.AppendUnquote(nil, quoted)
		return text
	case len(quoted) >= 2:
		return quoted[1 : len(quoted)-1]
	}
	return quoted
}

// array calls visit for each element; visit must read it. A value that is not an array
// is skipped.
func (s *scanner) array(visit func()) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	if !s.enter() || s.leave(']') {
		return
	}
	for !s.bad {
		visit()
		if s.take(',') {
			continue
		}
		if !s.leave(']') {
			s.fail()
		}
		return
	}
}

func (s *scanner) enter() bool {
	s.at++
	if s.deep++; s.deep > maxDepth {
		s.fail()
		return false
	}
	return true
}

func (s *scanner) leave(end byte) bool {
	if !s.take(end) {
		return false
	}
	s.deep--
	return true
}

// skip skips one value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '{':
		s.object(func([]byte) { s.skip() })
	case c == '[':
		s.array(s.skip)
	case c == '"':
		s.quoted()
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	default:
		s.fail()
	}
}

// raw skips one value and returns its bytes; nil for null.
func (s *scanner) raw() []byte {
	c := s.peek()
	start := s.at
	s.skip()
	if s.bad || c == 'n' {
		return nil
	}
	return s.text[start:s.at:s.at]
}

// str returns a string value; "" for a value of another type.
func (s *scanner) str() string { return s.same("") }

// same is str for a value that is likely to equal the one seen before.
func (s *scanner) same(before string) string {
	if s.peek() != '"' {
		s.skip()
		return ""
	}
	q, plain := s.quoted()
	switch {
	case s.bad:
		return ""
	case !plain:
		out, _ := jsontext.AppendUnquote(nil, q) // replaces invalid UTF-8
		return string(out)
	case string(q[1:len(q)-1]) == before:
		return before
	}
	return string(q[1 : len(q)-1])
}

// integer returns the value of a number; otherwise if the value is not a whole number.
func (s *scanner) integer(otherwise int) int {
	n, err := strconv.Atoi(string(s.raw()))
	if err != nil {
		return otherwise
	}
	return n
}

// quoted skips a string and returns it with its quotes. plain says that the string has
// no escapes.
func (s *scanner) quoted() (q []byte, plain bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, false
	}
	start := s.at
	plain = true
	ascii := true
	for i := start + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			q = s.text[start:s.at]
			return q, plain && (ascii || utf8.Valid(q))
		case c == '\\':
			plain = false
			i++
			if n := escape(s.text[i:]); n == 0 {
				s.fail()
				return nil, false
			} else {
				i += n - 1
			}
		case c < ' ':
			s.fail()
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.fail()
	return nil, false
}

// escape returns the length of the escape sequence at the start of text, without its
// backslash; 0 if text starts with none.
func escape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(text) < 5 {
			return 0
		}
		for _, c := range text[1:5] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return 0
			}
		}
		return 5
	}
	return 0
}

func (s *scanner) word(w string) {
	if end := s.at + len(w); end <= len(s.text) && string(s.text[s.at:end]) == w {
		s.at = end
		return
	}
	s.fail()
}

func (s *scanner) number() {
	one := func(cs string) bool {
		for i := range len(cs) {
			if s.at < len(s.text) && s.text[s.at] == cs[i] {
				s.at++
				return true
			}
		}
		return false
	}
	digits := func() {
		start := s.at
		for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
			s.at++
		}
		if s.at == start {
			s.fail()
		}
	}
	one("-")
	if !one("0") {
		digits()
	}
	if one(".") {
		digits()
	}
	if one("eE") {
		one("+-")
		digits()
	}
}
