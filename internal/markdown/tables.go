package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tables makes tables of paragraphs, as GitHub does. Unlike goldmark's own transformer it
// keeps the cells that a row has beyond the header, because an answer must not lose words,
// and it adds none to a short row: a short text could otherwise have millions of cells.
type tables struct{}

// Transform implements parser.ParagraphTransformer.
func (tables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), node.Lines()
	for i := 1; i < lines.Len(); i++ {
		align := alignments(lines.At(i), source)
		if align == nil {
			continue
		}
		header := tableRow(lines.At(i-1), align, source)
		if header.ChildCount() != len(align) {
			return
		}
		table := extast.NewTable()
		table.Alignments = align
		table.SetPos(node.Pos())
		table.AppendChild(table, extast.NewTableHeader(header))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRow(lines.At(j), align, source))
		}
		node.Parent().InsertAfter(node.Parent(), node, table)
		above := lines.Sliced(0, i-1)
		if len(above) == 0 {
			node.Parent().RemoveChild(node.Parent(), node)
			return
		}
		above[i-2] = above[i-2].TrimRightSpace(source)
		lines.SetSliced(0, i-1)
		return
	}
}

// alignments are those of the columns, if a line is the one below the header; else nil.
func alignments(line text.Segment, source []byte) []extast.Alignment {
	value := line.Value(source)
	if !isDelimiterRow(string(bytes.TrimSpace(value))) || !bytes.ContainsAny(value, "|:") {
		return nil
	}
	var align []extast.Alignment
	for _, cell := range tableCells(line, source) {
		one, ok := alignment(string(cell.Value(source)))
		if !ok {
			return nil
		}
		align = append(align, one)
	}
	return align
}

// alignment is that of a cell below the header: dashes, with a colon where the text begins
// or ends.
func alignment(cell string) (extast.Alignment, bool) {
	dashes, left := strings.CutPrefix(cell, ":")
	dashes, right := strings.CutSuffix(dashes, ":")
	all := map[[2]bool]extast.Alignment{
		{true, true}: extast.AlignCenter, {true, false}: extast.AlignLeft, {false, true}: extast.AlignRight, {false, false}: extast.AlignNone,
	}
	return all[[2]bool{left, right}], dashes != "" && strings.Trim(dashes, "-") == ""
}

// tableRow is the node of a row.
func tableRow(line text.Segment, align []extast.Alignment, source []byte) *extast.TableRow {
	row := extast.NewTableRow(align)
	row.SetPos(line.Start)
	for _, segment := range tableCells(line, source) {
		cell := extast.NewTableCell()
		cell.SetPos(segment.Start)
		cell.Lines().Append(segment)
		row.AppendChild(row, cell)
	}
	return row
}

// tableCells divides a line at the bars that are not escaped.
func tableCells(line text.Segment, source []byte) []text.Segment {
	line = trimmed(line, source)
	value := source[line.Start:line.Stop]
	var cells []text.Segment
	begin := 0
	if bytes.HasPrefix(value, []byte("|")) {
		begin = 1
	}
	add := func(end int) {
		cells = append(cells, trimmed(text.NewSegment(line.Start+begin, line.Start+end), source))
		begin = end + 1
	}
	for i := begin; i < len(value); i++ {
		if value[i] == '|' && value[i-1] != '\\' { // the first byte is no bar, or before begin
			add(i)
		}
	}
	if begin < len(value) || len(cells) == 0 { // else nothing is behind the last bar
		add(len(value))
	}
	return cells
}

// trimmed is a segment without the blanks around it.
func trimmed(s text.Segment, source []byte) text.Segment {
	s = s.TrimLeftSpace(source)
	return s.TrimRightSpace(source)
}
