package markdown

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// maxColumn bounds the width to which the cells of a column are filled up, so that one long
// cell does not lengthen all others.
const maxColumn = 32

// tableText is a table as aligned text: the header, a line, the rows.
func tableText(b *Block) string {
	rows := make([][]string, 0, len(b.Rows)+1)
	widths := make([]int, len(b.Align))
	for _, cells := range append([][]Cell{b.Header}, b.Rows...) {
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = strings.Join(strings.Fields(plainText(cell)), " ")
			if i < len(widths) {
				widths[i] = max(widths[i], min(displaywidth.String(row[i]), maxColumn))
			}
		}
		rows = append(rows, row)
	}
	if strings.TrimSpace(strings.Join(rows[0], "")) == "" {
		rows = rows[1:]
	}
	lines := make([]string, 0, len(rows)+1)
	for i, row := range rows {
		lines = append(lines, alignedRow(row, widths, b.Align))
		if i == 0 && len(rows) == len(b.Rows)+1 {
			lines = append(lines, tableLine(widths))
		}
	}
	if strings.Trim(strings.Join(lines, ""), "-+| ") == "" {
		return ""
	}
	return strings.Join(lines, "\n")
}

// alignedRow writes a row, without the empty cells at its end.
func alignedRow(row []string, widths []int, align []string) string {
	for len(row) > 0 && row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	var b strings.Builder
	for i, cell := range row {
		if i > 0 {
			b.WriteString(" | ")
		}
		width, side := 0, ""
		if i < len(widths) {
			width, side = widths[i], align[i]
		}
		fill := max(width-displaywidth.String(cell), 0)
		left := 0
		switch side {
		case "right":
			left = fill
		case "center":
			left = fill / 2
		}
		b.WriteString(strings.Repeat(" ", left) + cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", fill-left))
		}
	}
	return b.String()
}

func tableLine(widths []int) string {
	parts := make([]string, len(widths))
	for i, width := range widths {
		parts[i] = strings.Repeat("-", max(width, 1))
	}
	return strings.Join(parts, "-+-")
}
