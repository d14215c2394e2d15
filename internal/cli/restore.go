package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

func (a *app) restoreCommand() *cobra.Command {
	var yes, keepJobs, ledger bool
	var since string
	c := &cobra.Command{
		Use: "restore FILE", Short: "Replace all data by that of a backup", Args: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(needsFlag(c, "since", "ledger"), idleWith(c, "keep-jobs", "ledger")); err != nil {
				return err
			}
			if ledger {
				return noArgs(c, args)
			}
			return oneFile(c, args)
		},
		Long: `Replace the data of the home by that of a backup. No server may run meanwhile.
The backup is verified before anything is replaced, and the replaced files are
kept under other names. '-' reads the standard input.

Before a server can use the data:
  - what was forgotten since the backup is forgotten again, and keys and
    pairings that were revoked since are revoked again; the development key
    stays switched off once there were keys
  - runs that were under way end as interrupted, and what was still to be sent is
    not sent; people sign in again on the page
  - jobs are paused if the backup is of another machine or home, because the
    server there may still fire them; --keep-jobs leaves them on

To move to another machine: stop the server, back up, restore there, start.

With the data in PostgreSQL, restore a dump with pg_restore; then --ledger --since TIME,
with the time of the dump, forgets and revokes again what was forgotten and
revoked since.`,
		Example: `  hermes restore hermes.tar
  age -d -i key.txt hermes.tar.age | hermes restore - --yes`,
		RunE: func(c *cobra.Command, args []string) error {
			if ledger {
				cfg, err := a.load()
				if err != nil {
					return err
				}
				return a.ledgerOnly(c.Context(), cfg, since)
			}
			cfg, err := a.homeToBackUp()
			if err != nil {
				return err
			}
			done, err := a.restore(c.Context(), cfg, args[0], restoreOptions{keepJobs: keepJobs, confirmed: yes})
			if err != nil {
				return err
			}
			return a.printRestored(cfg, done)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&ledger, "ledger", false, "only apply the ledger of erasures to the data that is there")
	c.Flags().StringVar(&since, "since", "", "with --ledger: the time of the backup, such as 2026-11-27T03:00:00Z, or its day")
	c.Flags().BoolVar(&keepJobs, "keep-jobs", false, "leave jobs on, though the backup is of another machine or home")
	return c
}

// restored is the outcome of a restoring.
type restored struct {
	Manifest backup.Manifest `json:"manifest"`
	// Sessions and Messages are how many of the backup are there, without what was forgotten again.
	Sessions  int64                 `json:"sessions,omitempty"`
	Messages  int64                 `json:"messages,omitempty"`
	Kept      []string              `json:"kept"`
	Forgotten curate.ForgottenAgain `json:"forgotten_again"`
	Revoked   int                   `json:"keys_revoked_again"`
	ShutOut   int                   `json:"pairings_revoked_again"`
	Ended     sqlite.Ended          `json:"ended"`
	Paused    int                   `json:"jobs_paused"`
	Moved     bool                  `json:"moved"` // the backup is of another home
	// Notes are what could not be done.
	Notes []string `json:"notes"`
}

// restore replaces the data of a home by that of a backup.
func (a *app) restore(ctx context.Context, cfg *config.Config, file string, how restoreOptions) (_ *restored, err error) {
	in := a.process.Stdin
	if file != "-" {
		f, from, err := openBackup(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = from
	}
	if w, err := newWaiting(ctx, in); err == nil {
		defer func() { _ = w.Close() }()
		in = w
	}
	begin := bufio.NewReaderSize(in, 64<<10)
	head, _ := begin.Peek(backup.HeadSize) // an error comes again with the next read
	if err := backup.Other(head, file); err != nil {
		return nil, err
	}
	in = begin
	release, err := holdHome(cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	return a.restoreHeld(ctx, cfg, in, how)
}

// holdHome completes an earlier restoring of a home, and takes the lock of the home.
func holdHome(cfg *config.Config) (release func() error, err error) {
	if err = errors.Join(prepareHome(cfg.Home), backup.Finish(cfg.Home)); err == nil {
		release, err = sqlite.Hold(cfg.DatabaseFile())
	}
	if fault.CodeOf(err) == "database_in_use" {
		err = errHomeInUse(cfg, err)
	}
	return release, err
}

// errHomeInUse says which program uses a home whose data is to be replaced.
func errHomeInUse(cfg *config.Config, err error) error {
	process := ""
	if pid, unknown := sqlite.Holder(cfg.DatabaseFile()); unknown == nil && pid > 0 {
		process = fmt.Sprintf(" (process %d)", pid)
	}
	file, unknown := runningServer(cfg)
	switch {
	case unknown != nil || file == nil:
		return fault.Wrap(fault.Conflict, "home_in_use",
			"Another command uses this home"+process+", such as another 'hermes restore'. Wait until it ends, and restore then.", err)
	case file.Chat:
		return fault.Wrap(fault.Conflict, "home_in_use", "A chat uses this home"+process+". End it with /exit, and restore then.", err)
	}
	return fault.Wrap(fault.Conflict, "server_running", "A server uses this home"+process+". Stop it, restore, and start it again.", err)
}

// openBackup opens a backup, and returns what it is read from. It does not wait for a program that
// opens a named pipe for writing: there may be none.
func openBackup(file string) (f *os.File, from io.Reader, err error) {
	flags := os.O_RDONLY
	info, unknown := os.Stat(file)
	if unknown == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		flags |= syscall.O_NONBLOCK
	}
	f, err = os.OpenFile(file, flags, 0)
	switch {
	case err != nil:
		return nil, nil, fault.Wrap(fault.Invalid, "backup_unreadable", fmt.Sprintf("Cannot read the backup: %v.", err), err)
	case unknown == nil && info.IsDir():
		return nil, nil, errors.Join(f.Close(),
			fault.New(fault.Invalid, "backup_unreadable", file+" is a directory. Name the backup in it."))
	case flags == os.O_RDONLY:
		return f, f, nil
	}
	r := bufio.NewReader(f)
	if _, err := r.Peek(1); errors.Is(err, io.EOF) {
		return nil, nil, errors.Join(f.Close(), fault.New(fault.Invalid, "backup_unreadable",
			file+" is a named pipe, and no program writes to it. Start the program that writes the backup first, or name a file."))
	}
	return f, r, nil
}

// restoreOptions are what a person decides about a restoring.
type restoreOptions struct {
	keepJobs  bool
	confirmed bool // the question whether data may be replaced is not asked
}

// mayReplace asks whether the data of a home is to be replaced by a backup that was verified.
func (a *app) mayReplace(ctx context.Context, cfg *config.Config, m *backup.Manifest, how restoreOptions) error {
	if _, err := os.Stat(cfg.DatabaseFile()); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is replaced
	}
	return a.confirm(ctx, how.confirmed, fmt.Sprintf("Replace the data in %s by this backup of %s? What is replaced is kept under another name.",
		cfg.Home, m.CreatedAt.Local().Format("2006-01-02 15:04")))
}

// restoreHeld is restore under the lock of the home.
func (a *app) restoreHeld(ctx context.Context, cfg *config.Config, in io.Reader, how restoreOptions) (*restored, error) {
	out := &restored{Notes: []string{}}
	unpacked, err := a.prepareRestored(ctx, cfg, in, how, out)
	if err != nil {
		return nil, interrupted(ctx, err, "The restoring was interrupted. The data in "+cfg.Home+" is as it was. Run it again.")
	}
	defer func() { _ = unpacked.Close() }()
	out.Kept, err = unpacked.Swap(time.Now())
	return out, err
}

// prepareRestored unpacks a backup next to the data, and brings it up to date there. Nothing is replaced yet.
func (a *app) prepareRestored(
	ctx context.Context, cfg *config.Config, in io.Reader, how restoreOptions, out *restored,
) (_ *backup.Unpacked, err error) {
	unpacked, err := backup.Unpack(ctx, in, cfg.Home, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = unpacked.Close()
		}
	}()
	if err := a.mayReplace(ctx, cfg, &unpacked.Manifest, how); err != nil {
		return nil, err
	}
	out.Manifest = unpacked.Manifest
	replaced, err := a.replacedHome(ctx, cfg, out)
	if err != nil {
		return nil, err
	}
	entries, err := unpacked.Entries(cfg.Backup.Dir, replaced)
	if err != nil {
		return nil, err
	}
	place, err := homePlace(cfg.Home)
	if err != nil {
		return nil, err
	}
	out.Moved = place != unpacked.Manifest.Place
	r := restoring{out: out, entries: entries, keepJobs: how.keepJobs}
	if replaced != nil {
		r.key = replaced.Key
	}
	if err := a.settle(ctx, cfg, unpacked, &r); err != nil {
		return nil, err
	}
	return unpacked, unpacked.KeepLedger(entries)
}

// replacedHome reads what the restored data must learn from the data that it replaces. nil if
// there is none. A damaged database is no obstacle: it may be why a backup is restored.
func (a *app) replacedHome(ctx context.Context, cfg *config.Config, out *restored) (*sqlite.Replaced, error) {
	if _, err := os.Stat(cfg.DatabaseFile()); err != nil {
		return nil, nil //nolint:nilerr // there is nothing to be replaced
	}
	err := sqlite.Fold(ctx, cfg.DatabaseFile())
	var replaced *sqlite.Replaced
	if err == nil {
		replaced, err = sqlite.ReadReplaced(ctx, cfg.DatabaseFile())
	}
	if fault.CodeOf(err) == "database_in_use" || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		out.Notes = append(out.Notes,
			fmt.Sprintf("the replaced database could not be read (%v); what was forgotten is known from the ledger alone", err))
	}
	return replaced, nil
}

// forgottenAgain counts what was forgotten again.
func forgottenAgain(f *curate.ForgottenAgain) string {
	return countOf(f.Things, "thing", "things") + ", " + countOf(f.Sentences, "single fact", "single facts") + ", " +
		countOf(f.Sessions, "session", "sessions")
}

func (a *app) printRestored(cfg *config.Config, r *restored) error {
	if a.json {
		return a.printJSON(r)
	}
	a.say("Restored %s and %s in %s, as of %s.", countOf(int(r.Sessions), "session", "sessions"),
		countOf(int(r.Messages), "message", "messages"), cfg.Home, r.Manifest.CreatedAt.Local().Format(clock))
	for _, kept := range r.Kept {
		a.say("  kept          %s", kept)
	}
	f := &r.Forgotten
	a.say("  forgotten     again: %s", forgottenAgain(f))
	a.say("  revoked       again: %s", r.revokedAgain())
	a.say("  interrupted   %d runs, %d runs of jobs, %d incoming messages", r.Ended.Runs, r.Ended.Fires, r.Ended.Events)
	a.say("  not sent      %d deliveries and messages", r.Ended.Unsent)
	a.say("  paused        %s", countOf(r.Paused, "job", "jobs"))
	for _, note := range r.Notes {
		a.say("  note          %s", note)
	}
	if r.Moved && r.Paused > 0 {
		a.say("The backup is of another machine or home. When no server runs there any more: hermes jobs resume ID")
	}
	if len(r.Kept) > 0 {
		a.say("What was kept holds the replaced texts. Delete it when you do not need it any more.")
	}
	return nil
}
