package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/terminal"
)

// oneFile checks that the only argument is the name of a file.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usageError{fmt.Errorf("%s needs the name of a file, or - for a pipe", c.CommandPath())}
	}
	return nil
}

func (a *app) sessionsExportCommand() *cobra.Command {
	var source, id string
	var force bool
	c := &cobra.Command{
		Use: "export FILE", Short: "Write conversations to a file, one JSON object a line", Args: oneFile,
		Long: `Write conversations to a file, one JSON object a line, with all messages.

The file is complete or not there: an export that breaks off leaves what was
there before. A file that is there already is overwritten with --force only, or
after a yes at a terminal. '-' writes to the standard output. 'hermes sessions
import' reads it back.`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := idleWith(c, "source", "session-id"); err != nil {
				return err
			}
			q := url.Values{}
			if source != "" {
				q.Set("source", source)
			}
			if id != "" {
				q.Set("session_id", id)
			}
			return a.exportSessions(c, args[0], q, force)
		},
	}
	c.Flags().StringVar(&source, "source", "", "only those that came from here, such as telegram")
	c.Flags().StringVar(&id, "session-id", "", "only this conversation")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file if it is there")
	return c
}

// exportSessions writes the sessions that a query selects. What tells of a file stands apart from the sessions, also
// if the file is the standard output by another name.
func (a *app) exportSessions(c *cobra.Command, name string, q url.Values, force bool) error {
	to := name
	if a.isOutput(name) {
		to = "-"
	}
	force, err := a.mayOverwrite(c.Context(), to, force)
	if err != nil {
		return err
	}
	return a.withClient(c, func(cl *client) error {
		body, err := cl.stream(c.Context(), http.MethodGet, "/api/sessions/export?"+q.Encode(), nil)
		if err != nil {
			return err
		}
		n, err := a.saveExport(to, body, force)
		if err = errors.Join(err, body.Close()); err != nil && c.Context().Err() != nil {
			return fault.Wrap(fault.Canceled, "interrupted", "The export was interrupted: "+name+" is as it was.", err)
		}
		switch {
		case err != nil, name == "-":
			return err
		case to == "-":
			a.tell("Exported %s to %s.", countOf(n, "session", "sessions"), name)
			return nil
		case a.json:
			return a.printJSON(map[string]any{"file": name, "sessions": n})
		}
		a.say("Exported %s to %s.", countOf(n, "session", "sessions"), name)
		return nil
	})
}

// isOutput reports whether a name, such as /dev/stdout, is that of the standard output.
func (a *app) isOutput(name string) bool {
	there := existing(name)
	out, isFile := a.process.Stdout.(*os.File)
	if there == nil || !isFile {
		return false
	}
	info, err := out.Stat()
	return err == nil && os.SameFile(there, info)
}

// mayOverwrite refuses an existing file, unless overwriting was requested or is
// confirmed. It returns whether an existing file may be overwritten.
func (a *app) mayOverwrite(ctx context.Context, name string, force bool) (bool, error) {
	there := existing(name)
	switch {
	case name == "-" || there == nil || device(there):
		return force, nil
	case there.IsDir():
		return false, fault.New(fault.Invalid, "export_unwritable", name+" is a directory. Name a file in it.")
	case force:
		return true, nil
	case !terminal.IsTerminal(a.process.Stdin) || a.json:
		return false, errFileExists(name)
	}
	return true, a.confirm(ctx, false, name+" is there already. Overwrite it?")
}

// existing returns the file of this name, or nil. Other errors appear when the file is
// written.
func existing(name string) os.FileInfo {
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	return info
}

// device reports whether a file is a device or a pipe. It is written to, and never replaced.
func device(there os.FileInfo) bool {
	return there != nil && !there.Mode().IsRegular() && !there.IsDir()
}

func errFileExists(name string) error {
	return fault.New(fault.Conflict, "file_exists", name+" is there already, and was left as it is. Choose another name, or say --force to overwrite it.")
}

// saveExport writes an export to a file, through a temporary file in the same
// directory, and returns its number of lines.
func (a *app) saveExport(name string, body io.Reader, force bool) (int, error) {
	if name == "-" {
		return a.copyLines(a.file(), body)
	}
	if device(existing(name)) {
		return a.exportTo(name, body)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return 0, unopened(name, err)
	}
	n, err := a.copyLines(f, body)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = putInPlace(f.Name(), name, force)
	}
	if err != nil {
		return 0, errors.Join(unwritten(name, err), os.Remove(f.Name()))
	}
	return n, nil
}

// unopened says why an export could not be begun.
func unopened(name string, err error) error {
	why, next := durable.Unopened(err)
	return fault.Wrap(fault.Unavailable, "export_unwritable", "Cannot write "+name+": "+why+". "+next, err)
}

// exportTo writes an export to a device or a pipe.
func (a *app) exportTo(name string, body io.Reader) (int, error) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return 0, unopened(name, err)
	}
	n, err := a.copyLines(f, body)
	return n, unwritten(name, errors.Join(err, f.Close()))
}

// putInPlace renames the temporary file. A file created meanwhile is overwritten only
// if that was requested.
func putInPlace(temp, name string, force bool) error {
	if !force {
		err := os.Link(temp, name)
		switch {
		case err == nil:
			return os.Remove(temp)
		case errors.Is(err, fs.ErrExist):
			return errFileExists(name)
		}
		// Not every file system has links.
	}
	return os.Rename(temp, name)
}

// copyLines copies an export, shows the progress, and returns the number of lines.
func (a *app) copyLines(out io.Writer, body io.Reader) (int, error) {
	p := a.newProgress()
	defer p.done()
	lines, _, err := copyExport(out, body, func(lines int, size int64) {
		p.tell("exported %d sessions, %s", lines, megabytes(size))
	})
	return lines, err
}

// copyExport copies an export and counts its lines and bytes. It fails if the export is
// incomplete.
func copyExport(out io.Writer, body io.Reader, tell func(lines int, size int64)) (lines int, size int64, err error) {
	in := bufio.NewReaderSize(body, 64<<10)
	for begins := true; ; {
		piece, err := in.ReadSlice('\n')
		if begins && bytes.HasPrefix(piece, []byte(`{"error"`)) {
			return lines, size, brokenExport(piece)
		}
		if _, wrong := out.Write(piece); wrong != nil {
			return lines, size, fmt.Errorf("write export: %w", wrong)
		}
		size += int64(len(piece))
		if begins = bytes.HasSuffix(piece, []byte("\n")); begins {
			lines++
		}
		tell(lines, size)
		switch {
		case errors.Is(err, io.EOF) && len(piece) > 0: // an incomplete line
			return lines, size, fault.New(fault.Unavailable, "broken_export", "The export broke off before its end. Try again.")
		case errors.Is(err, io.EOF):
			return lines, size, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return lines, size, fmt.Errorf("read export: %w", err)
		}
	}
}

// brokenExport is the error in the last line of a broken export.
func brokenExport(line []byte) error {
	var told struct {
		Error struct{ Message string } `json:"error"`
	}
	if json.Unmarshal(line, &told) != nil || told.Error.Message == "" {
		told.Error.Message = "it does not say why."
	}
	return fault.New(fault.Unavailable, "broken_export", "The export broke off: "+told.Error.Message)
}
