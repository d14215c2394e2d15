package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// askOnce asks one question and prints the answer: alone on standard output, as
// it came, or set for reading if that is a terminal. The session's id goes to
// standard error.
func (a *app) askOnce(ctx context.Context, f *chatFlags, question string) (err error) {
	api, err := a.connectChat(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.close()) }()
	conv := &conversation{api: api, key: f.key, model: f.model}
	if _, err := f.open(ctx, conv); err != nil {
		return err
	}
	var answer strings.Builder
	out := a.answerWriter(&answer)
	err = conv.ask(ctx, question, func(p openai.Piece) { out.WriteString(p.Content + p.Refusal) })
	out.Close()
	_, leaveErr := leave(ctx, conv)
	if err := errors.Join(err, leaveErr); err != nil {
		fmt.Fprintf(a.process.Stderr, "session %s\n", conv.session.ID)
		return err
	}
	if a.json {
		return a.printJSON(struct {
			SessionID string `json:"session_id"`
			Answer    string `json:"answer"`
			*replyNotes
		}{conv.session.ID, answer.String(), conv.last})
	}
	fmt.Fprintf(a.process.Stderr, "session %s\n", conv.session.ID)
	return nil
}

// answerWriter takes an answer piece by piece.
type answerWriter interface {
	WriteString(string)
	Close()
}

// answerWriter is where an answer goes: into text for a program, set as Markdown
// on a terminal, else as it is.
func (a *app) answerWriter(text *strings.Builder) answerWriter {
	out := a.process.Stdout
	switch file, _ := out.(*os.File); {
	case a.json:
		return &plainWriter{out: text}
	case terminal.IsTerminal(out):
		return terminal.NewMarkdown(out, terminal.StyleOf(a.process.Getenv), terminal.WidthOf(file))
	}
	return &plainWriter{out: out, line: true}
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
	_, _ = io.WriteString(p.out, text) // nobody left to tell
	p.last = text[len(text)-1]
}

// Close ends the text.
func (p *plainWriter) Close() {
	if p.line && p.last != 0 && p.last != '\n' {
		p.WriteString("\n")
	}
}
