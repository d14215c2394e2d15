package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
)

// copyName is the file that keeps a database as it was at a schema version.
func copyName(path string, version int) string { return path + ".v" + strconv.Itoa(version) }

// holdsData reports whether a database has rows that no migration made. A first start that was interrupted leaves tables
// without such rows.
func holdsData(ctx context.Context, conn *sql.Conn) (bool, error) {
	var tables []string
	const ours = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('meta', 'id_ranges')
		AND instr(name, 'sqlite_') <> 1 AND instr(name, ?) <> 1`
	err := eachOf(ctx, conn, ours, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		tables = append(tables, name)
		return err
	}, textIndex)
	if err != nil {
		return false, fmt.Errorf("list the tables: %w", err)
	}
	for _, table := range tables {
		var holds bool
		if err := conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+table+`")`).Scan(&holds); err != nil || holds {
			return holds, err
		}
	}
	return false, nil
}

// keepVersion copies the database as it is before migrations, and verifies the copy. A program
// of that version opens it. The copy has its name only once it is whole.
func keepVersion(ctx context.Context, conn *sql.Conn, opt *Options, version int) error {
	path, roomOf := opt.Path, opt.Room
	if roomOf == nil {
		roomOf = RoomOf
	}
	var size int64
	const bytes = `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	if err := conn.QueryRowContext(ctx, bytes).Scan(&size); err != nil {
		return fmt.Errorf("read the size of the database: %w", err)
	}
	if room := roomOf(filepath.Dir(path)); !room.Holds(size) {
		return fault.New(fault.Unavailable, "no_room_for_copy", fmt.Sprintf(
			"This program changes the tables of the database, and keeps a copy from before. The copy needs %d MB, and %d MB are free in %s. "+
				"Free some space, or start once with --no-copy after a backup of your own.", size>>20+1, room.Free>>20, filepath.Dir(path)))
	}
	part := copyName(path, version) + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove an unfinished copy: %w", err)
	}
	err := snapshotOf(ctx, conn, part, atOnce)
	if err == nil {
		_, err = Verify(ctx, part)
	}
	if err == nil {
		err = os.Rename(part, copyName(path, version))
	}
	if err != nil {
		_ = os.Remove(part)
		return fault.Wrap(fault.Unavailable, "copy_failed", fmt.Sprintf(
			"This program changes the tables of the database, and the copy from before could not be made: %v. "+
				"Nothing was changed. See hermes doctor --deep of the version before, or start once with --no-copy.", err), err)
	}
	_ = durable.SyncDir(filepath.Dir(path)) // some file systems cannot do that
	return nil
}

// dropVersions removes the copies of other versions than the newest one. They stay until the
// next migrations have succeeded.
func dropVersions(path string, keep int) error {
	all, err := filepath.Glob(path + ".v*")
	if err != nil {
		return err
	}
	for _, file := range all {
		text := strings.TrimPrefix(file, path+".v")
		if n, err := strconv.Atoi(text); err != nil || n == keep {
			continue
		}
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("remove an earlier copy: %w", err)
		}
	}
	return nil
}

// wayBack tells of the copy that this program can open, if there is one.
func wayBack(path string, known int) string {
	file := copyName(path, known)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return " To go back, put " + file + " into its place: it has what was stored before the upgrade. See docs/backup.md."
}
