package run

import (
	"strings"

	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/compression"
)

const (
	drawnHead   = "Earlier in this session the user said, in order (beginnings; ~ marks what a model drew from a message's own words):\n"
	summaryHead = "Earlier in this session the user said, in order (beginnings):\n"
)

// headOf is the line before a summary.
func headOf(summary string) string {
	if strings.HasPrefix(summary, compression.DrawnLine) || strings.Contains(summary, "\n"+compression.DrawnLine) {
		return drawnHead
	}
	return summaryHead
}

// showSummary renders the newest lines of a summary that fit, each as quoted data, and
// counts their tokens.
func showSummary(summary string, room int, count func(string) int) (text string, tokens int) {
	if summary == "" {
		return "", 0
	}
	head := headOf(summary)
	if tokens = count(head); tokens > room {
		return "", 0
	}
	lines := strings.Split(summary, "\n")
	first := len(lines)
	for ; first > 0; first-- {
		line := citeLine(lines[first-1])
		size := count(line)
		if tokens+size > room {
			break
		}
		tokens += size
		lines[first-1] = line
	}
	if first == len(lines) {
		return "", 0
	}
	return head + strings.Join(lines[first:], ""), tokens
}

// citeLine is a line of a summary in the form for a model. This program writes the mark
// at its start; a line without the mark comes from elsewhere.
func citeLine(line string) string {
	mark, words := line[:min(len(line), len(compression.QuotedLine))], ""
	if mark == compression.QuotedLine || mark == compression.DrawnLine {
		words = line[len(mark):]
	} else {
		mark, words = compression.QuotedLine, line
	}
	return mark + cite.Quoted(words) + "\n"
}
