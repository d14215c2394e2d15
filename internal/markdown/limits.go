package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// goldmark follows the letter of CommonMark, and some texts take it quadratic time or
// memory. The parsers below are its own, with bounds on a block. Beyond a bound, a mark is
// text.
const (
	maxDepth    = 20   // opened blocks: a list has two for each level
	maxMarks    = 2000 // of emphasis and strikethrough
	maxBrackets = 500  // that may begin a link
	maxTries    = 500  // to find an address behind punctuation
	maxTicks    = 80   // marks around a code span
)

// usage is what a block has used of its bounds.
type usage struct {
	marks, brackets, tries int
	// unclosed has the lengths of runs of backticks that nothing closes.
	unclosed [maxTicks + 1]bool
}

// bounds keeps the usage of the current block in the parser's context.
type bounds struct{ key parser.ContextKey }

func (b bounds) usage(pc parser.Context) *usage {
	return pc.ComputeIfAbsent(b.key, func() any { return new(usage) }).(*usage)
}

// shallow is a block parser that bounds the depth of blocks.
type shallow struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (s shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxDepth {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// marks bounds the delimiters of a block: each closing one is compared with all opening ones. It also has the marks next to
// Chinese, Japanese and Korean text open and close; see eastasian.go.
type marks struct {
	parser.InlineParser
	b bounds
}

// Parse implements parser.InlineParser.
func (m marks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	u := m.b.usage(pc)
	if u.marks >= maxMarks {
		return nil
	}
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := m.InlineParser.Parse(parent, block, pc)
	if node == nil {
		return nil
	}
	u.marks++
	if run, ok := node.(*parser.Delimiter); ok {
		around(block.Source()[:segment.Start], before, line[run.OriginalLength:]).flank(run)
	}
	return node
}

// brackets bounds the links that a block may begin: each may be looked for in the whole rest
// of the block.
type brackets struct {
	parser.InlineParser
	b bounds
}

// Parse implements parser.InlineParser.
func (p brackets) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	u := p.b.usage(pc)
	opens := block.Peek() != ']'
	if opens && u.brackets >= maxBrackets {
		return nil
	}
	node := p.InlineParser.Parse(parent, block, pc)
	if opens && node != nil {
		u.brackets++
	}
	return node
}

// CloseBlock implements parser.CloseBlocker. It also ends the usage of the block.
func (p brackets) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if closer, ok := p.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, block, pc)
	}
	if pc.Get(p.b.key) != nil {
		*p.b.usage(pc) = usage{}
	}
}

// codeSpans remembers the runs of backticks that nothing closes. A later run of the same
// length has no end either, so the block is not searched again.
type codeSpans struct {
	parser.InlineParser
	b bounds
}

// Parse implements parser.InlineParser.
func (p codeSpans) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	n := len(line) - len(bytes.TrimLeft(line, "`"))
	u := p.b.usage(pc)
	if n > maxTicks || u.unclosed[n] {
		block.Advance(n)
		return ast.NewTextSegment(segment.WithStop(segment.Start + n))
	}
	node := p.InlineParser.Parse(parent, block, pc)
	if _, isText := node.(*ast.Text); isText {
		u.unclosed[n] = true
	}
	return node
}

// addresses bounds the search for addresses behind punctuation, where a search may go
// through the rest of the line. Behind a blank it ends at the next blank.
type addresses struct {
	parser.InlineParser
	b bounds
}

// Parse implements parser.InlineParser.
func (p addresses) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	switch block.Peek() {
	case '*', '_', '~', '(':
		u := p.b.usage(pc)
		if u.tries >= maxTries {
			return nil
		}
		u.tries++
	}
	return p.InlineParser.Parse(parent, block, pc)
}
