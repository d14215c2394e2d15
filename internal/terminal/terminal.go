// Package terminal is the user's terminal: an editable line of input, an answer that
// streams as Markdown, and a way to stop it. It writes below the existing content and
// leaves the scrollback alone. It knows nothing of the conversation. Of all shown text,
// only this package's control sequences reach the terminal.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// ErrStopped is returned by During if the user stopped the operation.
var ErrStopped = errors.New("stopped")

// Terminal is an open terminal. Read, Confirm and During belong to one
// goroutine; Write may be called from any.
type Terminal struct {
	out   *os.File
	in    int
	style Style
	// dumb says that the cursor cannot be moved.
	dumb    bool
	before  *term.State
	keys    *keyboard
	resized <-chan os.Signal
	unwatch func()

	// typed are keys that arrived while no prompt was open.
	typed []key
	// killed is the last cut text.
	killed string
	// drawn is the area of the prompt on the screen.
	drawn frame

	mu sync.Mutex
	// spinning says that the cursor's line shows a spinner; wrote, that text was
	// written since wrote was last reset.
	spinning, wrote bool
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Open takes over the terminal until Close. getenv is asked for TERM and NO_COLOR.
func Open(in io.Reader, out io.Writer, getenv func(string) string) (*Terminal, error) {
	input, ok := in.(*os.File)
	output, okOut := out.(*os.File)
	if !ok || !okOut {
		return nil, errors.New("a terminal is needed")
	}
	t := &Terminal{out: output, in: int(input.Fd()), style: StyleOf(getenv), dumb: isDumb(getenv)}
	var err error
	if t.before, err = term.MakeRaw(t.in); err != nil {
		return nil, fmt.Errorf("take the terminal over: %w", err)
	}
	if t.keys, err = newKeyboard(input); err != nil {
		return nil, errors.Join(err, term.Restore(t.in, t.before))
	}
	t.resized, t.unwatch = watchSize()
	if !t.dumb {
		t.emit(bracketedPaste)
	}
	return t, nil
}

// Close restores the terminal.
func (t *Terminal) Close() error {
	if !t.dumb {
		t.emit(plainPaste)
	}
	t.unwatch()
	return errors.Join(t.keys.close(), term.Restore(t.in, t.before))
}

func isDumb(getenv func(string) string) bool {
	name := getenv("TERM")
	return name == "dumb" || name == ""
}

// Style is the style for this terminal.
func (t *Terminal) Style() Style { return t.style }

// The minimum and maximum width of text.
const (
	minWidth = 8
	maxWidth = 100
)

// Width returns the width of the terminal in columns.
func (t *Terminal) Width() int {
	width, _ := t.size()
	return width
}

func (t *Terminal) size() (width, height int) { return sizeOf(t.out) }

// WidthOf returns the width of a terminal that is only written to.
func WidthOf(out *os.File) int {
	width, _ := sizeOf(out)
	return width
}

func sizeOf(out *os.File) (width, height int) {
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return max(width, minWidth), max(height, 4)
}

// Markdown returns a renderer that writes here.
func (t *Terminal) Markdown() *Markdown { return NewMarkdown(t, t.style, t.Width()) }

// Line prints a text of any origin in one style, broken between words.
func (t *Terminal) Line(look Attr, text string) {
	var plain, shown strings.Builder
	w := wrapper{out: &plain, width: t.Width() - 1}
	w.add(Clean(text), 0)
	w.finish()
	for line := range strings.Lines(plain.String()) {
		shown.WriteString(t.style.Paint(look, strings.TrimSuffix(line, "\n")) + "\n")
	}
	_, _ = io.WriteString(t, shown.String()) // never fails
}

// Write prints text without control sequences except those of a Style. It never fails:
// a lost terminal shows in the next Read.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearSpinner()
	t.wrote = true
	t.emit(strings.ReplaceAll(string(p), "\n", "\r\n")) // a raw terminal needs the carriage return
	return len(p), nil
}

// Text returns a writer for text of any origin. It breaks long lines between words.
func (t *Terminal) Text() *Writer { return NewWriter(&breaker{to: t}) }

// emit sends bytes to the terminal; a closed terminal ignores them.
func (t *Terminal) emit(s string) { _, _ = t.out.WriteString(s) }

// Confirm asks a yes-or-no question. Any answer but y is no.
func (t *Terminal) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := t.Read(ctx, &Prompt{Mark: question + " [y/N] "})
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}
