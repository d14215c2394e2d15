package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Growing parses a text while it grows. It divides the text into regions: a region is one or
// more blocks, and never changes again once a later one has begun. Only the open region has
// to be parsed again.
type Growing struct {
	open   strings.Builder // the text of the open region
	number int             // of the open region
	line   int             // where the last line of the open region begins
	blank  bool            // the line before is blank
	fence  string          // the mark of a block of code without indentation; "" outside of one
	held   string          // a carriage return that may belong to a line feed
	tries  int             // to end the open region
}

// maxEnds bounds how often it is tried to end a region: each time the region is parsed.
const maxEnds = 50

// Region is a part of a text.
type Region struct {
	Number int // from 0
	Text   string
}

// Blocks are the blocks of a region.
func (r *Region) Blocks() []Block { return Parse(r.Text) }

// Add appends to the text. It returns the regions that are complete now.
func (g *Growing) Add(more string) []Region {
	more = g.held + more
	g.held = ""
	if strings.HasSuffix(more, "\r") {
		more, g.held = more[:len(more)-1], "\r"
	}
	var complete []Region
	for line := range strings.Lines(strings.ReplaceAll(strings.ReplaceAll(more, "\r\n", "\n"), "\r", "\n")) {
		g.open.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			break
		}
		if r, ok := g.ended(); ok {
			complete = append(complete, r)
		}
	}
	return complete
}

// Open is the region that still grows. Its text is "" if it has not begun.
func (g *Growing) Open() Region {
	return Region{g.number, g.open.String() + strings.Repeat("\n", len(g.held))}
}

// ended goes over the last line, which is complete. It returns the region before the line if
// the line begins another one.
func (g *Growing) ended() (Region, bool) {
	whole := g.open.String()
	line := strings.TrimRight(whole[g.line:], "\n")
	begins := g.begins(line, whole[:g.line])
	g.blank = strings.TrimSpace(line) == ""
	if g.fence == "" {
		g.fence = opens(line)
	} else if closes(line, g.fence) {
		g.fence = ""
	}
	if !begins {
		g.line = len(whole)
		return Region{}, false
	}
	done := Region{g.number, whole[:g.line]}
	rest := whole[g.line:]
	g.open.Reset()
	g.open.WriteString(rest)
	g.number, g.line, g.tries = g.number+1, len(rest), 0
	return done, true
}

// begins reports whether a line begins another region after the text of the open one. A block
// of code with indentation may belong to a list, and is left to the parser.
func (g *Growing) begins(line, before string) bool {
	if !g.blank || g.fence != "" || goesOn(line) {
		return false
	}
	g.tries++
	return g.tries <= maxEnds && isOver(before)
}

// goesOn reports whether a line after a blank one may go on with what is before: it is
// blank, has an indentation, or begins with the mark of a list.
func goesOn(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	if rest == "" || strings.ContainsRune(" \t", rune(line[0])) {
		return true
	}
	return marksItem(rest[0], len(line)-len(rest)) && (len(rest) == 1 || strings.ContainsRune(" \t", rune(rest[1])))
}

// isOver reports whether nothing goes on after a text: whether another paragraph would stand
// beside its last block and not in it.
func isOver(before string) bool {
	source := []byte(strings.ToValidUTF8(before+"x\n", "\ufffd"))
	last, ok := grammar().Parse(text.NewReader(source)).LastChild().(*ast.Paragraph)
	return ok && last.Lines().Len() == 1 && strings.TrimSpace(string(last.Lines().Value(source))) == "x"
}
