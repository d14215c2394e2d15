package mention

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeSigns begin the escapes that are read: those of JSON and of programming
// languages, at any depth of nesting; entities of HTML; percent signs of URLs.
const escapeSigns = `\&%`

// reader gives the characters of a text one by one. What is no valid UTF-8 gives
// U+FFFD, byte by byte.
type reader struct {
	text    []byte
	at      int
	escapes bool // read them
	// queue are further characters of the escape that ends at at.
	queue []rune
	start int // of that escape
}

// next is the next character, and the bytes it was read from.
func (in *reader) next() (r rune, start, end int, ok bool) {
	if len(in.queue) > 0 {
		r, in.queue = in.queue[0], in.queue[1:]
		return r, in.start, in.at, true
	}
	if in.at >= len(in.text) {
		return 0, 0, 0, false
	}
	start = in.at
	c := in.text[start]
	if c < utf8.RuneSelf {
		if in.escapes && (c == '\\' || c == '&' || c == '%') {
			if r, n := in.escape(c); n > 0 {
				in.at, in.start = start+n, start
				return r, start, in.at, true
			}
		}
		in.at++
		return rune(c), start, in.at, true
	}
	r, n := utf8.DecodeRune(in.text[start:])
	in.at += n
	return r, start, in.at, true
}

// escape reads the escape that stands here, and says how many bytes it takes; 0
// if there is none.
func (in *reader) escape(sign byte) (r rune, n int) {
	rest := in.text[in.at:]
	switch sign {
	case '&':
		r, n = '&', 1
	case '%':
		r, n = octets(rest, percentOctet)
	default:
		r, n = backslash(rest)
	}
	if r == '&' { // an entity, whose first sign may itself be escaped
		if named, size := in.entity(rest[n:]); size > 0 {
			return named, n + size
		}
	}
	return r, n
}

// maxEntity is longer than the name of any entity.
const maxEntity = 40

// entity reads what follows the first sign of an entity of HTML. That sign may be
// written as an entity, too.
func (in *reader) entity(rest []byte) (rune, int) {
	again := 0
	for bytes.HasPrefix(rest[again:], []byte("amp;")) {
		again += len("amp;")
	}
	tail := rest[again:min(len(rest), again+maxEntity)]
	if i := bytes.IndexByte(tail, ';'); i > 0 {
		name := "&" + string(tail[:i+1])
		if text := html.UnescapeString(name); text != name {
			rs := []rune(text)
			in.queue = rs[1:]
			return rs[0], again + i + 1
		}
	}
	return '&', again
}

// simpleEscapes are what letters behind a backslash mean.
var simpleEscapes = [256]rune{
	'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'b': '\b', 'a': '\a',
	'"': '"', '\'': '\'', '/': '/', '`': '`', '&': '&', '%': '%',
}

// backslash reads an escape that begins with a backslash, or with several: each
// level of nesting doubles them.
func backslash(rest []byte) (rune, int) {
	depth := backslashes(rest)
	if depth == len(rest) {
		return '\\', depth
	}
	switch c := rest[depth]; c {
	case 'u':
		if r, n := unicodeEscape(rest); n > 0 {
			return r, n
		}
	case 'U':
		if r, ok := hexRune(rest[depth+1:], 8); ok {
			return r, depth + 9
		}
	case 'x':
		if r, n := octets(rest, hexOctet); n > 0 {
			return r, n
		}
	case '0', '1', '2', '3':
		if r, n := octets(rest, octalOctet); n > 0 {
			return r, n
		}
	default:
		if r := simpleEscapes[c]; r != 0 {
			return r, depth + 1
		}
	}
	return '\\', depth
}

func backslashes(rest []byte) int {
	n := 0
	for n < len(rest) && rest[n] == '\\' {
		n++
	}
	return n
}

// unicodeEscape reads \uXXXX, in two halves where it has two, and \u{X…}.
func unicodeEscape(rest []byte) (rune, int) {
	first, n := utf16Unit(rest)
	if n == 0 {
		return 0, 0
	}
	if utf16.IsSurrogate(first) {
		second, m := utf16Unit(rest[n:])
		if r := utf16.DecodeRune(first, second); m > 0 && r != utf8.RuneError {
			return r, n + m
		}
	}
	return first, n
}

func utf16Unit(rest []byte) (rune, int) {
	n := backslashes(rest)
	if n == 0 || n == len(rest) || rest[n] != 'u' {
		return 0, 0
	}
	rest = rest[n+1:]
	if len(rest) > 0 && rest[0] == '{' {
		if end := bytes.IndexByte(rest[:min(len(rest), 8)], '}'); end > 1 {
			if r, ok := hexRune(rest[1:], end-1); ok {
				return r, n + 1 + end + 1
			}
		}
		return 0, 0
	}
	r, ok := hexRune(rest, 4)
	if !ok {
		return 0, 0
	}
	return r, n + 5
}

// hexRune reads a number of so many digits.
func hexRune(text []byte, digits int) (rune, bool) {
	if len(text) < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[:digits]), 16, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, false
	}
	return rune(n), true
}

// octets reads a character whose bytes are escaped one by one: as UTF-8, or, if
// they are none, the first of them as Latin-1. one reads one byte.
func octets(rest []byte, one func([]byte) (byte, int)) (rune, int) {
	var got [utf8.UTFMax]byte
	var ends [utf8.UTFMax]int
	n, at := 0, 0
	for n < len(got) {
		b, size := one(rest[at:])
		if size == 0 {
			break
		}
		at += size
		got[n], ends[n] = b, at
		n++
	}
	if n == 0 {
		return 0, 0
	}
	r, size := utf8.DecodeRune(got[:n])
	if r == utf8.RuneError && size <= 1 {
		return rune(got[0]), ends[0]
	}
	return r, ends[size-1]
}

func percentOctet(text []byte) (byte, int) {
	if len(text) == 0 || text[0] != '%' {
		return 0, 0
	}
	return octet(text, 1, 2, 16)
}

func hexOctet(text []byte) (byte, int) {
	n := backslashes(text)
	if n == 0 || n == len(text) || text[n] != 'x' {
		return 0, 0
	}
	return octet(text, n+1, 2, 16)
}

func octalOctet(text []byte) (byte, int) {
	n := backslashes(text)
	if n == 0 {
		return 0, 0
	}
	return octet(text, n, 3, 8)
}

// octet reads the digits of a byte, which begin at at.
func octet(text []byte, at, digits, base int) (byte, int) {
	if at+digits > len(text) {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(text[at:at+digits]), base, 8)
	if err != nil {
		return 0, 0
	}
	return byte(n), at + digits
}
