package markdown

import (
	"regexp"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// breakTag is the node of HTML's tag for a line break.
type breakTag struct{ ast.BaseInline }

// kindBreakTag is the kind of a breakTag.
var kindBreakTag = ast.NewNodeKind("BreakTag")

// Kind implements ast.Node.
func (*breakTag) Kind() ast.NodeKind { return kindBreakTag }

// Dump implements ast.Node.
func (n *breakTag) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// breakTags finds the tags of line breaks. It is the one part of HTML that models write where Markdown has nothing: in the cell
// of a table.
type breakTags struct{}

// Trigger implements parser.InlineParser.
func (breakTags) Trigger() []byte { return []byte{'<'} }

// Parse implements parser.InlineParser. The end of the line behind a tag is no second break.
func (breakTags) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	tag := breakForm().Find(line)
	if tag == nil {
		return nil
	}
	block.Advance(len(tag))
	return &breakTag{}
}

// breakForm is the tag with the blanks and the end of the line behind it.
var breakForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(?i:br) {0,3}/?>[ \t]*\n?`) })
