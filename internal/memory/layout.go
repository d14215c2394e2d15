package memory

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// isLayout reports whether a sentence only arranges a text in Markdown: a title, a row of a table, or data. A row says
// something only together with the head of its table, and a fact quotes one place.
func isLayout(text string, at int) bool {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	line = strings.TrimSpace(line)
	return isTitle(line) || isTableRow(text, from, line) || isData(text[:from], line)
}

// isTitle reports whether a line is a title in Markdown: it begins with "#", or all of it is bold or in italics.
// A line that ends as a sentence does is a statement with emphasis.
func isTitle(line string) bool {
	if strings.HasPrefix(line, "#") {
		return true
	}
	line = strings.TrimSuffix(line, ":")
	inside := strings.Trim(line, line[:min(1, len(line))])
	mark, end, closed := strings.Cut(line, inside)
	if !closed || mark != end || !slices.Contains(emphases[:], mark) || strings.Contains(inside, mark) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(inside)
	return !strings.ContainsRune(".!?。！？", last)
}

// emphases are the marks before and behind what is bold, in italics, or both.
var emphases = [...]string{"*", "**", "***", "_", "__", "___"}

// isTableRow reports whether the line of a text that begins at from belongs to a table: it stands between two bars,
// or has bars and stands in a paragraph with a row of hyphens and bars.
func isTableRow(text string, from int, line string) bool {
	if strings.Count(line, "|") == 0 {
		return false
	}
	if len(line) > 1 && line[0] == '|' && line[len(line)-1] == '|' {
		return true
	}
	start := strings.LastIndex(text[:from], "\n\n") + 1
	paragraph, _, _ := strings.Cut(strings.TrimLeft(text[start:], "\n"), "\n\n")
	for row := range strings.Lines(paragraph) {
		if row = strings.TrimSpace(row); strings.Contains(row, "|") && strings.Contains(row, "-") && strings.Trim(row, "|-: ") == "" {
			return true
		}
	}
	return false
}

// isData reports whether a line is JSON: an object, a list, a member of an object, or a text of a list. What stands
// before the line tells a text of a list from a quotation.
func isData(before, line string) bool {
	line = strings.TrimSuffix(line, ",")
	if strings.HasPrefix(line, `"`) {
		before = strings.TrimSpace(before)
		if listed := strings.HasSuffix(before, "[") || strings.HasSuffix(before, `",`); listed && json.Valid([]byte(line)) {
			return true
		}
		for _, end := range [...]string{"}", "}}", "]}"} { // what a member opens may be closed further below
			if json.Valid([]byte("{" + line + end)) {
				return true
			}
		}
		return false
	}
	opens := strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[")
	return opens && json.Valid([]byte(line))
}
