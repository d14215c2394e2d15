package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// runeStart is the first position from at on where a character begins, or the end of the
// text.
func runeStart(s string, at int) int {
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return min(at, len(s))
}

// maxInfo is the longest description of a code block, in characters, that is repeated
// where the block goes on in another part.
const maxInfo = 20

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(line, "\r")
}

// lastLine is the text of the last line, without the marks of a quote.
func lastLine(s string) string {
	line := s[strings.LastIndexByte(s, '\n')+1:]
	return strings.TrimLeft(line[len(quoteMarks(line)):], " \t")
}

// quoteMarks is what makes a quote of a line: its beginning up to the text.
func quoteMarks(line string) string {
	end := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
		case '>':
			end = i + 1
			if end < len(line) && line[end] == ' ' {
				end++
			}
		default:
			return line[:end]
		}
	}
	return line[:end]
}

// indentation is the width of the blanks before a line; a tab reaches to the next multiple
// of four.
func indentation(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// contentIndent is how far the text of a line is indented, behind the marker of a list.
func contentIndent(line string) int {
	n := indentation(line)
	content := strings.TrimLeft(line, " \t")
	return n + len(content) - len(withoutMarker(content))
}

// withoutMarker is a line without the markers of list items.
func withoutMarker(content string) string {
	for range maxDepth {
		rest := strings.TrimLeft(content, "0123456789")
		if rest == "" || !marksItem(rest[0], len(content)-len(rest)) {
			return content
		}
		text := strings.TrimLeft(rest[1:], " ")
		if blanks := len(rest) - 1 - len(text); blanks == 0 || blanks > 4 {
			return content
		}
		content = text
	}
	return content
}

// marksItem reports whether a character behind some digits makes an item of a list.
func marksItem(mark byte, digits int) bool {
	marks := ".)"
	if digits == 0 {
		marks = "-*+"
	}
	return digits < 10 && strings.IndexByte(marks, mark) >= 0
}

// dedent takes an indentation from the lines of a text, until a line has less. A number of
// lines at the beginning may have less.
func dedent(text string, indent, exempt int) string {
	if indent == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		has := indentation(line)
		if strings.TrimSpace(line) != "" && has < indent && exempt <= 0 {
			indent = 0
		}
		exempt--
		b.WriteString(unindented(line, indent))
	}
	return b.String()
}

// unindented is a line without the first columns of its indentation.
func unindented(line string, columns int) string {
	n := 0
	for i := range len(line) {
		if n >= columns || line[i] != ' ' && line[i] != '\t' {
			return strings.Repeat(" ", max(n-columns, 0)) + line[i:]
		}
		n += 1
		if line[i] == '\t' {
			n += 3 - (n-1)%4
		}
	}
	return ""
}

// firstCharacter is the length of the first character, a grapheme cluster.
func firstCharacter(s string) int {
	if it := graphemes.FromString(s); it.Next() {
		return it.End()
	}
	return len(s)
}
