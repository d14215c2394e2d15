package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineWriter writes the text of a block in a dialect.
type lineWriter struct {
	d Dialect
	b strings.Builder
	// open are the formats that are open, the innermost last.
	open []format
	// last is the last character written; 0 at the beginning. opened and closed say that it
	// belongs to a mark that opens or closes a format.
	last           rune
	opened, closed bool
}

// marks are the marks of a format in a dialect, before and behind.
func (d Dialect) marks(f format) (string, string) {
	i := 0
	switch f {
	case italic:
		i = 1
	case struck:
		i = 2
	}
	switch d {
	case TelegramHTML:
		tag := [...]string{"b", "i", "s"}[i]
		return "<" + tag + ">", "</" + tag + ">"
	case DiscordMarkdown:
		mark := [...]string{"**", "*", "~~"}[i]
		return mark, mark
	case SlackMrkdwn, WhatsAppText:
		mark := [...]string{"*", "_", "~"}[i]
		return mark, mark
	}
	return "", ""
}

// marker reports whether a dialect has marks that are characters of the text.
func (d Dialect) marker() bool { return d != Plain && d != TelegramHTML }

// perLine reports whether a format of a dialect ends with its line.
func (d Dialect) perLine() bool { return d == SlackMrkdwn || d == WhatsAppText }

// to closes and opens formats, so that these are open.
func (w *lineWriter) to(form format) {
	w.end(form)
	for _, f := range [...]format{bold, italic, struck} {
		if form&f == 0 || w.opens()&f != 0 {
			continue
		}
		mark, _ := w.d.marks(f)
		w.part(mark)
		w.b.WriteString(mark)
		w.open = append(w.open, f)
		w.wrote(mark)
		w.opened = mark != ""
	}
}

// end closes formats, from the innermost on, until none is open but these.
func (w *lineWriter) end(form format) {
	for len(w.open) > 0 && w.opens()&^form != 0 {
		n := len(w.open) - 1
		_, mark := w.d.marks(w.open[n])
		w.b.WriteString(mark)
		w.open = w.open[:n]
		w.wrote(mark)
		w.closed = mark != ""
	}
}

// opens is the set of the open formats.
func (w *lineWriter) opens() format {
	var all format
	for _, f := range w.open {
		all |= f
	}
	return all
}

// wrote remembers the end of what was written.
func (w *lineWriter) wrote(s string) {
	if s != "" {
		w.last, _ = utf8.DecodeLastRuneInString(s)
		w.opened, w.closed = false, false
	}
}

// part separates a mark that opens a format from a word before it, where the mark would
// not count, and from a mark that closes one.
func (w *lineWriter) part(mark string) {
	if mark == "" || w.opened || w.last == 0 {
		return
	}
	if w.d.marker() && (w.closed || w.d.perLine() && touches(w.last, `([{"'`)) {
		w.b.WriteString(zeroWidth)
		w.wrote(zeroWidth)
	}
}

// touches reports whether a character is part of a word next to a mark, where the mark would
// not count: no blank, and none of some marks.
func touches(r rune, marks string) bool {
	return !unicode.IsSpace(r) && !strings.ContainsRune(marks, r)
}

// span writes a span that belongs to no link.
func (w *lineWriter) span(s span) {
	form := s.form
	if form&monospace != 0 && w.d != Plain {
		w.code(s)
		return
	}
	form &^= monospace
	for _, line := range strings.SplitAfter(s.text, "\n") {
		text, ended := strings.CutSuffix(line, "\n")
		if text != "" {
			w.to(form)
			w.text(text)
		}
		if ended { // a mark that closes stands on the line of its text
			if w.d.perLine() {
				w.end(0)
			}
			w.end(form)
			w.raw("\n")
		}
	}
}

// raw writes what is no text of the block.
func (w *lineWriter) raw(s string) {
	w.b.WriteString(s)
	w.wrote(s)
}

// text writes text of one line.
func (w *lineWriter) text(s string) {
	first, _ := utf8.DecodeRuneInString(s)
	if w.closed && w.d.perLine() && touches(first, `.,;:!?)]}"'`) {
		w.raw(zeroWidth)
	}
	atStart := w.last == 0 || w.last == '\n'
	switch w.d {
	case TelegramHTML:
		w.b.WriteString(escape(s))
	case DiscordMarkdown:
		escapeDiscord(&w.b, s, atStart)
	case SlackMrkdwn:
		w.b.WriteString(unquoted(s, atStart) + escape(defused(s, w.last)))
	case WhatsAppText:
		w.b.WriteString(unquoted(s, atStart) + defused(s, w.last))
	default:
		w.b.WriteString(s)
	}
	w.wrote(s)
}

// unquoted is what stands before a text that would begin a quotation at the start of a line.
func unquoted(s string, atStart bool) string {
	if atStart && strings.HasPrefix(strings.TrimLeft(s, " "), ">") {
		return zeroWidth
	}
	return ""
}

// code writes a code span. In Telegram it has no other format. Where a span cannot hold a
// backtick, the span is text.
func (w *lineWriter) code(s span) {
	ticks := strings.Contains(s.text, "`")
	switch {
	case w.d == TelegramHTML:
		w.to(0)
		w.raw("<code>" + escape(s.text) + "</code>")
		return
	case ticks && w.d != DiscordMarkdown:
		w.to(s.form &^ monospace)
		w.text(s.text)
		return
	}
	w.to(s.form &^ monospace)
	mark, text := "`", s.text
	if ticks {
		mark, text = "``", " "+withoutPairs(text)+" "
	}
	if w.d == SlackMrkdwn {
		text = escape(text)
	}
	w.part(mark)
	w.raw(mark + text + mark)
	w.closed = true
}

// withoutPairs separates the backticks of a text, so that no two follow each other.
func withoutPairs(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "``", "`"+zeroWidth+"`"), "``", "`"+zeroWidth+"`")
}
