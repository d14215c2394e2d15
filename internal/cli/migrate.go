package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/migrate"
	"github.com/hermes-memory/hermes/internal/postgres"
	"github.com/hermes-memory/hermes/internal/sqlite"
	"github.com/hermes-memory/hermes/internal/storage"
)

func (a *app) migrateCommand() *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use: "migrate", Short: "Move all data between a file and PostgreSQL", Args: noArgs,
		Long: `Copy all data from one database to another one, and prove that the copy equals
the source.

A database is a file, or a URL of PostgreSQL. If one side is left out, it is the
configured one: the file in the home, or the database of HERMES_DATABASE_URL, which
keeps a password out of the list of processes.

No server may run on either side. The target must be empty. A copy that was
interrupted is resumed by the same command, and until it is complete no server
starts on the target. The source is not changed: do not start a server on it
again once another one has used the copy.

Bytes of files that people sent on chat platforms are not in the database: they
are in the directory "files" of the home.`,
		Example: `  hermes migrate --from ~/.hermes/state.db --to postgres://hermes@db/hermes
  hermes migrate --from postgres://hermes@db/hermes --to state.db`,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			if from, to, err = bothSides(cfg, from, to); err != nil {
				return err
			}
			return a.migrate(c.Context(), cfg, from, to)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the source: a file, or postgres://…")
	c.Flags().StringVar(&to, "to", "", "the target: a file, or postgres://…")
	return c
}

// isURL reports whether a side is a PostgreSQL database.
func isURL(side string) bool {
	return strings.HasPrefix(side, "postgres://") || strings.HasPrefix(side, "postgresql://")
}

// bothSides fills in the side that is left out.
func bothSides(cfg *config.Config, from, to string) (string, string, error) {
	if err := cmp.Or(checkScheme(from), checkScheme(to)); err != nil {
		return "", "", err
	}
	other := func(side string) string {
		if side == "" || isURL(side) {
			return cfg.DatabaseFile()
		}
		return cfg.Database.URL
	}
	if from == "" {
		from = other(to)
	}
	if to == "" {
		to = other(from)
	}
	if from == "" || to == "" {
		return "", "", usageError{errors.New("say where the data goes: --to postgres://…, or --to FILE with --from postgres://…. See `hermes migrate --help`")}
	}
	return from, to, checkSides(from, to)
}

// checkScheme refuses a URL that is none of PostgreSQL. It is not named, because it may have a password.
func checkScheme(side string) error {
	if scheme, _, is := strings.Cut(side, "://"); is && !isURL(side) {
		return usageError{fmt.Errorf("a database of %s:// cannot be moved. Name a file, or postgres://…", scheme)}
	}
	return nil
}

// checkSides refuses to move a database to itself.
func checkSides(from, to string) error {
	a, b := absolute(from), absolute(to)
	one, err := os.Stat(a)
	if other, wrong := os.Stat(b); a == b || err == nil && wrong == nil && os.SameFile(one, other) {
		return usageError{errors.New("the source and the target are the same database. Name another one with --from or --to")}
	}
	return nil
}

// absolute is the whole path of a file; a URL stays.
func absolute(side string) string {
	if path, err := filepath.Abs(side); err == nil && !isURL(side) {
		return path
	}
	return side
}

// side is an open database of a move.
type side interface {
	migrate.Target
	Name() string
	Close() error
}

// openedSide is a side with its database.
type openedSide struct {
	side
	db interface{ Close() error }
}

// Close ends the move and closes the database.
func (o openedSide) Close() error { return errors.Join(o.side.Close(), o.db.Close()) }

func (a *app) migrate(ctx context.Context, cfg *config.Config, from, to string) (err error) {
	source, err := a.openSide(ctx, cfg, from, storage.MoveFrom)
	if err != nil {
		return sideError("source", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := a.openSide(ctx, cfg, to, storage.MoveTo)
	if err != nil {
		return sideError("target", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	p := a.newProgress()
	defer p.done()
	report, err := migrate.Run(ctx, source, target, func(at migrate.Progress) { p.tell("%s", progressOf(&at)) })
	p.done()
	if err != nil && ctx.Err() != nil {
		return fault.Wrap(fault.Canceled, "interrupted", "The copy was interrupted. The same command resumes it.", err)
	}
	if err != nil {
		return err
	}
	return a.reportMove(report, source.Name(), target.Name(), startOn(cfg, to, target.Name()))
}

// sideError says which side an error of opening is about.
func sideError(side string, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return fmt.Errorf("open the %s: %w", side, err)
	}
	told := *f
	told.Msg = "The " + side + ": " + f.Msg
	return &told
}

// openSide opens one side. A source that is not there is not made.
func (a *app) openSide(ctx context.Context, cfg *config.Config, at string, move storage.MoveSide) (side, error) {
	log := a.newLogger(cfg)
	if isURL(at) {
		db, err := postgres.Open(ctx, postgres.Options{URL: at, Log: log, Move: move})
		if err != nil {
			return nil, err
		}
		m, err := db.Moving(ctx)
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		return openedSide{m, db}, nil
	}
	if _, err := os.Stat(at); move == storage.MoveFrom && errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "file_not_found", at+" is not there. Is the name right?")
	}
	if err := os.Setenv("SQLITE_TMPDIR", filepath.Dir(at)); err != nil { // its temporary files have copies of rows
		return nil, fmt.Errorf("choose the directory of temporary files: %w", err)
	}
	db, err := sqlite.Open(ctx, sqlite.Options{Path: at, Log: log, Move: move})
	if err != nil {
		return nil, err
	}
	m, err := db.Moving(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return openedSide{m, db}, nil
}

// progressOf is the line that shows how far a move has come.
func progressOf(at *migrate.Progress) string {
	if at.Checking {
		return fmt.Sprintf("comparing %s: %d of %d rows", at.Table, at.Rows, at.Of)
	}
	line := fmt.Sprintf("copying %s: %d of %d rows, %s", at.Table, at.Rows, at.Of, megabytes(at.Bytes))
	if at.Left > 0 {
		line += fmt.Sprintf(", %s left", at.Left.Round(time.Second))
	}
	return line
}

// startOn says how a server is started on the target of a move. It uses the file of its home only.
func startOn(cfg *config.Config, to, name string) string {
	file, used := absolute(to), absolute(cfg.DatabaseFile())
	dir := filepath.Dir(file)
	switch {
	case isURL(to), file == used:
		return "Now start the server on " + name + "."
	case filepath.Base(file) == filepath.Base(used):
		return "Now start the server with HERMES_HOME=" + dir + "."
	}
	return "A server uses the file " + filepath.Base(used) + " of its home. Rename the new one to " + filepath.Join(dir, filepath.Base(used)) +
		", together with its -wal if there is one, and start the server with HERMES_HOME=" + dir + "."
}

func (a *app) reportMove(r *migrate.Report, from, to, start string) error {
	if a.json {
		return a.printJSON(struct {
			From string `json:"from"`
			To   string `json:"to"`
			*migrate.Report
			CopySeconds    float64 `json:"copy_seconds"`
			CompareSeconds float64 `json:"compare_seconds"`
		}{from, to, r, r.Copying.Seconds(), r.Compare.Seconds()})
	}
	a.say("Copied %d rows of %d tables with %d messages (%s) in %s.",
		r.Rows, r.Tables, r.Messages, megabytes(r.Bytes), r.Copying.Round(time.Millisecond))
	a.say("The copy equals the source: every row, the running hash of %s, and the state hash of %s, compared in %s.",
		countOf(r.Lineages, "lineage", "lineages"), countOf(r.Scopes, "scope", "scopes"), r.Compare.Round(time.Millisecond))
	if r.Files > 0 {
		a.say("The bytes of %d files that people sent are not in the database: take the directory \"files\" of the home along.", r.Files)
	}
	a.say("%s", start)
	return nil
}
