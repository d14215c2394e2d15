package terminal

import (
	"strings"
)

// minColumn is the minimum width of a column whose words are wrapped.
const minColumn = 6

// endTable shows the collected table: in columns, with wrapped cells, if it fits;
// otherwise as a list of rows.
func (m *Markdown) endTable() {
	rows := m.table
	m.table = nil
	if len(rows) == 0 {
		return
	}
	m.shown = true
	if len(rows) < 2 || !isDelimiter(rows[1]) {
		for _, r := range rows {
			m.w.start("", "")
			m.words(r, true)
			m.w.finish()
		}
		return
	}
	t := table{md: m, right: alignments(rows[1])}
	for i, r := range rows {
		if i != 1 {
			t.cells = append(t.cells, splitRow(r))
		}
	}
	t.even()
	t.measure()
	if t.shrink() {
		t.columns()
	} else {
		t.list()
	}
}

// table is a complete table; the first row is the head.
type table struct {
	md     *Markdown
	cells  [][]string
	right  []bool
	widths []int
}

// splitRow splits a row at its bars, except escaped ones.
func splitRow(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(row); i++ {
		switch {
		case row[i] == '\\' && i+1 < len(row) && row[i+1] == '|':
			cell.WriteByte('|')
			i++
		case row[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(row[i])
		}
	}
	if rest := strings.TrimSpace(cell.String()); rest != "" || len(cells) == 0 {
		cells = append(cells, rest)
	}
	return cells
}

func isDelimiter(row string) bool {
	for _, cell := range splitRow(row) {
		if strings.Trim(strings.Trim(cell, ":"), "-") != "" || !strings.Contains(cell, "-") {
			return false
		}
	}
	return true
}

// alignments reports which columns are right-aligned.
func alignments(row string) []bool {
	cells := splitRow(row)
	out := make([]bool, len(cells))
	for i, cell := range cells {
		out[i] = strings.HasSuffix(cell, ":") && !strings.HasPrefix(cell, ":")
	}
	return out
}

// even gives every row as many cells as the head.
func (t *table) even() {
	n := len(t.cells[0])
	for i, row := range t.cells {
		for len(row) < n {
			row = append(row, "")
		}
		t.cells[i] = row[:n]
	}
	for len(t.right) < n {
		t.right = append(t.right, false)
	}
}

// set wraps a cell to a width and returns its lines with their widths.
func (t *table) set(cell string, width int, look Attr) ([]string, []int) {
	var b strings.Builder
	w := wrapper{out: &b, style: t.md.style, width: width}
	if t.md.style.rich {
		inline(cell, look, ' ', true, w.add)
	} else {
		w.add(cell, 0)
	}
	w.flush()
	w.begin()
	w.end()
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), w.widths
}

// measure finds the preferred width of each column.
func (t *table) measure() {
	t.widths = make([]int, len(t.cells[0]))
	for _, row := range t.cells {
		for i, cell := range row {
			_, widths := t.set(cell, 1<<20, 0)
			t.widths[i] = max(t.widths[i], widths[0], 1)
		}
	}
}

// shrink narrows the widest columns until the table fits. It reports false if that is
// impossible.
func (t *table) shrink() bool {
	total := 3 * (len(t.widths) - 1)
	for _, n := range t.widths {
		total += n
	}
	for total > t.md.w.width {
		widest := 0
		for i, n := range t.widths {
			if n > t.widths[widest] {
				widest = i
			}
		}
		if t.widths[widest] <= minColumn {
			return false
		}
		t.widths[widest]--
		total--
	}
	return true
}

// columns shows the table as a table.
func (t *table) columns() {
	bar, cross, line := " │ ", "─┼─", "─"
	if !t.md.style.rich {
		bar, cross, line = " | ", "-|-", "-"
	}
	for i, row := range t.cells {
		look := Attr(0)
		if i == 0 {
			look = Bold
		}
		t.row(row, look, bar)
		if i == 0 {
			parts := make([]string, len(t.widths))
			for c, n := range t.widths {
				parts[c] = strings.Repeat(line, n)
			}
			t.md.w.print(t.md.style.Paint(Dim, strings.Join(parts, cross)) + "\n")
		}
	}
}

func (t *table) row(row []string, look Attr, bar string) {
	lines, widths, height := make([][]string, len(row)), make([][]int, len(row)), 1
	for i, cell := range row {
		lines[i], widths[i] = t.set(cell, t.widths[i], look)
		height = max(height, len(lines[i]))
	}
	for y := range height {
		var b strings.Builder
		for i := range row {
			text, width := "", 0
			if y < len(lines[i]) {
				text, width = lines[i][y], widths[i][y]
			}
			pad := strings.Repeat(" ", max(t.widths[i]-width, 0))
			if i > 0 {
				b.WriteString(t.md.style.Paint(Dim, bar))
			}
			switch {
			case t.right[i]:
				b.WriteString(pad + text)
			case i < len(row)-1:
				b.WriteString(text + pad)
			default:
				b.WriteString(text)
			}
		}
		t.md.w.print(b.String() + "\n")
	}
}

// list shows each row as lines of "head: cell".
func (t *table) list() {
	head := t.cells[0]
	for i, row := range t.cells[1:] {
		if i > 0 {
			t.md.w.print("\n")
		}
		for c, cell := range row {
			if cell == "" && head[c] == "" {
				continue
			}
			t.md.w.start("", "  ")
			if head[c] != "" {
				t.md.look = Bold
				t.md.words(head[c], true)
				t.md.w.add(": ", 0)
			}
			t.md.look = 0
			t.md.words(cell, true)
			t.md.w.finish()
		}
	}
}
