// Package cli is the command line. Only this package wires the program together (see
// serve.go) and knows exit codes. Every command except serve is a client of the API: of
// the running server, or of the same handler in this process if none runs.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// Process is the environment of the program.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
}

// The exit codes. Scripts may rely on them.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is an error in the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Main runs the program and returns its exit code.
func Main(ctx context.Context, p Process) int {
	a := newApp(p)
	root := a.rootCommand()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.unknown
	}
	if err == nil {
		err = a.raw.err()
	}
	if err == nil {
		return exitOK
	}
	a.explain(explained(ctx, err))
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitFailed
}

// app is one invocation.
type app struct {
	process Process
	// out and err make texts of any origin safe to show. All output goes through them.
	out, err *terminal.Writer
	// raw is the standard output for what is safe already.
	raw   *outlet
	flags map[string]string // given flags, by setting
	json  bool
	// unknown is the error for the help of an unknown command.
	unknown error
}

// explain prints an error: what happened, where, and what to do next.
func (a *app) explain(err error) { a.explainTo(a.err, err) }

func (a *app) explainTo(out io.Writer, err error) {
	msg := err.Error()
	if f, ok := errors.AsType[*fault.Error](err); ok {
		msg = f.Msg
		if f.Kind == fault.Internal || f.Err != nil && a.process.Getenv("HERMES_LOG_LEVEL") == "debug" {
			msg = err.Error()
		}
	}
	if a.json {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": msg, "code": codeFor(err)}})
		fmt.Fprintln(out, string(escaped(body)))
		return
	}
	if list := lister(fault.CodeOf(err)); list != "" && !strings.Contains(msg, list) {
		msg += " See " + list + "."
	}
	fmt.Fprintln(out, "hermes: "+strings.ReplaceAll(msg, "\n", "\n  "))
}

// codeFor is the code of an error for programs. An error in the command line has one, too, so that a program can tell it from a
// failure; and so has a failure that has no code of its own.
func codeFor(err error) string {
	unnamed := "failed"
	if _, usage := errors.AsType[usageError](err); usage {
		unnamed = "usage"
	}
	return cmp.Or(fault.CodeOf(err), unnamed)
}

// lister is where the things of a kind that was not found are listed. The API knows no
// commands, so its errors cannot name one.
func lister(code string) string {
	switch code {
	case "session_not_found":
		return "`hermes sessions list`"
	case "session_key_not_found":
		return "`hermes sessions list --json`, which has the keys"
	case "message_not_found":
		return "`hermes sessions show ID`"
	case "fact_not_found":
		return "`hermes memory list`, which has the ids"
	case "receipt_not_found":
		return "`receipt_id` in an answer of the API, or /why in a chat"
	case "run_not_found":
		return "`hermes runs list`"
	case "job_not_found":
		return "`hermes jobs list`"
	case "key_not_found":
		return "`hermes keys list`"
	case "person_not_found", "pairing_not_found":
		return "`hermes pairing list`"
	}
	return ""
}

func (a *app) rootCommand() *cobra.Command {
	a.flags = make(map[string]string)
	root := group(&cobra.Command{
		Use:   "hermes",
		Short: "Gives any OpenAI-compatible client a memory",
		Long: `hermes is a server in front of your model, or of none, that remembers.

A client sends its newest message and one header, X-Hermes-Session-Id. The
server keeps the transcript, sends the model a bounded context with what it
knows, and shows for every belief who said it and when.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.`,
		SilenceUsage: true, SilenceErrors: true,
		Version: Version(),
	})
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s\nSee `%s --help`", flagProblem(err), c.CommandPath())}
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for programs")
	root.AddCommand(
		a.chatCommand(), a.serveCommand(), a.memoryCommand(), a.stateCommand(), a.timelineCommand(), a.whyCommand(), a.forgetCommand(),
		a.rebuildCommand(), a.keysCommand(), a.configCommand(), a.costCommand(), a.doctorCommand(), a.proveCommand(), a.manCommand(),
		a.sessionsCommand(), a.jobsCommand(), a.runsCommand(), a.mcpCommand(), a.auditCommand(), a.workCommand(),
		a.providerCommand(), a.pageCommand(),
		a.platformsCommand(), a.pairingCommand(), a.versionCommand(), a.healthCommand(), a.serviceCommand(),
		a.importCommand(), a.migrateCommand(), a.backupCommand(), a.restoreCommand(),
	)
	a.strictHelp(root)
	a.chatByDefault(root)
	return root
}

// flagProblem is what is wrong with a flag, without the words of Go's parser of numbers.
func flagProblem(err error) string {
	number, ok := errors.AsType[*strconv.NumError](err)
	if !ok {
		return err.Error()
	}
	says := fmt.Sprintf("%q is not a whole number", number.Num)
	switch {
	case errors.Is(number, strconv.ErrRange):
		says = number.Num + " is out of range"
	case number.Func == "ParseBool":
		says = fmt.Sprintf("%q is neither true nor false", number.Num)
	case number.Func == "ParseFloat":
		says = fmt.Sprintf("%q is not a number", number.Num)
	}
	return strings.TrimSuffix(err.Error(), number.Error()) + says
}

// meantBy is the annotation of a command that takes no arguments: the command that people mean who
// give it one all the same.
const meantBy = "meant-by-an-argument"

// noArgs refuses arguments where none are taken.
func noArgs(c *cobra.Command, args []string) error {
	if meant := c.Annotations[meantBy]; len(args) > 0 && meant != "" {
		return usageError{fmt.Errorf("%s takes no arguments, got %q. Perhaps you mean: %s %q",
			c.CommandPath(), args, meant, strings.Join(args, " "))}
	}
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, got %q. See `%s --help`", c.CommandPath(), args, c.CommandPath())}
	}
	return nil
}

// oneArgAtMost refuses more than one argument.
func oneArgAtMost(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s takes one argument at most, got %q. See `%s --help`", c.CommandPath(), args, c.CommandPath())}
	}
	return nil
}

// settingFlags defines the configuration's flags for a command.
func (a *app) settingFlags(c *cobra.Command) {
	for _, f := range config.Flags() {
		fl := c.Flags().VarPF(&settingFlag{into: a.flags, setting: f.Setting, boolean: f.Bool}, f.Name, "", f.Usage)
		if f.Bool {
			fl.NoOptDefVal = "true"
		}
	}
}

// settingFlag is a flag that sets a setting.
type settingFlag struct {
	into    map[string]string
	setting string
	boolean bool
}

// String implements pflag.Value.
func (f *settingFlag) String() string { return f.into[f.setting] }

// Set implements pflag.Value; the value is checked when the configuration is.
func (f *settingFlag) Set(v string) error {
	f.into[f.setting] = v
	return nil
}

// Type implements pflag.Value.
func (f *settingFlag) Type() string {
	if f.boolean {
		return "bool"
	}
	return "string"
}

// load reads the configuration of this invocation.
func (a *app) load() (*config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil && a.process.Getenv("HERMES_HOME") == "" {
		return nil, fmt.Errorf("there is no home directory; set HERMES_HOME: %w", err)
	}
	cfg, err := config.Load(config.Source{Getenv: a.process.Getenv, Flags: a.flags, UserHome: home})
	if err != nil {
		return nil, usageError{err}
	}
	return cfg, nil
}
