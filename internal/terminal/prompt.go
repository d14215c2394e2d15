package terminal

import (
	"strings"
	"time"
)

// Prompt describes a request for input.
type Prompt struct {
	// Mark stands before the text.
	Mark string
	// Status is shown below the text in a dim style.
	Status string
	// Complete returns the completions of a text; nil means none.
	Complete func(text string) []Choice
	// History is the history for the arrow keys; nil means none.
	History *History
	// Leave says that an interrupt at an empty prompt must be repeated before it
	// leaves. Without it, the first one leaves.
	Leave bool
}

// Choice is a completion.
type Choice struct {
	Text string // the whole text, completed
	Note string // what it means
}

// editor is the state of a prompt.
type editor struct {
	*Prompt
	buffer
	// past is the position in the history; kept is the text before the history was
	// used.
	past int
	kept string
	// choices are the completions; chosen is the selected one.
	choices []Choice
	chosen  int
	// hint replaces the status.
	hint string
	// asked says that the last key was an interrupt at an empty prompt.
	asked bool
}

func newEditor(p *Prompt) *editor {
	e := &editor{Prompt: p, chosen: -1}
	if p.History != nil {
		e.past = len(p.History.lines)
	}
	return e
}

// verdict is the effect of a key on a prompt.
type verdict uint8

const (
	writing verdict = iota
	sent            // the text is complete
	left            // the person wants to leave
)

// press applies a key.
func (e *editor) press(k key, killed *string) verdict {
	asked := e.asked
	e.asked, e.hint = false, ""
	switch k.code {
	case keyEnter:
		if head, ok := strings.CutSuffix(e.text, "\\"); ok && e.at == len(e.text) {
			e.set(head + "\n")
			e.changed()
			return writing
		}
		return sent
	case keyInterrupt:
		return e.interrupt(asked)
	case keyEOF:
		if e.text == "" {
			return left
		}
		e.cut(e.after())
		e.changed()
	case keyEscape:
		e.choices = nil
	case keyTab, keyBackTab:
		e.complete(k.code == keyTab)
	case keyUp:
		if !e.vertical(false) {
			e.walk(-1)
		}
	case keyDown:
		if !e.vertical(true) {
			e.walk(1)
		}
	default:
		if e.edit(k, killed) {
			e.changed()
		}
	}
	return writing
}

func (e *editor) interrupt(asked bool) verdict {
	if e.text == "" && (asked || !e.Leave) {
		return left
	}
	if e.text == "" {
		e.asked, e.hint = true, "Ctrl-C again or Ctrl-D leaves"
	}
	e.set("")
	e.changed()
	return writing
}

// changed updates the completions for the new text.
func (e *editor) changed() {
	e.choices, e.chosen = nil, -1
	if e.Complete != nil && e.at == len(e.text) {
		e.choices = e.Complete(e.text)
	}
}

// complete inserts the common prefix of all choices, then one choice after the other.
func (e *editor) complete(forward bool) {
	n := len(e.choices)
	if n == 0 {
		return
	}
	if e.chosen < 0 {
		common := e.choices[0].Text
		for _, c := range e.choices[1:] {
			for !strings.HasPrefix(c.Text, common) {
				common = common[:len(common)-1]
			}
		}
		if len(common) > len(e.text) {
			e.set(common)
			e.changed()
			return
		}
	}
	switch {
	case forward:
		e.chosen = (e.chosen + 1) % n
	case e.chosen <= 0:
		e.chosen = n - 1
	default:
		e.chosen--
	}
	e.set(e.choices[e.chosen].Text)
}

// walk moves through the history. After its newest entry comes the text being written.
func (e *editor) walk(by int) {
	if e.History == nil {
		return
	}
	lines := e.History.lines
	to := e.past + by
	if to < 0 || to > len(lines) {
		return
	}
	if e.past == len(lines) {
		e.kept = e.text
	}
	e.past = to
	if to == len(lines) {
		e.set(e.kept)
	} else {
		e.set(lines[to])
	}
	e.choices, e.chosen = nil, -1
}

// frames of the spinner, and the time between two of them.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const frameTime = 100 * time.Millisecond
