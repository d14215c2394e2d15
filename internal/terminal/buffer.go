package terminal

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// buffer is a text with a cursor.
type buffer struct {
	text string
	at   int // in bytes, between two characters
}

func (b *buffer) set(text string) { b.text, b.at = text, len(text) }

func (b *buffer) insert(text string) {
	b.text = b.text[:b.at] + text + b.text[b.at:]
	b.at += len(text)
}

// before and after are the positions one character to the left and right of the cursor.
// A grapheme cluster counts as one character.
func (b *buffer) before() int {
	line := b.lineStart()
	if b.at == line {
		return max(b.at-1, 0) // the line feed
	}
	last := line
	for it := graphemes.FromString(b.text[line:b.at]); it.Next(); {
		last = line + it.Start()
	}
	return last
}

func (b *buffer) after() int {
	if it := graphemes.FromString(b.text[b.at:]); it.Next() {
		return b.at + it.End()
	}
	return b.at
}

func (b *buffer) lineStart() int { return strings.LastIndexByte(b.text[:b.at], '\n') + 1 }

func (b *buffer) lineEnd() int {
	if n := strings.IndexByte(b.text[b.at:], '\n'); n >= 0 {
		return b.at + n
	}
	return len(b.text)
}

// wordLeft and wordRight are the positions of the next word boundaries.
func (b *buffer) wordLeft() int {
	head := strings.TrimRightFunc(b.text[:b.at], notWord)
	return len(strings.TrimRightFunc(head, isWord))
}

func (b *buffer) wordRight() int {
	tail := strings.TrimLeftFunc(b.text[b.at:], notWord)
	return len(b.text) - len(strings.TrimLeftFunc(tail, isWord))
}

func isWord(r rune) bool  { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
func notWord(r rune) bool { return !isWord(r) }

// cut removes the text between the cursor and a position, and returns it.
func (b *buffer) cut(to int) string {
	from := b.at
	if from > to {
		from, to = to, from
	}
	gone := b.text[from:to]
	b.text, b.at = b.text[:from]+b.text[to:], from
	return gone
}

// vertical moves the cursor one line up or down, to the same column if possible. It
// reports whether there is such a line.
func (b *buffer) vertical(down bool) bool {
	start := b.lineStart()
	column := len([]rune(b.text[start:b.at]))
	var line string
	if down {
		end := b.lineEnd()
		if end == len(b.text) {
			return false
		}
		start = end + 1
	} else {
		if start == 0 {
			return false
		}
		start = strings.LastIndexByte(b.text[:start-1], '\n') + 1
	}
	line, _, _ = strings.Cut(b.text[start:], "\n")
	b.at = start + len(string([]rune(line)[:min(column, len([]rune(line)))]))
	return true
}

// edit applies a key to the text, and reports whether the key has a meaning. killed is
// the last cut text.
func (b *buffer) edit(k key, killed *string) bool {
	switch k.code {
	case keyText:
		b.insert(k.text)
	case keyPaste:
		b.insert(k.text)
	case keyNewline:
		b.insert("\n")
	case keyLeft:
		b.at = b.before()
	case keyRight:
		b.at = b.after()
	case keyWordLeft:
		b.at = b.wordLeft()
	case keyWordRight:
		b.at = b.wordRight()
	case keyHome:
		b.at = b.lineStart()
	case keyEnd:
		b.at = b.lineEnd()
	case keyBackspace:
		b.cut(b.before())
	case keyDelete:
		b.cut(b.after())
	case keyKillEnd:
		*killed = b.cut(b.lineEnd())
	case keyKillStart:
		*killed = b.cut(b.lineStart())
	case keyKillWord:
		*killed = b.cut(b.wordLeft())
	case keyKillNextWord:
		*killed = b.cut(b.wordRight())
	case keyYank:
		b.insert(*killed)
	default:
		return false
	}
	return true
}
