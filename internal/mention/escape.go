package mention

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLayers bounds how often a text is decoded: URLs in JSON in HTML are three layers.
const maxLayers = 8

// layer is a text after some of its escapes were decoded.
type layer struct {
	text []byte
	// from and to give the bytes of the original text that each byte comes from. They
	// are nil for the original text itself, and if the caller did not ask for places.
	from, to []int
}

// layers are the readings of a text: the text itself, and the text with its escapes
// decoded, again and again until nothing changes. The escapes are those of JSON and of
// programming languages, at any depth of nesting, HTML entities, and those of URLs.
func layers(text []byte, places bool) []layer {
	all := []layer{{text: text}}
	for len(all) <= maxLayers {
		next, changed := all[len(all)-1].decoded(places)
		if !changed {
			break
		}
		all = append(all, next)
	}
	return all
}

// decoded decodes the escapes of a layer. No escape is shorter than its character, so
// the text does not grow. Invalid UTF-8 stays unchanged. A lone octet is decoded only
// if nothing else can be decoded, because the octet before it may be encoded once more.
func (l *layer) decoded(places bool) (out layer, changed bool) {
	if out, changed = l.read(places, false); !changed {
		out, changed = l.read(places, true)
	}
	return out, changed
}

// read decodes the escapes of a layer; with lone also octets that are not UTF-8.
func (l *layer) read(places, lone bool) (out layer, changed bool) {
	copied := 0
	for at := 0; at < len(l.text); {
		if c := l.text[at]; c != '&' && c != '%' && c != '\\' {
			at++
			continue
		}
		r, second, n := unescape(l.text[at:], lone)
		if n == 0 {
			at++
			continue
		}
		if !changed {
			changed, out.text = true, make([]byte, 0, len(l.text))
		}
		out.text = append(out.text, l.text[copied:at]...)
		begin := len(out.text)
		out.text = utf8.AppendRune(out.text, r)
		if second != 0 {
			out.text = utf8.AppendRune(out.text, second)
		}
		if places {
			out.placed(l, copied, at)
			for range len(out.text) - begin {
				out.from, out.to = append(out.from, l.start(at)), append(out.to, l.end(at+n))
			}
		}
		at += n
		copied = at
	}
	if !changed {
		return out, false
	}
	out.text = append(out.text, l.text[copied:]...)
	if places {
		out.placed(l, copied, len(l.text))
	}
	return out, true
}

// placed copies the places of the bytes from start to end of the previous layer.
func (l *layer) placed(before *layer, start, end int) {
	for i := start; i < end; i++ {
		l.from, l.to = append(l.from, before.start(i)), append(l.to, before.end(i+1))
	}
}

// start is the place in the original text where the byte at i begins.
func (l *layer) start(i int) int {
	if l.from == nil {
		return i
	}
	return l.from[i]
}

// end is the place in the original text where the byte before i ends.
func (l *layer) end(i int) int {
	if l.to == nil {
		return i
	}
	return l.to[i-1]
}

// unescape decodes the escape at the start of a text and returns its length in bytes; 0
// if there is none. Some entities are two characters; second is 0 for the others. With
// lone, an octet that is not UTF-8 is decoded as Latin-1.
func unescape(rest []byte, lone bool) (r, second rune, n int) {
	switch rest[0] {
	case '&':
		return entity(rest)
	case '%':
		if r, n = octets(rest, percentOctet, lone); n == 0 {
			r, n = unicodeEscape(rest)
		}
	case '\\':
		r, n = backslash(rest, lone)
	}
	return r, 0, n
}

// maxEntity is longer than the name of any entity.
const maxEntity = 40

// entity decodes an HTML entity. The oldest entities need no semicolon, even if letters
// follow.
func entity(rest []byte) (r, second rune, n int) {
	if len(rest) > 2 && rest[1] == '#' {
		r, n = numbered(rest)
		return r, 0, n
	}
	end := 1
	for end < min(len(rest), maxEntity) && isAlphanumeric(rest[end]) {
		end++
	}
	closed := end < len(rest) && rest[end] == ';'
	if closed {
		end++
	}
	name := string(rest[:end])
	text := html.UnescapeString(name)
	if text == name {
		return 0, 0, 0
	}
	r, size := utf8.DecodeRuneInString(text)
	if closed && (text == ";" || text[len(text)-1] != ';') { // the whole name
		second, _ = utf8.DecodeRuneInString(text[size:])
		if len(text) == size {
			second = 0
		}
		return r, second, end
	}
	return r, 0, end - (len(text) - size)
}

// numbered decodes an HTML entity that gives the number of a character.
func numbered(rest []byte) (rune, int) {
	at, base := 2, uint64(10)
	if rest[at]|0x20 == 'x' {
		at, base = at+1, 16
	}
	first, number := at, uint64(0)
	for ; at < len(rest); at++ {
		digit, err := strconv.ParseUint(string(rest[at:at+1]), int(base), 8)
		if err != nil {
			break
		}
		number = min(number*base+digit, utf8.MaxRune+1)
	}
	if at == first {
		return 0, 0
	}
	r, _ := utf8.DecodeRuneInString(html.UnescapeString("&#" + strconv.FormatUint(number, 10) + ";"))
	if at < len(rest) && rest[at] == ';' {
		at++
	}
	return r, at
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// simpleEscapes maps the letter behind a backslash to its character.
var simpleEscapes = [256]rune{
	'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'b': '\b', 'a': '\a',
	'"': '"', '\'': '\'', '/': '/', '`': '`', '&': '&', '%': '%',
}

// backslash decodes an escape that begins with one or several backslashes: each level
// of nesting doubles them.
func backslash(rest []byte, lone bool) (rune, int) {
	depth := backslashes(rest)
	if depth == len(rest) {
		return nested(depth)
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
		if r, n := octets(rest, hexOctet, lone); n > 0 {
			return r, n
		}
	case '0', '1', '2', '3':
		if r, n := octets(rest, octalOctet, lone); n > 0 {
			return r, n
		}
	default:
		if r := simpleEscapes[c]; r != 0 {
			return r, depth + 1
		}
	}
	return nested(depth)
}

// nested is the text of backslashes that escape nothing: a single one stays.
func nested(depth int) (rune, int) {
	if depth == 1 {
		return 0, 0
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

// unicodeEscape decodes \uXXXX, also as a pair of surrogates, and \u{X…}. The escape
// function of JavaScript wrote %uXXXX into URLs.
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
	if len(rest) > 0 && rest[0] == '%' {
		n = 1
	}
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

// hexRune reads a hexadecimal number with the given number of digits.
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

// octets decodes a character whose bytes are escaped one by one: as UTF-8, or, if they
// are not valid UTF-8 and lone is set, the first byte as Latin-1. one decodes one byte.
func octets(rest []byte, one func([]byte) (byte, int), lone bool) (rune, int) {
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
	switch {
	case r != utf8.RuneError || size > 1:
		return r, ends[size-1]
	case lone:
		return rune(got[0]), ends[0]
	}
	return 0, 0
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

// octet reads the digits of a byte, starting at at.
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
