package clientfile

import (
	"fmt"
	"strings"
)

// around is the number of unchanged lines around a difference.
const around = 3

// Diff is the change as a unified difference with one hunk; "" if nothing changes. The
// contents may hold control characters.
func (c *Change) Diff() string {
	if c.None() {
		return ""
	}
	old, changed := lines(c.Before), lines(c.After)
	head := 0
	for head < min(len(old), len(changed)) && old[head] == changed[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(changed))-head && old[len(old)-1-tail] == changed[len(changed)-1-tail] {
		tail++
	}
	first := max(0, head-around)
	last := min(tail, around)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ -%s +%s @@\n", nameIn(c.File, c.Before), nameIn(c.File, c.After),
		span(first, len(old)-tail+last), span(first, len(changed)-tail+last))
	writeLines(&b, " ", old[first:head])
	writeLines(&b, "-", old[head:len(old)-tail])
	writeLines(&b, "+", changed[head:len(changed)-tail])
	writeLines(&b, " ", old[len(old)-tail:len(old)-tail+last])
	return b.String()
}

func nameIn(file string, body []byte) string {
	if body == nil {
		return "/dev/null"
	}
	return file
}

// span is a range of lines as a hunk's header has it.
func span(from, until int) string {
	if from == until {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, until-from)
}

func writeLines(b *strings.Builder, sign string, list []string) {
	for _, line := range list {
		b.WriteString(sign + line)
		if !strings.HasSuffix(line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lines are the lines of a text with their newlines.
func lines(body []byte) []string {
	if len(body) == 0 {
		return nil
	}
	list := strings.SplitAfter(string(body), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}
