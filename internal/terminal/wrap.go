package terminal

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// wrapper wraps words to lines of a width. It never changes printed text.
type wrapper struct {
	out   io.Writer
	style Style
	width int
	// first is the prefix of the first line, hang that of the others.
	first, hang string

	begun  bool // the line has its prefix
	col    int
	indent int // columns of the line's prefix
	blanks int // before the next word
	word   []piece
	wide   int   // columns of word
	widths []int // of the finished lines
}

// piece is a text with one style.
type piece struct {
	text string
	attr Attr
}

// start begins a block with its prefixes.
func (w *wrapper) start(first, hang string) {
	w.first, w.hang, w.begun, w.col, w.blanks = first, hang, false, 0, 0
}

// add adds a text. A blank separates words in any case: together with a combining mark,
// Unicode treats it as one character, but the two may arrive separately.
func (w *wrapper) add(text string, attr Attr) {
	for text != "" {
		n := strings.IndexAny(text, " \t\n")
		if n == 0 {
			w.flush()
			w.blanks++
			text = text[1:]
			continue
		}
		if n < 0 {
			n = len(text)
		}
		w.addWord(text[:n], attr)
		text = text[n:]
	}
}

// addWord adds a text without blanks. A line may break anywhere between wide
// characters.
func (w *wrapper) addWord(text string, attr Attr) {
	for it := graphemes.FromString(text); it.Next(); {
		char := it.Value()
		n := displaywidth.String(char)
		if n > 1 || w.wide+n > w.room() {
			w.flush()
		}
		w.append(char, attr)
		w.wide += n
		if n > 1 {
			w.flush()
		}
	}
}

// room is the width of a line without its prefix.
func (w *wrapper) room() int {
	return max(w.width-max(displaywidth.String(w.first), displaywidth.String(w.hang)), 1)
}

func (w *wrapper) append(char string, attr Attr) {
	if n := len(w.word); n > 0 && w.word[n-1].attr == attr {
		w.word[n-1].text += char
		return
	}
	w.word = append(w.word, piece{char, attr})
}

// flush writes the current word.
func (w *wrapper) flush() {
	if len(w.word) == 0 {
		return
	}
	w.begin()
	if w.col > w.indent && w.col+w.blanks+w.wide > w.width {
		w.end()
		w.begin()
	} else if w.col+w.blanks+w.wide <= w.width {
		w.print(strings.Repeat(" ", w.blanks))
		w.col += w.blanks
	}
	for _, p := range w.word {
		w.print(w.style.Paint(p.attr, p.text))
	}
	w.col += w.wide
	w.word, w.wide, w.blanks = w.word[:0], 0, 0
}

// begin prints the prefix of a line.
func (w *wrapper) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.print(w.style.Paint(Dim, w.first))
	w.indent = displaywidth.String(w.first)
	w.col = w.indent
	w.first = w.hang
}

// end ends the line.
func (w *wrapper) end() {
	w.print("\n")
	w.widths = append(w.widths, w.col)
	w.begun, w.col, w.blanks = false, 0, 0
}

// finish writes the remaining text and ends the line.
func (w *wrapper) finish() {
	w.flush()
	w.begin()
	w.end()
	w.widths = w.widths[:0]
}

// print writes text. A lost terminal shows in the next read.
func (w *wrapper) print(text string) {
	if text != "" {
		_, _ = io.WriteString(w.out, text)
	}
}
