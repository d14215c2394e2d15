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

// newApp returns an app for one invocation.
func newApp(p Process) *app {
	raw := &outlet{out: p.Stdout}
	return &app{process: p, raw: raw, out: terminal.NewWriter(raw), err: terminal.NewWriter(p.Stderr)}
}

// block is a text that keeps its line breaks and blanks when it is printed.
type block string

// say prints a line for people. Each text is put on one line, except a block.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintf(a.out, format+"\n", shown(args)...) // an error means that the output is closed
}

// tell is say on standard error, for everything that is not the result of a command.
func (a *app) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(a.err, format+"\n", shown(args)...) // an error means that the output is closed
}

// shown puts each text on one line, so that no text can look like the next line.
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

// shorten is the beginning of a text on one line.
func shorten(text string) string {
	const most = 160
	return shortened(terminal.OneLine(text), most)
}

// shortened is a text of at most n characters, cut between words unless that would
// remove more than half of it.
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
	if _, err := (jsonWriter{a.raw}).Write(out.Bytes()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// jsonWriter writes JSON, with control characters and invisible characters escaped, so
// that values stay the same. Each Write must be a complete text.
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

// escaped is JSON with such characters as escapes. They occur in strings only.
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

// columns is the width of the terminal; 80 without one, or if it is too narrow for a
// plot.
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

// painted prints a line that is already clean except for the marks of a highlighter.
func (a *app) painted(line string) {
	_ = a.out.Painted(line + "\n") // an error means that the output is closed
}

// answerWriter accepts an answer in pieces.
type answerWriter interface {
	WriteString(string)
	Close()
}

// answerWriter returns the writer for an answer: into text for a program, rendered
// Markdown on a terminal, otherwise plain text.
func (a *app) answerWriter(text *strings.Builder) answerWriter {
	if a.json {
		return &plainWriter{out: text}
	}
	if screen, ok := a.screen(); ok {
		return terminal.NewMarkdown(screen, terminal.StyleOf(a.process.Getenv), terminal.WidthOf(screen))
	}
	return &plainWriter{out: a.out, line: true}
}

// plainWriter writes text unchanged, and ends the last line if line is set.
type plainWriter struct {
	out  io.Writer
	line bool
	last byte
}

// WriteString writes one piece.
func (p *plainWriter) WriteString(text string) {
	if text == "" {
		return
	}
	_, _ = io.WriteString(p.out, text) // an error means that the output is closed
	p.last = text[len(text)-1]
}

// Close ends the text.
func (p *plainWriter) Close() {
	if p.line && p.last != 0 && p.last != '\n' {
		p.WriteString("\n")
	}
}

// file is the writer for an export to standard output. It escapes into a pipe, too: the
// next program may be one that shows text on a terminal.
func (a *app) file() io.Writer { return &pieceWriter{out: jsonWriter{a.raw}} }

// pieceWriter writes pieces that may end inside a character. The bytes of such a
// character are kept until the next piece.
type pieceWriter struct {
	out  jsonWriter
	rest []byte
}

// Write implements io.Writer.
func (w *pieceWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				end = at
			}
			break
		}
	}
	_, err := w.out.Write(text[:end])
	w.rest = append([]byte(nil), text[end:]...)
	return len(p), err
}
