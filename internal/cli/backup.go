package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/terminal"
)

func (a *app) backupCommand() *cobra.Command {
	var withConfig, force bool
	c := &cobra.Command{
		Use: "backup FILE", Short: "Back up all data to a file, while the server runs", Args: oneFile,
		Long: `Write a backup to a file: the database as it is now, skills, files that people
sent, and what a restored home must forget again. The server goes on meanwhile.

The backup is verified before it gets its name. It holds all texts in the clear,
and is readable by this account only. '-' writes to the standard output, for a
program that encrypts it or takes it elsewhere. config.yaml may hold keys of
other services, so that it is left out unless --with-config is given.

'hermes restore FILE' brings the data back, here or on another machine. Backups
at regular times: backup.dir in config.yaml, see docs/backup.md.`,
		Example: `  hermes backup hermes.tar
  hermes backup - | age -r age1… > hermes.tar.age
  hermes backup - | ssh elsewhere 'cat > hermes.tar'`,
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := a.homeToBackUp(); err != nil {
				return err
			}
			if _, err := a.mayOverwrite(c.Context(), args[0], force); err != nil {
				return err
			}
			if args[0] == "-" && terminal.IsTerminal(a.process.Stdout) {
				return usageError{errors.New("a backup is no text for a terminal; name a file, or pipe it into a program")}
			}
			return a.withClient(c, func(cl *client) error { return a.backup(c.Context(), cl, args[0], withConfig) })
		},
	}
	c.Flags().BoolVar(&withConfig, "with-config", false, "with config.yaml, which may hold keys")
	c.Flags().BoolVar(&force, "force", false, "replace an earlier backup in the file")
	return c
}

// errElsewhere refuses what is about the file in the home while the data is in PostgreSQL.
func errElsewhere() error {
	return fault.New(fault.Invalid, "backup_elsewhere",
		"The data is in a PostgreSQL database, which has backups of its own: pg_dump, or the archive of its log. See docs/backup.md.")
}

// homeToBackUp is the configuration, if the data is a file in the home.
func (a *app) homeToBackUp() (*config.Config, error) {
	cfg, err := a.load()
	if err == nil && cfg.Database.URL != "" {
		err = errElsewhere()
	}
	return cfg, err
}

// backup writes a backup from the server to a file, or to the standard output.
func (a *app) backup(ctx context.Context, cl *client, file string, withConfig bool) error {
	m, err := a.saveBackup(ctx, cl, file, withConfig)
	switch {
	case err != nil && file == "-":
		return interrupted(ctx, err, "The backup was interrupted. What was written of it is not complete, and cannot be restored. Run it again.")
	case err != nil:
		return interrupted(ctx, err, "The backup was interrupted: "+file+" is as it was. Run it again.")
	case file == "-":
		return nil
	case a.json:
		return a.printJSON(map[string]any{"file": file, "bytes": m.Size(), "manifest": m})
	}
	a.say("Backed up %s and %s to %s (%s). It is verified, and holds all texts in the clear.",
		countOf(int(m.Counts["sessions"]), "session", "sessions"), countOf(int(m.Counts["messages"]), "message", "messages"),
		file, megabytes(m.Size()))
	if n := len(m.LeftOut); n > 0 {
		a.say("Left out %s: %s. A backup holds files alone. Copy what a link leads to by yourself.",
			countOf(n, "link, pipe or the like", "links, pipes and the like"), firstNames(m.LeftOut))
	}
	return nil
}

// saveBackup has the server make a backup, and stores it.
func (a *app) saveBackup(ctx context.Context, cl *client, file string, withConfig bool) (m backup.Manifest, err error) {
	p := a.newProgress()
	defer p.done()
	res, err := during(p, "the server copies its database and checks the copy", func() (*http.Response, error) {
		return cl.send(ctx, http.MethodGet, fmt.Sprintf("/api/backup?config=%t", withConfig), nil, nil)
	})
	if err != nil {
		return m, err
	}
	defer func() { _ = res.Body.Close() }()
	if file == "-" {
		return backup.Read(io.TeeReader(res.Body, a.raw), nil)
	}
	size, err := strconv.ParseInt(res.Header.Get("X-Hermes-Backup-Size"), 10, 64)
	if err == nil {
		err = backup.Fits(file, size)
	}
	if err != nil {
		return m, err
	}
	return backup.Save(file, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, &stored{p: p, of: size}), res.Body)
		return err
	})
}

// firstNames are the first of some names.
func firstNames(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", and more"
	}
	return strings.Join(names, ", ")
}

// stored tells how much of a backup is stored.
type stored struct {
	p        *progress
	done, of int64
}

// Write implements io.Writer.
func (s *stored) Write(b []byte) (int, error) {
	s.done += int64(len(b))
	s.p.tell("stored %s of %s", megabytes(s.done), megabytes(s.of))
	return len(b), nil
}

// backups makes backups of a server's home.
type backups struct{ *backup.Source }

// Make implements httpapi.Backups.
func (b backups) Make(ctx context.Context, withConfig bool) (httpapi.BackupCopy, error) {
	return b.Source.Make(ctx, withConfig)
}

// copies are the earlier states of a server's data.
type copies struct{ s *server }

func (c copies) list() ([]backup.Copy, error) {
	return backup.Copies(c.s.cfg.Home, c.s.cfg.Backup.Dir, backupPlan(c.s.cfg), c.s.now())
}

// Copies implements httpapi.Copies.
func (c copies) Copies(context.Context) ([]httpapi.Copy, error) {
	all, err := c.list()
	out := make([]httpapi.Copy, len(all))
	for i := range all {
		out[i] = httpapi.Copy{File: all[i].File, At: all[i].At, ByHand: all[i].ByHand}
		if !all[i].AgesOut.IsZero() {
			out[i].AgesOut = &all[i].AgesOut
		}
	}
	return out, err
}

// DeleteCopies implements httpapi.Copies.
func (c copies) DeleteCopies(ctx context.Context) (int, error) {
	return c.s.backups.DeleteCopies(ctx, c.list)
}

// setBackups prepares backups of the home, and removes what interrupted ones have left. This process
// owns the home.
func (s *server) setBackups() error {
	if err := backup.Tidy(s.cfg.Home); err != nil || s.cfg.Database.URL != "" {
		return err
	}
	place, err := homePlace(s.cfg.Home)
	if err != nil {
		return err
	}
	s.backups = &backup.Source{Home: s.cfg.Home, Program: Version(), Place: place, Now: s.now}
	return nil
}

// backupPlan is the plan of a configuration.
func backupPlan(cfg *config.Config) backup.Plan {
	return backup.Plan{Every: cfg.Backup.Every, Daily: cfg.Backup.KeepDaily, Weekly: cfg.Backup.KeepWeekly}
}

// backupKeeper makes backups at regular times; nil if none are configured. The ledger is
// copied to the directory of backups in any case.
func (s *server) backupKeeper() *backup.Keeper {
	if err := s.ledger.Copy(); err != nil {
		s.log.Warn("the ledger of erasures could not be copied to the directory of backups", "err", err)
	}
	if s.backups == nil || s.cfg.Backup.Dir == "" {
		return nil
	}
	return &backup.Keeper{Source: s.backups, Ledger: s.ledger, Dir: s.cfg.Backup.Dir, Plan: backupPlan(s.cfg), Log: s.log}
}

// homePlace names a home on this machine among all homes and nodes, without telling either. A copy of
// a home has another name, wherever it is.
func homePlace(home string) (string, error) {
	id, err := nodeID(home)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(home)
	if err != nil {
		return "", fmt.Errorf("find the home: %w", err)
	}
	sum := sha256.Sum256([]byte(hostName() + " " + id + "\x00" + abs))
	return hex.EncodeToString(sum[:8]), nil
}
