package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// confirm asks before an action that cannot be undone. Without a terminal it refuses
// the action. An interrupt is a no.
func (a *app) confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	if !terminal.IsTerminal(a.process.Stdin) {
		return fault.New(fault.Invalid, "not_confirmed", question+" There is no terminal to confirm this at, so nothing was done. Say --yes to go ahead.")
	}
	_, _ = fmt.Fprint(a.err, terminal.OneLine(question)+" [y/N] ")
	line, err := readLine(ctx, a.process.Stdin)
	if err != nil && line == "" {
		_, _ = fmt.Fprintln(a.err)
	}
	if ctx.Err() != nil {
		return fault.Wrap(fault.Canceled, "interrupted", "Interrupted. Nothing was done.", ctx.Err())
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return fault.New(fault.Canceled, "not_confirmed", "Nothing was done.")
}

// readLine reads a line of a terminal. An interrupt ends it, but on Windows: there the terminal would not
// show what is typed.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	if runtime.GOOS != "windows" {
		if w, err := newWaiting(ctx, in); err == nil {
			defer func() { _ = w.Close() }()
			in = w
		}
	}
	return bufio.NewReader(in).ReadString('\n')
}

// progress shows the progress of a long operation: on a terminal only, and not before a
// second has passed.
type progress struct {
	out   io.Writer // may be nil
	next  time.Time
	shown int
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

func (a *app) newProgress() *progress {
	p := &progress{next: time.Now().Add(progressAfter)}
	if terminal.IsTerminal(a.process.Stderr) && !a.json {
		p.out = a.process.Stderr
	}
	return p
}

// tell shows the progress in place of the earlier text.
func (p *progress) tell(format string, args ...any) {
	if p.out == nil || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressEvery)
	line := fmt.Sprintf(format, args...)
	_, _ = fmt.Fprint(p.out, "\r"+line+strings.Repeat(" ", max(0, p.shown-len(line))))
	p.shown = len(line)
}

// during shows a text for as long as something is done that tells nothing of its progress.
func during[T any](p *progress, text string, do func() (T, error)) (T, error) {
	var out T
	ended := recovery.Async(func() (err error) {
		out, err = do()
		return err
	})
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return out, err
		case <-tick.C:
			p.tell("%s", text)
		}
	}
}

// done clears the line.
func (p *progress) done() {
	if p.shown > 0 {
		_, _ = fmt.Fprint(p.out, "\r"+strings.Repeat(" ", p.shown)+"\r")
	}
	p.shown = 0
}
