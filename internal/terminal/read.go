package terminal

import (
	"context"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Read asks for a text and returns it. It fails with io.EOF if the user leaves or the
// terminal is gone, and with ctx's error if ctx ends first.
func (t *Terminal) Read(ctx context.Context, p *Prompt) (string, error) {
	e := newEditor(p)
	t.drawn = frame{}
	t.draw(e, false)
	for {
		k, err := t.next(ctx)
		if err != nil {
			t.draw(e, true)
			return "", err
		}
		if k.code == keyClear && !t.dumb {
			t.emit(clearScreen)
			t.drawn = frame{}
		}
		was := e.text
		v := e.press(k, &t.killed)
		if v == sent && was == "" && p.Leave { // nothing to send
			continue
		}
		if v != writing {
			t.draw(e, true)
		}
		switch v {
		case sent:
			return e.text, nil
		case left:
			return "", io.EOF
		}
		t.draw(e, false)
	}
}

// next waits for a key.
func (t *Terminal) next(ctx context.Context) (key, error) {
	if len(t.typed) > 0 {
		k := t.typed[0]
		t.typed = t.typed[1:]
		return k, nil
	}
	select {
	case k, ok := <-t.keys.keys:
		if !ok {
			return key{}, io.EOF
		}
		return k, nil
	case <-t.resized:
		return key{code: keyResize}, nil
	case <-ctx.Done():
		return key{}, ctx.Err()
	}
}

// frame is the area that a prompt occupies on the screen.
type frame struct {
	rows []row
	y    int    // the row of the cursor
	text string // on a dumb terminal, what was echoed
}

// draw replaces the drawn prompt. When the prompt is done, only mark and text stay, and
// the cursor moves below.
func (t *Terminal) draw(e *editor, done bool) {
	if t.dumb {
		t.echo(e, done)
		return
	}
	width, height := t.size()
	width-- // terminals differ in how they handle the last column
	rows, y, x := layout(e.Mark, e.text, e.at, width)
	var b strings.Builder
	b.WriteString(t.drawn.erase(width + 1))
	if done {
		y = len(rows) - 1
	} else {
		rows, y = window(rows, y, max(height-6, 1))
	}
	for i, r := range rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		text, isFirst := strings.CutPrefix(r.text, e.Mark)
		if isFirst && i == 0 {
			b.WriteString(t.style.Paint(Bold|Accent, e.Mark))
		} else {
			text = r.text
		}
		b.WriteString(text)
	}
	if done {
		b.WriteString("\r\n")
		t.drawn = frame{}
		t.emit(b.String())
		return
	}
	below := t.below(e, width, min(height-len(rows)-1, 8))
	for _, r := range below {
		b.WriteString("\r\n" + r.text)
	}
	rows = append(rows, below...)
	b.WriteString(up(len(rows) - 1 - y))
	b.WriteString("\r" + right(x))
	t.drawn = frame{rows: rows, y: y}
	t.emit(b.String())
}

// erase moves to the start of the prompt and clears from there. Most terminals rewrap
// their contents when they get narrower, so the prompt may have more rows than were
// drawn.
func (f *frame) erase(width int) string {
	if f.rows == nil {
		return ""
	}
	lines := f.y
	for _, r := range f.rows[:f.y+1] {
		lines += max(r.width-1, 0) / width
	}
	return up(lines) + eraseBelow
}

// window keeps the rows around the cursor that fit on the screen.
func window(rows []row, y, height int) ([]row, int) {
	if len(rows) <= height {
		return rows, y
	}
	from := min(max(y-height/2, 0), len(rows)-height)
	return rows[from : from+height], y - from
}

// below are the choices, or else the status.
func (t *Terminal) below(e *editor, width, room int) []row {
	if room < 1 {
		return nil
	}
	if len(e.choices) > 0 {
		return t.menu(e, width, room)
	}
	text := e.Status
	if e.hint != "" {
		text = e.hint
	}
	if text == "" {
		return nil
	}
	text = clip(Clean(text), width)
	return []row{{t.style.Paint(Dim, text), displaywidth.String(text)}}
}

func (t *Terminal) menu(e *editor, width, room int) []row {
	widest := 0
	for _, c := range e.choices {
		widest = max(widest, displaywidth.String(c.Text))
	}
	from := min(max(e.chosen-room/2, 0), max(len(e.choices)-room, 0))
	var rows []row
	for i, c := range e.choices[from:min(from+room, len(e.choices))] {
		pad := strings.Repeat(" ", widest-displaywidth.String(c.Text))
		line := clip("  "+Clean(c.Text)+pad+"  "+Clean(c.Note), width)
		look := Dim
		if from+i == e.chosen {
			look = Bold
		}
		rows = append(rows, row{t.style.Paint(look, line), displaywidth.String(line)})
	}
	return rows
}

// echo is draw for a terminal without cursor movement. Text typed at the end appears,
// text deleted there disappears, and any other change shows the whole text again.
func (t *Terminal) echo(e *editor, done bool) {
	shown := strings.ReplaceAll(Clean(e.text), "\n", "\r\n")
	was := t.drawn.text
	switch {
	case t.drawn.rows == nil:
		t.emit(e.Mark + shown)
	case strings.HasPrefix(shown, was):
		t.emit(shown[len(was):])
	case strings.HasPrefix(was, shown) && !strings.Contains(was[len(shown):], "\n"):
		n := displaywidth.String(was[len(shown):])
		t.emit(strings.Repeat("\b", n) + strings.Repeat(" ", n) + strings.Repeat("\b", n))
	default:
		t.emit("\r\n" + e.Mark + shown)
	}
	if e.hint != "" {
		t.emit("\r\n" + e.hint + "\r\n" + e.Mark + shown)
	}
	t.drawn = frame{rows: []row{{}}, text: shown}
	if done {
		t.emit("\r\n")
		t.drawn = frame{}
	}
}
