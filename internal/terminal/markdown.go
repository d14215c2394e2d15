package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Markdown renders an answer while it streams: words appear as they arrive, a line of
// code and a table once they are complete. Shown text is never changed, so the
// terminal's scrollback stays valid. Control characters are made visible. Without
// styles, the Markdown marks stay, and only lines are broken.
type Markdown struct {
	w     wrapper
	style Style
	clean cleaner
	// pending is the part of the current line that is not shown yet.
	pending string
	// inText says that the kind of the line is known and its words are being shown.
	// look is their style, last the character before pending.
	inText bool
	look   Attr
	last   rune
	// fence is the mark that closes the current code block.
	fence string
	table []string
	shown bool // anything yet
}

// maxTable bounds the rows of a table; further rows begin a new table.
const maxTable = 200

// NewMarkdown returns a renderer for a width in columns.
func NewMarkdown(out io.Writer, style Style, width int) *Markdown {
	return &Markdown{style: style, w: wrapper{out: out, style: style, width: min(max(width-1, minWidth), maxWidth)}}
}

// WriteString renders the next piece of the text.
func (m *Markdown) WriteString(text string) {
	m.pending += m.clean.clean(text)
	m.advance(false)
}

// Close shows the remaining text. The cursor is then at the start of a line.
func (m *Markdown) Close() {
	m.advance(true)
	m.endTable()
	m.fence = ""
}

func (m *Markdown) advance(final bool) {
	for {
		line, rest, whole := strings.Cut(m.pending, "\n")
		if m.inText {
			n := m.words(line, whole || final)
			switch {
			case whole:
				m.w.finish()
				m.inText, m.pending = false, rest
				continue
			case final:
				m.w.finish()
				m.inText, m.pending = false, ""
			default:
				m.pending = m.pending[n:]
			}
			return
		}
		if !whole && m.waits(line, final) {
			return
		}
		if n := m.begin(line, whole || final); m.inText {
			m.pending = m.pending[n:]
			continue
		}
		m.pending = rest
	}
}

// waits reports whether more of a line is needed to show it.
func (m *Markdown) waits(line string, final bool) bool {
	return line == "" || !final && (m.fence != "" || undecided(line))
}

// words shows the unambiguous part of a line and returns its length.
func (m *Markdown) words(line string, whole bool) int {
	n := len(line)
	if m.style.rich {
		n = inline(line, m.look, m.last, whole, m.w.add)
	} else {
		m.w.add(line, 0)
	}
	if n > 0 {
		m.last, _ = utf8.DecodeLastRuneInString(line[:n])
	}
	return n
}

// begin determines the kind of a line. It shows lines that are rendered as a whole. For
// other lines it sets inText and returns the length of their mark.
func (m *Markdown) begin(line string, whole bool) int {
	trimmed := strings.TrimLeft(line, " \t")
	if m.fence != "" {
		m.codeLine(line)
		return 0
	}
	if whole && strings.HasPrefix(trimmed, "|") {
		m.table = append(m.table, trimmed)
		if len(m.table) == maxTable {
			m.endTable()
		}
		return 0
	}
	m.endTable()
	switch {
	case trimmed == "":
		if m.shown {
			m.w.print("\n")
		}
		return 0
	case whole && isFence(trimmed):
		m.openFence(trimmed)
		return 0
	case whole && isRule(trimmed):
		m.shown = true
		m.rule(trimmed)
		return 0
	}
	return m.beginText(line, trimmed)
}

// beginText finds the mark of a heading, a quotation or a list item; plain text has
// none.
func (m *Markdown) beginText(line, trimmed string) int {
	m.inText, m.look, m.last, m.shown = true, 0, ' ', true
	indent := min(len(line)-len(trimmed), m.w.width/3)
	blanks := strings.Repeat(" ", indent)
	size := len(line) - len(trimmed)
	mark, shown, look := marker(trimmed)
	if displaywidth.String(shown) > m.w.width/2 {
		mark, shown = "", ""
	}
	m.look = look
	if !m.style.rich && len(mark) <= m.w.width/2 {
		shown = mark
	} else if !m.style.rich {
		mark, shown = "", ""
	}
	hang := blanks + strings.Repeat(" ", displaywidth.String(shown))
	if strings.HasPrefix(mark, ">") {
		hang = blanks + shown
	}
	if displaywidth.String(hang) > m.w.width/2 {
		blanks, hang = "", ""
	}
	m.w.start(blanks+shown, hang)
	return size + len(mark)
}

// marker is the mark at the start of a line, its visible form, and the style of the
// following words.
func marker(line string) (mark, shown string, look Attr) {
	switch c := line[0]; {
	case c == '#':
		if n := run(line, '#'); n <= 6 && strings.HasPrefix(line[n:], " ") {
			look := Bold
			if n <= 2 {
				look |= Underline
			}
			return line[:n+1], "", look
		}
	case c == '>':
		n := quoteSigns(line)
		return line[:n], strings.Repeat("│ ", min(strings.Count(line[:n], ">"), maxDepth)), Italic
	case strings.IndexByte("-*+", c) >= 0 && strings.HasPrefix(line[1:], " "):
		return line[:2], "• ", 0
	default:
		if n := digits(line); n > 0 && n <= maxDigits && numbers(line[n:]) {
			return line[:n+2], line[:n+2], 0
		}
	}
	return "", "", 0
}

// quoteSigns is the length of the quotation marks ">" at the start of a line.
func quoteSigns(line string) int {
	n := 1
	for n < len(line) && (line[n] == '>' || line[n] == ' ' && n < maxDepth) {
		n++
	}
	return n
}

// numbers reports whether the text after digits makes them the number of a list item.
func numbers(rest string) bool { return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ") }

const (
	maxDepth  = 4 // of nested quotations
	maxDigits = 9 // of a list item's number
)

func digits(line string) int {
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	return n
}

// undecided reports whether the beginning of a line is still ambiguous, or of a kind
// that is rendered as a whole.
func undecided(line string) bool {
	trimmed := strings.TrimLeft(line, " \t")
	if trimmed == "" {
		return true
	}
	switch c := trimmed[0]; c {
	case '|':
		return true
	case '#':
		return run(trimmed, c) == len(trimmed) && len(trimmed) <= 6
	case '`', '~':
		n := run(trimmed, c)
		return n == len(trimmed) || n >= 3
	case '>':
		return strings.Trim(trimmed, "> ") == ""
	case '-', '*', '+', '_':
		return strings.Trim(trimmed, string(c)+" ") == "" // an item, a rule, or emphasis
	default:
		n := digits(trimmed)
		return n > 0 && n <= maxDigits && len(trimmed) < n+2
	}
}

// isFence reports whether a line opens or closes a code block. A fence of backquotes
// has no backquote after it: that would be inline code.
func isFence(line string) bool {
	for _, c := range []byte("`~") {
		if n := run(line, c); n >= 3 {
			return c == '~' || !strings.ContainsRune(line[n:], '`')
		}
	}
	return false
}

func (m *Markdown) openFence(line string) {
	n := run(line, line[0])
	m.fence, m.shown = line[:n], true
	if !m.style.rich {
		m.w.print(line + "\n")
	} else if info := strings.TrimSpace(line[n:]); info != "" {
		m.w.print(m.style.Paint(Dim, "  "+clip(info, m.w.width-2)) + "\n")
	}
}

// codeLine shows a line of code unchanged. The terminal breaks a long line, so that
// copying it gives the original line.
func (m *Markdown) codeLine(line string) {
	trimmed := strings.TrimSpace(line)
	if n := run(trimmed, m.fence[0]); n >= len(m.fence) && n == len(trimmed) {
		m.fence = ""
		if !m.style.rich {
			m.w.print(line + "\n")
		}
		return
	}
	line = strings.ReplaceAll(line, "\t", "    ")
	if !m.style.rich {
		m.w.print(line + "\n")
		return
	}
	m.w.print("  " + m.style.Paint(Code, line) + "\n")
}

func isRule(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.IndexByte("-*_", line[0]) >= 0 && run(line, line[0]) == len(line)
}

func (m *Markdown) rule(line string) {
	if !m.style.rich {
		m.w.print(clip(line, m.w.width) + "\n")
		return
	}
	m.w.print(fmt.Sprintln(m.style.Paint(Dim, strings.Repeat("─", min(m.w.width, 40)))))
}
