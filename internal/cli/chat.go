package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// chatFlags are the flags of a chat, for `hermes` and `hermes chat`.
type chatFlags struct {
	goOn     bool
	resume   string
	question string
	asked    bool // -q was given, possibly empty
	model    string
	key      string
}

// personKey is the session key for sessions in the terminal, which share one memory. No one chose it, so that the
// forgetting of "me" deletes none of them.
const personKey = mention.DefaultKey

func (a *app) chatFlags(c *cobra.Command) *chatFlags {
	f := new(chatFlags)
	c.Flags().BoolVarP(&f.goOn, "continue", "c", false, "go on with the newest session of the terminal")
	c.Flags().StringVarP(&f.resume, "resume", "r", "", "go on with the session of this id, beginning of an id, or title")
	c.Flags().StringVarP(&f.question, "query", "q", "", "ask one question, print the answer, and leave")
	c.Flags().StringVar(&f.model, "model", "", "ask this model")
	c.Flags().StringVar(&f.key, "key", personKey, `the memory (session key) of a new session; "" keeps it to the session`)
	_ = c.RegisterFlagCompletionFunc("resume", a.completeSession) // fails only without the flag
	return f
}

// given reports whether any of the flags was given.
func (f *chatFlags) given() bool {
	return f.goOn || f.resume != "" || f.asked || f.model != "" || f.key != personKey
}

func (a *app) chatCommand() *cobra.Command {
	var f *chatFlags
	c := &cobra.Command{
		Use: "chat", Short: "Chat in the terminal (`hermes` alone does the same)", Annotations: map[string]string{meantBy: "hermes -q"},
		Long: `Chat in the terminal: through the server of this home if one runs, else with the
data opened here. Leaving ends the session; -c and -r go on with one. All sessions of
the terminal share one memory, the session key "me".

What is piped in is the question, or with -q belongs to it: git diff | hermes -q review
A file that a loop of the shell reads is left to the loop: while read -r q; do hermes -q "$q"; done < file
In a loop over a pipe, give each question no input: ... | while read -r q; do hermes -q "$q" < /dev/null; done`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.runChat(c, f)
		},
	}
	f = a.chatFlags(c)
	return c
}

// chatByDefault makes the program without a command a chat, if it has a terminal or an
// input. Otherwise it shows its help.
func (a *app) chatByDefault(root *cobra.Command) {
	f := a.chatFlags(root)
	help := root.RunE
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return help(c, args)
		}
		err := a.runChat(c, f)
		if !f.given() && errors.Is(err, errNoQuestion) {
			return help(c, nil)
		}
		return err
	}
}

// hasInput reports whether the input is a pipe or a file.
func hasInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0)
}

// beingRead reports whether the input is a file of which a part was read already: a loop of the shell reads it line by line, and
// the rest is the loop's. Of a pipe that cannot be told.
func beingRead(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return err == nil && at > 0
}

// maxInput bounds the piped input, in bytes.
const maxInput = 8 << 20

var errNoQuestion = errors.New(`there is no question: hermes -q "QUESTION", or pipe one in`)

// runChat asks one question, or opens the terminal.
func (a *app) runChat(c *cobra.Command, f *chatFlags) error {
	ctx := c.Context()
	f.asked = c.Flags().Changed("query")
	if f.goOn && f.resume != "" {
		return usageError{errors.New("-c and -r name two sessions; give one of them")}
	}
	question, err := a.withInput(f)
	if err != nil {
		return err
	}
	if f.asked || !terminal.IsTerminal(a.process.Stdin) {
		if question == "" {
			return usageError{errNoQuestion}
		}
		if err := idleWith(c, "key", "resume"); err != nil { // no new session can follow, as with /new
			return err
		}
		return a.askOnce(ctx, f, question)
	}
	if !terminal.IsTerminal(a.process.Stdout) || a.json {
		return usageError{errors.New(`a chat needs a terminal; for one answer use hermes -q "QUESTION"`)}
	}
	return a.converse(ctx, f)
}

// withInput is the question of -q followed by the input. Without -q, all that can be read is the question.
func (a *app) withInput(f *chatFlags) (string, error) {
	if terminal.IsTerminal(a.process.Stdin) || !hasInput(a.process.Stdin) || f.asked && beingRead(a.process.Stdin) {
		return f.question, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.process.Stdin, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(data) > maxInput {
		return "", fault.New(fault.TooLarge, "input_too_large", "The input is longer than 8 MiB. Pipe in less of it.")
	}
	return fenced(f.question, string(data)), nil
}

// open begins or continues a conversation, as the flags say. It reports whether the
// conversation has earlier messages.
func (f *chatFlags) open(ctx context.Context, conv *conversation) (bool, error) {
	switch {
	case f.resume != "":
		return true, conv.resume(ctx, f.resume)
	case f.goOn:
		if found, err := conv.latest(ctx); found || err != nil {
			return found, err
		}
	}
	return false, conv.begin(ctx)
}

// leaving is the timeout for ending a session when the program ends.
const leaving = 5 * time.Second

// leave ends a conversation, even if ctx has ended.
func leave(ctx context.Context, conv *conversation) (kept bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	return conv.leave(ctx)
}
