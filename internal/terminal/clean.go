package terminal

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// Clean makes a text of any origin safe to show: it cannot move the cursor, change the
// title, write to the clipboard, answer for the user, or look like other text. Line
// feeds and tabs stay; carriage returns are dropped. Other control characters, and
// marks that change the writing direction, are made visible. Invisible characters stay
// where scripts need them: in joined emoji, and between letters of joining scripts.
// Elsewhere they may hide something, and a symbol replaces them.
func Clean(text string) string { return markdown.Clean(text) }

// OneLine is Clean on one line, for titles and cells of tables: no text can look like
// the next row.
func OneLine(text string) string { return Clean(strings.Join(strings.Fields(text), " ")) }

// Doubtful reports whether Clean may replace a character.
func Doubtful(r rune) bool { return markdown.Doubtful(r) }

// cleaner cleans a text in pieces.
type cleaner struct{ last rune }

func (c *cleaner) clean(text string) string {
	if text == "" {
		return text
	}
	if !strings.ContainsFunc(text, Doubtful) && utf8.ValidString(text) {
		c.last, _ = utf8.DecodeLastRuneInString(text)
		return text
	}
	return strings.Map(func(r rune) rune {
		shown := markdown.Visible(c.last, r)
		c.last = r
		return shown
	}, text)
}

// Writer writes text of any origin, cleaned, to a terminal or to an output that may
// lead to one. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	out  io.Writer
	c    cleaner
	rest []byte // an incomplete character
}

// NewWriter returns a writer in front of another.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, p...)
	whole := len(text) - unfinished(text)
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.out, w.c.clean(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Painted writes a text that is clean except for the sequences of a Style.
func (w *Writer) Painted(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.out, text)
	return err
}

// unfinished is the length of an incomplete character at the end of a text.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
