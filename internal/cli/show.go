package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/hermes-memory/hermes/internal/terminal"
)

// Commands print through the two writers of app, even text from other sources: a title,
// a key, a job's name, another server's error. The writers keep control characters and
// hidden characters from a terminal; say and table also keep each text on its own line.
// JSON goes through printJSON. Only this file, and code that speaks a protocol or
// writes a file, uses the raw outputs.

// newApp is one invocation of the program.
func newApp(p Process) *app {
	return &app{process: p, out: terminal.NewWriter(p.Stdout), err: terminal.NewWriter(p.Stderr)}
}

// block is a text whose line breaks and blanks are kept when it is said.
type block string

// say prints a line for people. Texts are shown on one line, but for a block.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintf(a.out, format+"\n", shown(args)...) // the output is gone
}

// tell is say on standard error: what is not the outcome of a command.
func (a *app) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(a.err, format+"\n", shown(args)...) // the output is gone
}

// shown puts texts on one line each, so that none can look like the next one.
func shown(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case block:
			out[i] = string(v)
		case error:
			out[i] = terminal.OneLine(v.Error())
		case fmt.Stringer:
			out[i] = v
		default:
			out[i] = arg
			if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
				out[i] = terminal.OneLine(text.String())
			}
		}
	}
	return out
}

// table prints rows in columns, each text in its cell.
func (a *app) table(rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, text := range row {
			row[i] = terminal.OneLine(text)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], terminal.Columns(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, text := range row {
			b.WriteString(text)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-terminal.Columns(text)+2))
			}
		}
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(a.out, b.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// shorten is the beginning of a text in one line.
func shorten(text string) string {
	const most = 160
	return shortened(terminal.OneLine(text), most)
}

// shortened is a text of at most n characters, cut between words unless that would
// take more than half of it away.
func shortened(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := runes[:n-1]
	if !unicode.IsSpace(runes[n-1]) {
		for at := len(cut) - 1; at >= n/2; at-- {
			if unicode.IsSpace(cut[at]) {
				cut = cut[:at]
				break
			}
		}
	}
	return strings.TrimRightFunc(string(cut), unicode.IsSpace) + "…"
}

// printJSON prints a value for programs.
func (a *app) printJSON(v any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if _, err := (jsonWriter{a.process.Stdout}).Write(out.Bytes()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// jsonWriter passes JSON on. What a terminal would obey, and what it would hide,
// is escaped: the values stay what they are. It takes whole texts.
type jsonWriter struct{ out io.Writer }

// Write implements io.Writer.
func (w jsonWriter) Write(p []byte) (int, error) {
	var err error
	if bytes.ContainsFunc(p, terminal.Doubtful) {
		_, err = w.out.Write(escaped(p))
	} else {
		_, err = w.out.Write(p)
	}
	return len(p), err
}

// escaped is JSON with doubtful characters as escapes. They stand in strings only.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\r' || r < ' ' || !terminal.Doubtful(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// screen is standard output if it is a terminal.
func (a *app) screen() (*os.File, bool) {
	f, ok := a.process.Stdout.(*os.File)
	return f, ok && terminal.IsTerminal(f)
}

// columns is the width of the terminal; 80 where there is none, or one too narrow
// for any plot.
func (a *app) columns() int {
	if f, ok := a.process.Stdout.(*os.File); ok && terminal.WidthOf(f) >= plotMargin*2 {
		return terminal.WidthOf(f)
	}
	return 80
}

// highlighter sets a text in bold on a terminal, or if CLICOLOR_FORCE says that the
// program reading the pipe can show it.
func (a *app) highlighter() func(string) string {
	f, ok := a.process.Stdout.(*os.File)
	seen := ok && term.IsTerminal(int(f.Fd())) && a.process.Getenv("TERM") != "dumb"
	if force := a.process.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		seen = true
	}
	if !seen || a.process.Getenv("NO_COLOR") != "" {
		return func(text string) string { return text }
	}
	return func(text string) string { return "\x1b[1m" + text + "\x1b[0m" }
}

// painted prints a line that is clean but for the marks of a highlighter.
func (a *app) painted(line string) {
	_ = a.out.Painted(line + "\n") // the output is gone
}

// answerWriter takes an answer piece by piece.
type answerWriter interface {
	WriteString(string)
	Close()
}

// answerWriter is where an answer goes: into text for a program, set as Markdown
// on a terminal, else as plain text.
func (a *app) answerWriter(text *strings.Builder) answerWriter {
	if a.json {
		return &plainWriter{out: text}
	}
	if screen, ok := a.screen(); ok {
		return terminal.NewMarkdown(screen, terminal.StyleOf(a.process.Getenv), terminal.WidthOf(screen))
	}
	return &plainWriter{out: a.out, line: true}
}

// plainWriter passes text on, and ends the last line where line is set.
type plainWriter struct {
	out  io.Writer
	line bool
	last byte
}

// WriteString passes on one piece.
func (p *plainWriter) WriteString(text string) {
	if text == "" {
		return
	}
	_, _ = io.WriteString(p.out, text) // the output is gone
	p.last = text[len(text)-1]
}

// Close ends the text.
func (p *plainWriter) Close() {
	if p.line && p.last != 0 && p.last != '\n' {
		p.WriteString("\n")
	}
}

// file is where an export goes that is written to standard output: byte for byte
// into a pipe or a file, escaped on a terminal.
func (a *app) file() io.Writer {
	if screen, ok := a.screen(); ok {
		return jsonWriter{screen}
	}
	return a.process.Stdout
}
