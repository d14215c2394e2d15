package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/transfer"
)

func (a *app) sessionsImportCommand() *cobra.Command {
	var restore bool
	c := &cobra.Command{
		Use: "import FILE", Short: "Read an export back", Args: oneFile,
		Long: `Read an export back, ids and times included. '-' reads the standard input. The
file may be packed with gzip or zstd. An empty one is refused.

A conversation that is there already is passed over, or gets what it lacks; one
whose id is taken by another is reported and changes nothing. What was forgotten stays out unless
--restore asks for it; what was only deleted comes back. Exits with 1 if any
line failed.`,
		RunE: func(c *cobra.Command, args []string) error {
			in, err := a.openImport(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = in.Close() }()
			path := "/api/sessions/import"
			if restore {
				path += "?restore=true"
			}
			p := a.newProgress()
			defer p.done()
			return a.withClient(c, func(cl *client) error {
				cut := a.cutLines(c.Context(), &toldReader{in: in, p: p}, p)
				out, err := postImport(c.Context(), cl, path, cut)
				if err != nil {
					return a.placeOfFull(err)
				}
				if cut.ended {
					return out.interrupted(0)
				}
				p.done()
				return a.reportImport(args[0], out)
			})
		},
	}
	c.Flags().BoolVar(&restore, "restore", false, "bring back what was forgotten, too")
	return c
}

// openImport opens an export of this program. Editors and shells of Windows may have saved it again.
func (a *app) openImport(name string) (io.ReadCloser, error) {
	if name == "-" {
		text, err := exportText(a.process.Stdin, name)
		return io.NopCloser(text), err
	}
	if there := existing(name); there != nil && there.IsDir() {
		return nil, fault.New(fault.Invalid, "file_unreadable", name+" is a directory. Name a file in it.")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fault.Wrap(fault.NotFound, "file_not_found", "Cannot read "+name+". Is the name right?", err)
	}
	text, err := exportText(f, name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{text, f}, nil
}

// exportText is the text of an export of this program. What does not begin as one is refused.
func exportText(in io.Reader, name string) (io.Reader, error) {
	text, err := transfer.Text(in)
	if err != nil {
		return nil, err
	}
	head, err := text.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fault.Wrap(fault.Invalid, "file_unreadable", fmt.Sprintf("Cannot read %s: %v.", name, err), err)
	}
	switch head = bytes.TrimSpace(head); {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, fault.New(fault.Invalid, "import_empty", emptyExport(name))
	case len(head) > 0 && head[0] != '{':
		return nil, fault.New(fault.Invalid, "not_an_export", notAnExport(name))
	}
	return text, nil
}

// emptyExport says what an export without a line may be. A command before a pipe that has failed writes nothing.
func emptyExport(name string) string {
	if name == "-" {
		return "The standard input is empty: nothing was imported. See whether the command before the pipe has failed." +
			" An export of a home without sessions is empty, too."
	}
	return name + " is empty: nothing was imported. Make the export again. An export of a home without sessions is empty, too."
}

// notAnExport says what may read a file instead.
func notAnExport(name string) string {
	what := name
	if name == "-" {
		what = "The standard input"
	}
	return what + " is not an export of this program. " + readElsewhere(name)
}

// readElsewhere says which command reads what this program did not write.
func readElsewhere(name string) string {
	return "If another program wrote it, or if it is packed as zip or tar, try: hermes import " + name + ". A backup is restored with: hermes restore " + name
}

func (a *app) reportImport(name string, out *importReply) error {
	if a.json {
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else {
		a.say("Imported %s with %s; %d were there already.", countOf(out.Imported, "session", "sessions"),
			countOf(out.Messages, "message", "messages"), out.Unchanged)
		if out.Grown > 0 {
			a.say("Added what is new to %s.", countOf(out.Grown, "session that was there", "sessions that were there"))
		}
		if out.Deleted > 0 {
			a.say("Left out %s forgotten here. To take what was forgotten, too, say --restore.", countOf(out.Deleted, "session that was", "sessions that were"))
		}
		if out.Cut > 0 {
			a.say("Left out of %s what was forgotten here. To take it, too, say --restore.", countOf(out.Cut, "message", "messages"))
		}
		for _, e := range out.Errors {
			a.tell("line %d: %s", e.Line, e.Message)
		}
	}
	if out.Failed == 0 {
		return nil
	}
	failed := countOf(out.Failed, "line was", "lines were") + " not imported."
	if out.Failed == out.lines() { // none was one of an export
		failed += " " + readElsewhere(name)
	}
	return fault.New(fault.Invalid, "import_failed", failed)
}

// toldReader reports how much has been read.
type toldReader struct {
	in   io.Reader
	p    *progress
	size int64
}

// Read implements io.Reader.
func (t *toldReader) Read(b []byte) (int, error) {
	n, err := t.in.Read(b)
	t.size += int64(n)
	t.p.tell("imported %s", megabytes(t.size))
	return n, err
}
