package main

import (
	"regexp"
	"strconv"
	"strings"
)

// blockLine is one quote in the block of the state, as a model is shown it.
type blockLine struct {
	ID      string `json:"id"` // of the message
	Text    string `json:"text"`
	Section string `json:"section"`
	// Former says that the line shows it as an earlier value, Doubtful that it is marked
	// as perhaps outdated.
	Former   bool `json:"former,omitempty"`
	Doubtful bool `json:"doubtful,omitempty"`
}

// current reports whether the line is shown as something that holds.
func (l *blockLine) current() bool { return !l.Former && !l.Doubtful }

const (
	blockHeadWords = "What is known from earlier messages" // of the first row
	doubtWords     = "perhaps outdated"
	arrow          = "→"
)

// blockToken is what counts in a row: the number of a message, a quote, or the arrow from
// an earlier value to the present one.
var blockToken = regexp.MustCompile(`#(\d+)|"((?:[^"\\]|\\.)*)"|` + arrow)

// linesOf reads the quotes off a block. messages are those of the scope, by number.
func linesOf(block string, messages []lifeMessage) []blockLine {
	var out []blockLine
	section := ""
	for row := range strings.Lines(block) {
		row = strings.TrimRight(row, "\n")
		if title, is := strings.CutSuffix(row, ":"); is && !strings.Contains(row, `"`) {
			if strings.Trim(title, "0123456789-") != "" { // a month otherwise
				section = title
			}
			continue
		}
		if strings.HasPrefix(row, blockHeadWords) {
			continue
		}
		for _, l := range rowLines(row, messages) {
			l.Section = section
			out = append(out, l)
		}
	}
	return out
}

// rowLines reads one row. In a row with an arrow the first number is that of the present
// value, which stands behind the arrow.
func rowLines(row string, messages []lifeMessage) []blockLine {
	r := rowReader{messages: messages, change: strings.Contains(row, arrow), doubtful: strings.Contains(row, doubtWords), first: -1, last: -1}
	for _, at := range blockToken.FindAllStringSubmatchIndex(row, -1) {
		switch {
		case at[2] >= 0:
			r.number(row[at[2]:at[3]])
		case at[4] < 0:
			r.turned, r.last = true, r.first
		case !strings.HasSuffix(row[:at[0]], "because "):
			r.quote(row[at[4]:at[5]])
		}
	}
	return r.out
}

// rowReader goes through the tokens of a row.
type rowReader struct {
	messages         []lifeMessage
	change, doubtful bool
	first, last      int  // numbers of messages; -1 before any
	turned           bool // behind the arrow
	out              []blockLine
}

func (r *rowReader) number(digits string) {
	n, err := strconv.Atoi(digits)
	if err != nil || n >= len(r.messages) {
		return
	}
	if r.last = n; r.first < 0 {
		r.first = n
	}
}

// quote enters what is in quotation marks. What stands before the arrow without a number
// of its own is a mere value.
func (r *rowReader) quote(words string) {
	former := r.change && !r.turned
	if r.last < 0 || former && r.last == r.first {
		return
	}
	r.out = append(r.out, blockLine{ID: r.messages[r.last].ID, Text: unescaped(words), Former: former, Doubtful: r.doubtful})
}

// unescaped is a quote as it was said, apart from its white space.
func unescaped(quote string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quote)
}
