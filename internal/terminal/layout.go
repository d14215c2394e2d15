package terminal

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// row is one line of the screen.
type row struct {
	text  string
	width int // in columns
}

// layout breaks a text into rows of at most width columns, the first after mark, the
// others after as many blanks. It returns the row and column of the byte offset at.
func layout(mark, text string, at, width int) (rows []row, y, x int) {
	indent := displaywidth.String(mark)
	if indent > width/2 {
		mark, indent = "", 0
	}
	cur := row{text: mark, width: indent}
	var line strings.Builder
	next := func() {
		cur.text += line.String()
		rows = append(rows, cur)
		line.Reset()
		cur = row{text: strings.Repeat(" ", indent), width: indent}
	}
	for it := graphemes.FromString(text); it.Next(); {
		shown, wide := visible(it.Value())
		if cur.width+wide > width && it.Value() != "\n" {
			next()
		}
		if it.Start() == at {
			y, x = len(rows), cur.width
		}
		if it.Value() == "\n" {
			next()
			continue
		}
		line.WriteString(shown)
		cur.width += wide
	}
	if at >= len(text) {
		if cur.width >= width { // the cursor needs a column, too
			next()
		}
		y, x = len(rows), cur.width
	}
	next()
	return rows, y, x
}

// visible is the visible form of an input character, with its width.
func visible(char string) (string, int) {
	switch char {
	case "\n":
		return "", 0
	case "\t":
		return "    ", 4
	}
	shown := Clean(char)
	return shown, max(displaywidth.String(shown), 1)
}

// clip cuts a line to a number of columns, between words unless that would remove more
// than half of it.
func clip(text string, width int) string {
	if displaywidth.String(text) <= width {
		return text
	}
	cut := displaywidth.TruncateString(text, max(width-1, 0), "")
	if !strings.HasPrefix(text[len(cut):], " ") {
		if at := strings.LastIndexByte(cut, ' '); displaywidth.String(cut[:max(at, 0)]) >= width/2 {
			cut = cut[:at]
		}
	}
	return strings.TrimRight(cut, " ") + "…"
}

// Columns is the width of a clean text in columns.
func Columns(text string) int { return displaywidth.String(text) }
