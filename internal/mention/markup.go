package mention

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Markup is what a text is written with and a reader does not see: tags of HTML,
// sequences that control a terminal, the soft line breaks of mail, the targets of links.
// A word may stand on both sides of it, and so may two words.

// maxMarkup is how many bytes one piece of markup has at most. It bounds the search for
// the end of a piece.
const maxMarkup = 512

// markup is how many bytes of markup a text begins with; 0 for none.
func markup(text []byte) int {
	switch text[0] {
	case '<':
		return tag(text)
	case '=':
		return softBreak(text)
	case ']':
		return linkTarget(text)
	case 0x1b:
		return 1 + control(text[1:])
	case 0xc2: // the first byte of U+009B, which is ESC [ in one character
		if len(text) > 1 && text[1] == 0x9b {
			return 2 + parameters(text[2:])
		}
	}
	return 0
}

// tag reads a tag or a comment of HTML.
func tag(text []byte) int {
	if bytes.HasPrefix(text, []byte("<!--")) {
		if end := bytes.Index(text[:min(len(text), maxMarkup)], []byte("-->")); end > 0 {
			return end + len("-->")
		}
		return 0
	}
	name := 1
	if len(text) > 1 && text[1] == '/' {
		name = 2
	}
	if len(text) <= name || text[name]|0x20 < 'a' || text[name]|0x20 > 'z' {
		return 0
	}
	return closedBy(text, name, '>', "<")
}

// linkTarget reads the end of a link in Markdown: the bracket and the target.
func linkTarget(text []byte) int {
	if len(text) < 2 || text[1] != '(' {
		return 0
	}
	return closedBy(text, 2, ')', "(]\n")
}

// closedBy is the length of a piece that a byte closes; 0 if one of the others comes
// first.
func closedBy(text []byte, from int, closing byte, others string) int {
	for at := from; at < min(len(text), maxMarkup); at++ {
		switch c := text[at]; {
		case c == closing:
			return at + 1
		case bytes.IndexByte([]byte(others), c) >= 0:
			return 0
		}
	}
	return 0
}

// softBreak reads the line break of quoted-printable text that belongs to no line.
func softBreak(text []byte) int {
	at := 1
	for at < len(text) && at < maxMarkup && strings.IndexByte(" \t\r", text[at]) >= 0 {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		return at + 1
	}
	return 0
}

// control reads what follows an ESC.
func control(text []byte) int {
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '[':
		return 1 + parameters(text[1:])
	case bytes.IndexByte([]byte("]PX^_"), text[0]) >= 0: // a string, such as the target of a link
		for at := 1; at < min(len(text), maxMarkup); at++ {
			switch {
			case text[at] == 0x07:
				return at + 1
			case text[at] == 0x1b:
				return at + len("\x1b\\")*endsString(text[at:])
			}
		}
	}
	return 0
}

// endsString is 1 if a text begins with the terminator of a control string.
func endsString(text []byte) int {
	if bytes.HasPrefix(text, []byte("\x1b\\")) {
		return 1
	}
	return 0
}

// parameters reads the numbers and the final letter of a control sequence.
func parameters(text []byte) int {
	for at := range min(len(text), maxMarkup) {
		switch c := text[at]; {
		case c >= 0x40 && c < utf8.RuneSelf:
			return at + 1
		case c < 0x20 || c >= utf8.RuneSelf:
			return 0
		}
	}
	return 0
}
