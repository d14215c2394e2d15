package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/transfer"
)

// importFlags are the flags of `hermes import`.
type importFlags struct {
	transfer.Options

	since           string
	dryRun, restore bool
	report          string
}

// importFormats are the names that --from takes.
func importFormats() []string { return append([]string{"auto"}, transfer.Names()...) }

// oneInput wants the name of one file or directory. Several files belong into a directory, because
// the newest copy of a conversation counts among those of one import.
func oneInput(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 1 && args[0] != "":
		return nil
	case len(args) == 0 || args[0] == "":
		return usageError{fmt.Errorf("%s needs the name of a file or a directory, or - for a pipe", c.CommandPath())}
	case slices.Contains(importFormats(), args[0]):
		return usageError{fmt.Errorf("%s takes one file or directory. A format is named with --from: %[1]s --from %[2]s %[3]s", c.CommandPath(), args[0], args[1])}
	}
	return usageError{fmt.Errorf("%s takes one file or directory, and got %d. Put the files of an export into one directory", c.CommandPath(), len(args))}
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use: "import FILE|DIR|-", Short: "Take over conversations from another program",
		Args: oneInput,
		Long: `Take over conversations from another program, with their original dates.

FILE is an export as the other program gave it, packed as zip, gzip or zstd or
not, DIR a directory with such files, and '-' a pipe. The format is told by the content;
--from names it.

Run it again whenever there is a newer export: conversations that are there
already stay, those that have grown get their new messages, and one that went on
in both programs is kept twice. What was forgotten or deleted here stays out
unless --restore asks for it. Exits with 1 if any conversation failed.`,
		RunE: func(c *cobra.Command, args []string) error {
			f.KeyGiven = c.Flags().Changed("key")
			if err := f.check(); err != nil {
				return err
			}
			return a.importFrom(c, args[0], &f)
		},
	}
	c.Flags().StringVar(&f.From, "from", "auto", "the format: "+strings.Join(importFormats(), ", "))
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "write nothing, and say what would be done")
	c.Flags().StringVar(&f.Key, "key", personKey, `the memory (session key) that learns from them; "" keeps each to itself`)
	c.Flags().StringVar(&f.User, "user", "", "only what belongs to this user of the other program")
	c.Flags().StringVar(&f.since, "since", "", "only conversations that were still going on this day, such as 2025-01-31")
	c.Flags().BoolVar(&f.All, "all", false, "also those that are not to be remembered, scheduled ones, and those of subagents")
	c.Flags().BoolVar(&f.restore, "restore", false, "bring back what was forgotten or deleted here, too")
	c.Flags().StringVar(&f.report, "report", "", "also write the report to this file, in JSON")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(importFormats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// check refuses flags that no input could be read or stored with, before anything is read.
func (f *importFlags) check() error {
	if !slices.Contains(importFormats(), f.From) {
		return usageError{fmt.Errorf("there is no format %q. The formats are %s", f.From, strings.Join(importFormats(), ", "))}
	}
	if _, err := session.ParseKey(f.Key); err != nil && f.Key != "" {
		return usageError{fmt.Errorf("--key: %s", fault.MessageOf(err))}
	}
	return nil
}

// readingMemory is the memory above which the garbage of reading is collected more often: a
// large conversation is there several times, as text and as messages.
const readingMemory = 96 << 20

// importFrom reads an input, sends what it has to the server, and reports.
func (a *app) importFrom(c *cobra.Command, name string, f *importFlags) (err error) {
	if f.since != "" {
		if f.Since, err = importDay(f.since); err != nil {
			return err
		}
	}
	in, err := a.importInput(c.Context(), name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	spool, err := transfer.NewSpool()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	p := a.newProgress()
	defer p.done()
	report := transfer.NewReport(f.dryRun)
	if err := readImport(c.Context(), in, f, p, report, spool); err != nil {
		return err
	}
	if err := a.sendImport(c, spool, f, p, report); err != nil {
		return err
	}
	p.done()
	return a.finishImport(f, report)
}

// readImport fills the spool. The memory limit of the process is as before when it returns,
// and when it panics.
func readImport(
	ctx context.Context, in *transfer.Input, f *importFlags, p *progress, report *transfer.Report, spool *transfer.Spool,
) error {
	usual := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(usual, readingMemory))
	defer debug.SetMemoryLimit(usual)
	err := transfer.Read(ctx, in, f.Options, report, func(line transfer.Line) error {
		if ctx.Err() != nil {
			return interruptedReading(ctx.Err())
		}
		p.tell("read %d conversations, %s", report.Conversations, megabytes(spool.Size()))
		return spool.Keep(line)
	})
	if err != nil && ctx.Err() != nil { // a stream that was interrupted looks like one of no known format
		return interruptedReading(ctx.Err())
	}
	return err
}

// importDay reads a day or a time.
func importDay(text string) (time.Time, error) {
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	at, err := bound.ParseTime(text)
	if err != nil {
		return at, usageError{fmt.Errorf("--since %q is neither a day, such as 2025-01-31, nor a time", text)}
	}
	return at, nil
}

// sendImport sends the lines to the server, and adds the outcome to the report. A dry run
// asks the server what would be done; without a database, everything is new.
func (a *app) sendImport(c *cobra.Command, spool *transfer.Spool, f *importFlags, p *progress, report *transfer.Report) error {
	if spool.Len() == 0 {
		return nil
	}
	if f.dryRun && !a.hasData() {
		report.Taken, report.Stored = report.Conversations, report.Messages
		return nil
	}
	return a.withClient(c, func(cl *client) error {
		lines, err := spool.Reader()
		if err != nil {
			return err
		}
		path := fmt.Sprintf("/api/sessions/import?restore=%t&dry_run=%t", f.restore, f.dryRun)
		cut := a.cutLines(c.Context(), &sentReader{in: lines, p: p, total: spool.Size(), began: time.Now()}, p)
		out, err := postImport(c.Context(), cl, path, cut)
		if err != nil {
			return a.placeOfFull(err)
		}
		out.addTo(report)
		switch {
		case !cut.ended || out.lines() == report.Conversations:
			return nil
		case f.dryRun:
			return fault.New(fault.Canceled, "interrupted", "The dry run was interrupted. Nothing was stored.")
		}
		return out.interrupted(report.Conversations)
	})
}

// hasData reports whether this home has a database, or the data is elsewhere.
func (a *app) hasData() bool {
	cfg, err := a.load()
	if err != nil || cfg.Database.URL != "" {
		return true
	}
	_, err = os.Stat(cfg.DatabaseFile())
	return err == nil
}

// addTo adds the outcome to a report.
func (out *importReply) addTo(r *transfer.Report) {
	r.Taken, r.Unchanged, r.Grown, r.Changed = out.Imported, out.Unchanged, out.Grown, out.Changed
	r.Apart, r.Deleted, r.Stored = out.Apart, out.Deleted, out.Messages
	r.Undone, r.Edited, r.Absent, r.Cut = out.Undone, out.Edited, out.Absent, out.Cut
	r.OtherKeys = append(r.OtherKeys, out.OtherKeys...)
	for _, n := range out.Notes {
		r.Note(n.ID, n.text())
	}
	listed := len(out.Errors)
	for _, e := range out.Errors {
		r.Fail(e.ID, e.Message)
	}
	r.Failed += out.Failed - listed
}

// finishImport prints the report, and writes it to a file if that was asked for.
func (a *app) finishImport(f *importFlags, report *transfer.Report) error {
	if a.json {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else {
		report.Write(a.out)
	}
	if err := saveReport(f.report, report); err != nil {
		return err
	}
	if report.Failed > 0 {
		what := countOf(report.Failed, "conversation or file", "conversations or files")
		return fault.New(fault.Invalid, "import_failed", what+" failed. Mend the cause, and run the import again.")
	}
	return nil
}

// saveReport writes the report to a file, unless its name is empty.
func saveReport(file string, report *transfer.Report) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o600)
	}
	if err == nil {
		return nil
	}
	said := "The import is done, but its report cannot be written: %v. It stands above. The next run tells what is there already."
	if report.DryRun {
		said = "The dry run is done, and nothing was imported, but its report cannot be written: %v. It stands above."
	}
	return fault.Wrap(fault.Unavailable, "report_unwritable", fmt.Sprintf(said, err), err)
}

// sentReader tells how much was sent, and how long the rest will take.
type sentReader struct {
	in    io.Reader
	p     *progress
	n     int64
	total int64
	began time.Time
}

// Read implements io.Reader.
func (s *sentReader) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	s.n += int64(n)
	if s.n > 0 {
		left := time.Duration(float64(time.Since(s.began)) / float64(s.n) * float64(s.total-s.n))
		s.p.tell("imported %s of %s, %s left", megabytes(s.n), megabytes(s.total), left.Round(time.Second))
	}
	return n, err
}
