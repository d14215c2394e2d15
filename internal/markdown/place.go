package markdown

import "strings"

// place says what a position of a text stands in.
type place struct {
	// fence is the mark of the block of code, "" outside of one. opener is its first line,
	// with the description and what stands before the mark.
	fence, opener string
	// header are the first two lines of the table, "" outside of one.
	header string
	// before is the line before, which may turn out to be a header.
	before string
	// mid says that the position is within a line, quote what stands before the line's text.
	mid   bool
	quote string
	// indent is how far the list is indented in which the position stands.
	indent int
	// bare says that neither code nor table can be gone on with, because their beginning does
	// not fit.
	bare bool
}

// after is the place behind a text that begins at a place.
func (p place) after(text string) place {
	first := true
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			if !first || !p.mid {
				p.quote = quoteMarks(line)
			}
			if strings.Count(p.quote, ">") > maxDepth {
				p.quote = "> "
			}
			p.mid = true
			return p
		}
		if first && p.mid {
			p.before = ""
		} else {
			p.line(strings.TrimRight(line, "\r\n"))
		}
		p.mid, p.quote, first = false, "", false
	}
	return p
}

// moved is the place at a position of a text that begins at p.
func (p place) moved(text string, c int) place {
	q := p.after(text[:c])
	q.bare = false
	begin := strings.LastIndexByte(text[:c], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	switch {
	case q.fence != "":
		q.indent = indentation(q.opener)
	case q.mid && begin == 0 && p.mid: // the same line goes on
	case q.mid:
		q.indent = contentIndent(line)
	default:
		q.indent = indentation(line)
	}
	return q
}

// line goes over a whole line.
func (p *place) line(line string) {
	quote := quoteMarks(line)
	content := strings.TrimLeft(line[len(quote):], " \t")
	before := p.before
	p.before = ""
	if p.inCode(content, quote) {
		return
	}
	if fence := opens(withoutMarker(content)); fence != "" {
		p.fence, p.header = fence, ""
		p.opener = fenceOpener(line, withoutMarker(content), fence)
		return
	}
	if p.header != "" && isRow(content) {
		return
	}
	p.header = ""
	if isDelimiterRow(content) && columns(content) == columns(before) {
		p.header = before + "\n" + line
		return
	}
	p.before = line
}

// inCode reports whether a line belongs to an open block of code, which the line may end. A
// block in a quotation ends with the quotation.
func (p *place) inCode(content, quote string) bool {
	if p.fence == "" {
		return false
	}
	left := quote == "" && quoteMarks(p.opener) != ""
	if left || closes(content, p.fence) {
		p.fence, p.opener = "", ""
	}
	return !left
}

// isRow reports whether a line below the header of a table is a row of it.
func isRow(content string) bool {
	return strings.TrimSpace(content) != "" && !strings.HasPrefix(content, "#")
}

// opening is what a part that begins here has to begin with.
func (p *place) opening(rest string) string {
	switch {
	case p.bare:
		return ""
	case p.fence != "":
		return p.opener + "\n"
	case p.mid:
		return p.quote + startEscape(rest)
	case p.header != "" && strings.TrimSpace(firstLine(rest)) != "":
		return p.header + "\n"
	}
	return ""
}

// Complete is a text without an open block of code at its end, so that another paragraph can follow it.
func Complete(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	end := place{}.after(text + "\n")
	return text + end.closing()
}

// closing is what a part that ends here has to end with.
func (p *place) closing() string {
	if p.fence == "" {
		return ""
	}
	before, _, _ := strings.Cut(p.opener, p.fence)
	return "\n" + before + p.fence
}

// fenceOpener is the line that opens a block of code again. A description that is too long
// is left out, and blanks stand for the marker of a list.
func fenceOpener(line, content, fence string) string {
	before := line[:len(line)-len(content)]
	quote := quoteMarks(before)
	info := strings.TrimSpace(content[len(fence):])
	if len([]rune(info)) > maxInfo {
		info = ""
	}
	return quote + strings.Repeat(" ", len(before)-len(quote)) + fence + info
}

// opens is the mark of a line that opens a block of code; "" for other lines.
func opens(content string) string {
	for _, mark := range [...]string{"`", "~"} {
		rest := strings.TrimLeft(content, mark)
		n := len(content) - len(rest)
		if n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return content[:n]
		}
	}
	return ""
}

// closes reports whether a line closes a block of code.
func closes(content, fence string) bool {
	content = strings.TrimRight(content, " \t\r")
	return fence != "" && len(content) >= len(fence) && strings.Trim(content, fence[:1]) == ""
}

// isDelimiterRow reports whether a line may stand below the header of a table.
func isDelimiterRow(content string) bool {
	return strings.Contains(content, "-") && strings.Trim(content, " \t|:-") == ""
}

// columns is the number of cells of a row.
func columns(row string) int {
	row = strings.TrimSpace(row[len(quoteMarks(row)):])
	if row == "" {
		return 0
	}
	row = strings.TrimPrefix(strings.ReplaceAll(row, `\|`, ""), "|")
	return strings.Count(strings.TrimSuffix(row, "|"), "|") + 1
}

// startEscape is a backslash if a text that goes on within a line would begin a block of
// another kind as the beginning of a line.
func startEscape(rest string) string {
	line := firstLine(rest)
	word, _, _ := strings.Cut(line, " ")
	switch {
	case line == "":
		return ""
	case line[0] == '>', opens(line) != "", isDelimiterRow(line):
		return `\`
	case strings.Trim(word, "#") == "" && len(word) <= 6, word == "-", word == "+", word == "*":
		return `\`
	case strings.Trim(line, "* ") == "", strings.Trim(line, "_ ") == "":
		return `\`
	}
	return ""
}
