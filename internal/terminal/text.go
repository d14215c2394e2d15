package terminal

import (
	"io"
	"strings"
)

// breaker writes clean text to a terminal and breaks long lines between words, where
// the terminal would break within a word.
type breaker struct {
	to     *Terminal
	w      wrapper
	inLine bool   // the last write did not end its line
	blanks string // the blanks at the start of a line, before any other text
}

// Write implements io.Writer.
func (c *breaker) Write(p []byte) (int, error) {
	var out strings.Builder
	c.w.out, c.w.width = &out, c.to.Width()-1
	for line := range strings.Lines(string(p)) {
		c.add(line)
	}
	_, err := io.WriteString(c.to, out.String())
	return len(p), err
}

// add writes a line or a part of one. Continuation lines have the same indentation.
func (c *breaker) add(line string) {
	text, ended := strings.CutSuffix(line, "\n")
	if !c.inLine {
		text, c.blanks = c.blanks+text, ""
		if !ended && strings.Trim(text, " ") == "" {
			c.blanks = text
			return
		}
		text = c.start(text)
	}
	c.w.add(text, 0)
	if c.inLine = !ended; ended {
		c.w.finish()
		return
	}
	c.w.flush()
	c.w.begin()
	if c.w.col+c.w.blanks < c.w.width {
		c.w.print(strings.Repeat(" ", c.w.blanks))
		c.w.col += c.w.blanks
		c.w.blanks = 0
	}
}

// start begins a line with its indentation, and returns the rest of it.
func (c *breaker) start(text string) string {
	rest := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(rest)]
	if rest == "" || len(indent) > c.w.width/2 {
		indent = ""
	}
	c.w.start(indent, indent)
	return rest
}
