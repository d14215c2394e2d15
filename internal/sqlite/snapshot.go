package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	modernc "modernc.org/sqlite"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
)

// Snapshot copies the database file at path, which may be in use, into a new file. The copy
// holds what was committed when it began, and all ids. It is on the disk when Snapshot
// returns without an error; otherwise it is removed. It takes its time, so that turns go on
// meanwhile. Damage is copied, too: see [Verify].
func Snapshot(ctx context.Context, path, into string) error {
	conn, done, err := openOnly(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	return snapshotOf(ctx, conn, into, (*durable.Pace).Wrote)
}

// atOnce is for a copy of a database that nothing else uses.
func atOnce(*durable.Pace, int64) error { return nil }

// snapshotOf is Snapshot of an open database. After each step it calls wrote.
func snapshotOf(ctx context.Context, conn *sql.Conn, into string, wrote func(*durable.Pace, int64) error) (err error) {
	// SQLite would make the file readable by others.
	f, err := os.OpenFile(into, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the copy: %w", err)
	}
	defer func() {
		if codeOf(err)&0xff == codeIO { // SQLite does not tell why a write failed
			err = errors.Join(err, extend(f))
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			_ = os.Remove(into)
			err = copyFault(into, err)
		}
	}()
	pace := durable.NewPace(f)
	if err := copyPages(ctx, conn, into, func(n int64) error { return wrote(pace, n) }); err != nil {
		return err
	}
	// The header still says that the file has a log. Without one, who reads it needs no other file.
	// The file format of SQLite describes the two bytes.
	const versions, noLog = 18, "\x01\x01"
	if _, err := f.WriteAt([]byte(noLog), versions); err != nil {
		return err
	}
	return f.Sync()
}

// extend writes behind the end of a file, to learn why that fails.
func extend(f *os.File) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.WriteAt(make([]byte, 1), end)
	}
	return err
}

// copyStep is how many pages are copied at once.
const copyStep = 64

// copyPages copies all pages with SQLite's backup API. A transaction of its own keeps its
// snapshot from step to step. Without one the copy would begin again with every write of another
// connection.
func copyPages(ctx context.Context, conn *sql.Conn, into string, wrote func(int64) error) (err error) {
	var pageSize int64
	if err := conn.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&pageSize); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	defer func() {
		_, ended := conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		err = errors.Join(err, ended)
	}()
	var version int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil { // begins to read
		return err
	}
	return conn.Raw(func(from any) error {
		source, ok := from.(interface {
			NewBackup(into string) (*modernc.Backup, error)
		})
		if !ok {
			return fmt.Errorf("the driver's connection %T makes no backups", from)
		}
		// The caller syncs the file, and removes it after an error.
		b, err := source.NewBackup(fileURL(into, url.Values{"_pragma": {"journal_mode(OFF)", "synchronous(OFF)"}}))
		if err != nil {
			return err
		}
		for more := true; more; {
			if more, err = b.Step(copyStep); err == nil {
				err = wrote(copyStep * pageSize)
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return errors.Join(err, b.Finish())
			}
		}
		return b.Finish()
	})
}

// copyFault says why the database could not be copied.
func copyFault(into string, err error) error {
	switch codeOf(err) & 0xff {
	case codeFull:
		return fault.Wrap(fault.Unavailable, "disk_full",
			"The disk became full while the database was copied to "+filepath.Dir(into)+". Free some space and try again.", err)
	case sqliteCorrupt:
		return fault.Wrap(fault.Unavailable, codeDamaged,
			"The database file is damaged: it cannot be read. See: hermes doctor --deep", err)
	}
	if why, next, is := durable.Unwritable(err); is {
		return fault.Wrap(fault.Unavailable, "copy_unwritable", "The copy of the database cannot be written to "+into+": "+why+". "+next, err)
	}
	return fmt.Errorf("copy the database: %w", err)
}

// openOnly opens a database file for reading, besides the process that owns it.
func openOnly(ctx context.Context, path string) (*sql.Conn, func(), error) {
	if err := refuseForeign(path); err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("look at the database: %w", err)
	}
	return openPlain(ctx, path, "ro")
}

// openPlain opens a file in a mode of SQLite, and returns what closes it.
func openPlain(ctx context.Context, path, mode string) (*sql.Conn, func(), error) {
	q := url.Values{"mode": {mode}}
	for _, p := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "trusted_schema(OFF)", "mmap_size(0)", "cell_size_check(ON)",
	} {
		q.Add("_pragma", p)
	}
	db, err := sql.Open("sqlite", fileURL(path, q))
	if err != nil {
		return nil, nil, fmt.Errorf("open database: %w", err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, nil, fmt.Errorf("open database: %w", err)
	}
	return conn, func() { _ = conn.Close(); _ = db.Close() }, nil
}

// Fold moves what the log of a closed database holds into its file, so that the file alone
// is the whole database. The caller holds the lock of the file.
func Fold(ctx context.Context, path string) error {
	conn, done, err := openPlain(ctx, path, "rw")
	if err != nil {
		return err
	}
	defer done()
	var busy, log, moved int
	if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil {
		return fmt.Errorf("empty the log: %w", err)
	}
	if busy != 0 {
		return fault.New(fault.Conflict, "database_in_use", "Another program reads "+path+". Close it and try again.")
	}
	return nil
}
