package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// converter makes nodes of goldmark's tree.
type converter struct {
	source []byte
	// linked says that the nodes are the words of a link, in which an address is text.
	linked bool
}

func (c *converter) blocks(parent ast.Node) []Block {
	var list []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		list = append(list, c.block(n)...)
	}
	return list
}

// block makes the block of a node; none of a node without a meaning here.
func (c *converter) block(n ast.Node) []Block {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if inlines := c.inlines(n, 0); len(inlines) > 0 {
			return []Block{{Type: Paragraph, Inlines: inlines}}
		}
		return nil
	case *ast.Heading:
		return []Block{{Type: Heading, Level: n.Level, Inlines: c.inlines(n, 0)}}
	case *ast.List:
		return []Block{{Type: List, Ordered: n.IsOrdered(), Start: max(n.Start, 0), Tight: n.IsTight, Blocks: c.blocks(n)}}
	case *ast.ListItem:
		return []Block{{Type: Item, Checked: task(n), Blocks: c.blocks(n)}}
	case *ast.Blockquote:
		return []Block{{Type: Quote, Blocks: c.blocks(n)}}
	case *ast.FencedCodeBlock:
		return []Block{{Type: Code, Language: tameCode(string(n.Language(c.source))), Text: c.code(n.Lines())}}
	case *ast.CodeBlock:
		return []Block{{Type: Code, Text: c.code(n.Lines())}}
	case *ast.ThematicBreak:
		return []Block{{Type: Rule}}
	case *extast.Table:
		return []Block{c.table(n)}
	}
	return c.blocks(n)
}

// task is the state of an item that is a task; nil for others.
func task(item *ast.ListItem) *bool {
	if item.FirstChild() == nil {
		return nil
	}
	if box, ok := item.FirstChild().FirstChild().(*extast.TaskCheckBox); ok {
		checked := box.IsChecked
		return &checked
	}
	return nil
}

// code is the text of a code block, without the last line feed.
func (c *converter) code(lines *text.Segments) string {
	var b strings.Builder
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(c.source))
	}
	return tameCode(strings.TrimSuffix(b.String(), "\n"))
}

func (c *converter) table(n *extast.Table) Block {
	b := Block{Type: Table}
	for _, a := range n.Alignments {
		word := a.String()
		if a == extast.AlignNone {
			word = ""
		}
		b.Align = append(b.Align, word)
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([]Cell, 0, row.ChildCount())
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, c.cell(cell))
		}
		if row.Kind() == extast.KindTableHeader {
			b.Header = cells
			continue
		}
		b.Rows = append(b.Rows, cells)
	}
	return b
}

// cell is the content of a cell. In its code an escaped bar is a bar.
func (c *converter) cell(n ast.Node) Cell {
	list := c.inlines(n, 0)
	for i := range list {
		if list[i].Type == CodeSpan {
			list[i].Text = strings.ReplaceAll(list[i].Text, `\|`, "|")
		}
	}
	return list
}
