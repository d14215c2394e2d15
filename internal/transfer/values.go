package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/hermes-memory/hermes/internal/fault"
)

// values cuts a file into its values: the elements of a list, or the values that stand one
// behind the other. It looks at brackets, quotation marks and ends of lines only, so that a
// value that is damaged or too large is left out alone, and the next one is found.
type values struct {
	in *bufio.Reader
	// list says that the values are the elements of a list, and lines that each stands on a
	// line of its own.
	list, lines bool
	// wrapped says that the list stands in an object, of which nothing else counts; entire that
	// such an object is a value itself.
	wrapped, entire bool
	at              int64 // bytes that were read
	line            int   // the line they end in

	// The value that was read last: its bytes, as far as they are kept, where it begins, how
	// large it is, and why it cannot be one.
	raw     *bulk
	start   int64
	first   int
	size    int64
	trouble string
	// escaped says that the value has control characters that the file does not escape.
	escaped bool
}

// newValues begins to read values.
func newValues(r io.Reader, raw *bulk) *values {
	return &values{in: bufio.NewReaderSize(r, 64<<10), line: 1, raw: raw}
}

// next reads the next value, which is valid until the one after it; false at the end.
func (v *values) next() (bool, error) {
	c, err := v.begin()
	if err != nil {
		return false, ended(err)
	}
	v.start, v.first, v.size, v.trouble, v.escaped = v.at-1, v.line, 0, "", false
	v.raw.empty()
	v.keep(c)
	if c == '{' || c == '[' {
		err = v.nested()
	} else {
		err = v.word(c)
	}
	if v.size > maxConversation && v.trouble == "" {
		v.trouble = tooLarge(v.size)
	}
	return err == nil, err
}

// ended is no error for the end of a file.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// where is the place of the value that was read last.
func (v *values) where() string {
	if v.list {
		return fmt.Sprintf("byte %d", v.start)
	}
	return fmt.Sprintf("line %d", v.first)
}

// placeOf is the place of a byte of the value that was read last.
func (v *values) placeOf(byteOf int64) string {
	switch {
	case v.escaped: // a control character is longer in the value than in the file
		return "in what begins at " + v.where()
	case v.list:
		return fmt.Sprintf("byte %d", v.start+byteOf)
	}
	return fmt.Sprintf("%s, byte %d", v.where(), v.start+byteOf)
}

// read reads a byte.
func (v *values) read() (byte, error) {
	c, err := v.in.ReadByte()
	if err == nil {
		v.at++
		if c == '\n' {
			v.line++
		}
	}
	return c, err
}

// keep adds to the value, up to the size that a value may have. Of a larger one, only the
// beginning is kept, by which it is named.
func (v *values) keep(text ...byte) {
	if v.size += int64(len(text)); v.size <= maxConversation {
		_, _ = v.raw.Write(text) // who reads the value gets the error
	}
}

// begin reads up to the first byte of the next value.
func (v *values) begin() (byte, error) {
	alone := v.size > 0 && !v.list && v.first == v.line // the value before has no end of a line
	for {
		c, err := v.read()
		if err != nil {
			return 0, v.missing(err)
		}
		switch c {
		case '\n':
			v.lines = v.lines || alone
		case ' ', '\t', '\r', ',':
		case ']':
			v.list = false
			if err := v.unwrap(); err != nil {
				return 0, err
			}
		case '[':
			if v.list {
				return c, nil
			}
			v.list = true
		default:
			if v.starts(c) {
				return c, nil
			}
		}
	}
}

// starts reports whether a byte is the first one of a value. What stands before one is read.
func (v *values) starts(c byte) bool { return !v.marked(c) && !v.wraps(c) }

// marked reports whether a byte begins a byte order mark, and reads the mark. Files that were put one behind the
// other have several.
func (v *values) marked(c byte) bool {
	const mark = "\xef\xbb\xbf"
	if c != mark[0] {
		return false
	}
	rest, _ := v.in.Peek(len(mark) - 1) // an error comes again with the next read
	if string(rest) != mark[1:] {
		return false
	}
	for range rest {
		_, _ = v.read() // it was looked at
	}
	return true
}

// wrapper is the beginning of an object around a list of conversations, as interfaces and
// scripts write it: numbers and short texts, and then the list.
func wrapper() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+.\w]+)\s*,\s*)*"(?:conversations|chats|data|items|results)"\s*:\s*\[\s*(?:null\s*,\s*)*\{`)
}

// wraps reports whether a byte begins an object around the list of the file, and reads up to the
// first element.
func (v *values) wraps(c byte) bool {
	if c != '{' || v.list || v.entire || v.size > 0 {
		return false
	}
	head, _ := v.in.Peek(4 << 10) // an error comes again with the next read
	found := wrapper().Find(head)
	if bytes.Contains(found, []byte(`"id"`)) { // it may be a conversation that has such a list
		return false
	}
	for range len(found) - 1 {
		_, _ = v.read() // it was looked at
	}
	if found == nil {
		return false
	}
	v.list, v.wrapped = true, true
	return true
}

// unwrap reads the rest of an object around a list.
func (v *values) unwrap() error {
	if !v.wrapped {
		return nil
	}
	v.wrapped = false
	q := quotes{}
	for depth := 1; depth > 0; {
		c, err := v.read()
		if err != nil {
			v.list = true // it was cut off
			return v.missing(err)
		}
		if q.between(c) {
			depth += deeper(c)
		}
	}
	return nil
}

// missing is the error of a file that ends within a list.
func (v *values) missing(err error) error {
	if errors.Is(err, io.EOF) && v.list {
		return fault.New(fault.Invalid, "import_cut", fmt.Sprintf("The file ends at byte %d, before its list does: it was cut off. Get the export again.", v.at))
	}
	return err
}

// quotes tells texts from what stands between them.
type quotes struct{ within, escaped bool }

// between reports whether a byte stands between texts, and is not a quotation mark.
func (q *quotes) between(c byte) bool {
	switch {
	case q.escaped:
		q.escaped = false
	case c == '\\':
		q.escaped = q.within
	case c == '"':
		q.within = !q.within
	default:
		return !q.within
	}
	return false
}

// deeper is by how much a byte between texts changes the depth.
func deeper(c byte) int {
	switch c {
	case '{', '[':
		return 1
	case '}', ']':
		return -1
	}
	return 0
}

// nested reads an object or a list up to its last bracket.
func (v *values) nested() error {
	q := quotes{}
	for depth := 1; depth > 0; {
		if q.within && !q.escaped {
			v.plain()
		}
		c, err := v.read()
		if err != nil {
			return v.cut(err)
		}
		if c == '\n' && v.endsWithLine(&q) {
			v.trouble = "Its line ends before it does"
			return nil
		}
		if q.within && c < ' ' { // some programs do not escape these
			v.keep(fmt.Appendf(nil, `\u%04x`, c)...)
			q.escaped, v.escaped = false, true
			continue
		}
		v.keep(c)
		if q.between(c) {
			depth += deeper(c)
		}
	}
	return nil
}

// endsWithLine reports whether the end of a line is the end of a value, whole or not.
func (v *values) endsWithLine(q *quotes) bool { return !v.list && (v.lines || q.within) }

// plain takes the part of a text that is in the buffer and has nothing to look at, at once.
func (v *values) plain() {
	part, _ := v.in.Peek(v.in.Buffered()) // these bytes are there
	n := 0
	for n < len(part) && part[n] >= ' ' && part[n] != '"' && part[n] != '\\' {
		n++
	}
	v.keep(part[:n]...)
	_, _ = v.in.Discard(n)
	v.at += int64(n)
}

// cut is the error of a file that ends within a value.
func (v *values) cut(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if !v.list {
		v.trouble = "The file ends before it does"
		return nil
	}
	return fault.New(fault.Invalid, "import_cut",
		fmt.Sprintf("The file ends at byte %d, within what begins at byte %d: it was cut off. Get the export again.", v.at, v.start))
}

// word reads a value that is neither an object nor a list, or what is no value at all.
func (v *values) word(c byte) error {
	q := quotes{within: c == '"'}
	for {
		next, err := v.in.Peek(1)
		if err != nil {
			return ended(err)
		}
		if c := next[0]; c == '\n' || v.endsWord(c, &q) {
			return nil
		}
		c, _ := v.read() // it was looked at
		v.keep(c)
		q.between(c)
	}
}

// endsWord reports whether a byte stands behind an element of a list.
func (v *values) endsWord(c byte, q *quotes) bool {
	return v.list && !q.within && (c == ',' || c == ']')
}
