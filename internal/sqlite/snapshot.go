package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
)

// Snapshot copies the database file at path, which may be in use, into a new file. The copy
// holds what was committed when it began, and all ids. It is on the disk when Snapshot
// returns without an error; otherwise it is removed.
//
// VACUUM INTO reads one snapshot, however long that takes. SQLite's backup API would begin
// again with every write of another connection.
func Snapshot(ctx context.Context, path, into string) error {
	conn, done, err := openOnly(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	return snapshotOf(ctx, conn, into)
}

// snapshotOf is Snapshot of an open database.
func snapshotOf(ctx context.Context, conn *sql.Conn, into string) (err error) {
	// SQLite would make the file readable by others.
	f, err := os.OpenFile(into, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the copy: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(into)
			_ = os.Remove(into + "-journal")
		}
	}()
	if err := f.Close(); err != nil {
		return fmt.Errorf("make the copy: %w", err)
	}
	settled := settling(into)
	_, err = conn.ExecContext(ctx, `VACUUM INTO ?`, into)
	if wrong := settled(); err == nil {
		err = wrong
	}
	if err != nil {
		return copyFault(into, err)
	}
	if f, err = os.OpenFile(into, os.O_RDWR, 0); err != nil {
		return fmt.Errorf("store the copy: %w", err)
	}
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return copyFault(into, err)
	}
	return f.Close()
}

// settleEach is how many bytes a copy grows by between two syncs.
const settleEach = 16 << 20

// settling syncs a file again and again while it grows, until the function returned is called.
// Without that, the system writes a large copy to the disk at once, and each commit of the
// database waits behind it.
func settling(file string) (settled func() error) {
	stop := make(chan struct{})
	ended := recovery.Async(func() error {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for synced := int64(0); ; {
			select {
			case <-stop:
				return f.Close()
			case <-tick.C:
			}
			if info, err := f.Stat(); err == nil && info.Size() >= synced+settleEach {
				synced = info.Size()
				_ = f.Sync() // the last sync of the copy tells what is wrong
			}
		}
	})
	return func() error {
		close(stop)
		return <-ended
	}
}

// copyFault says why the database could not be copied.
func copyFault(into string, err error) error {
	switch codeOf(err) & 0xff {
	case codeFull:
		return fault.Wrap(fault.Unavailable, "disk_full",
			"The disk became full while the database was copied to "+filepath.Dir(into)+". Free some space and try again.", err)
	case sqliteCorrupt:
		return fault.Wrap(fault.Unavailable, "database_damaged",
			"The database cannot be copied, because it is damaged. See: hermes doctor --deep", err)
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
