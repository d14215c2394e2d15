package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Version is the version of SQLite in this program.
const Version = sqlite3.SQLITE_VERSION

//go:embed migrations/*.sql
var migrationFiles embed.FS

// refuseForeign reads the header of an existing file before anything is written: a
// database without this program's application id belongs to another program.
func refuseForeign(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at database file: %w", err)
	}
	defer func() { _ = f.Close() }()
	// The SQLite file format describes the header: a magic string, and the application
	// id as a big-endian number at offset 68.
	var header [100]byte
	n, err := io.ReadFull(f, header[:])
	if n == 0 && errors.Is(err, io.EOF) {
		return nil // created, but nothing written before a crash
	}
	if err == nil && string(header[:16]) == "SQLite format 3\x00" && binary.BigEndian.Uint32(header[68:]) == applicationID {
		return nil
	}
	return fault.New(fault.Invalid, "foreign_database",
		path+" was made by another program, so it is left alone. "+
			"Choose another place for the data with HERMES_HOME, for example: HERMES_HOME=~/.hermes-go hermes serve")
}

// prepareFile sets the modes of the file, reads them back, and migrates the schema.
func prepareFile(ctx context.Context, conn *sql.Conn, opt *Options) error {
	// The application id comes first, while the header is still written in place.
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)); err != nil {
		return fmt.Errorf("mark database: %w", err)
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
		return fmt.Errorf("set journal mode: %w", err)
	}
	if err := checkModes(ctx, conn, opt.Synchronous); err != nil {
		return err
	}
	return migrate(ctx, conn, opt)
}

// checkModes reads back the settings on which durability depends.
func checkModes(ctx context.Context, conn *sql.Conn, synchronous string) error {
	sync := map[string]string{"OFF": "0", "NORMAL": "1", "FULL": "2", "EXTRA": "3"}[synchronous]
	for _, c := range []struct{ query, want string }{
		{`PRAGMA journal_mode`, "wal"}, {`PRAGMA synchronous`, sync}, {`PRAGMA foreign_keys`, "1"},
		{`PRAGMA secure_delete`, "1"}, {`PRAGMA trusted_schema`, "0"},
	} {
		var got string
		if err := conn.QueryRowContext(ctx, c.query).Scan(&got); err != nil {
			return fmt.Errorf("read back %s: %w", c.query, err)
		}
		if got != c.want {
			return fault.New(fault.Unavailable, "database_mode", fmt.Sprintf(
				"The database is not durable here: %s is %s, but must be %s. Network file systems are not supported; move HERMES_HOME to a local disk.", c.query, got, c.want))
		}
	}
	var version string
	if err := conn.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&version); err != nil {
		return fmt.Errorf("read SQLite's version: %w", err)
	}
	if olderVersion(version, minVersion) {
		return fmt.Errorf("SQLite %s is too old, %s is needed", version, minVersion)
	}
	return nil
}

// olderVersion compares dotted versions.
func olderVersion(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}

// migrate makes the tables of a new file, or applies the migrations that a file lacks, each in a
// transaction. user_version counts them, so that any tool can read the version. A copy of the
// file is kept from before.
func migrate(ctx context.Context, conn *sql.Conn, opt *Options) error {
	scripts, err := migrationScripts()
	if err != nil {
		return err
	}
	var version int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if version > len(scripts) {
		return errNewer(version, len(scripts), wayBack(opt.Path, len(scripts)))
	}
	if version == 0 {
		return create(ctx, conn, scripts)
	}
	if err := checkSchema(ctx, conn, scripts[:version]); err != nil {
		return err
	}
	keep := version < len(scripts) && !opt.NoCopy
	if keep {
		if keep, err = holdsData(ctx, conn); err != nil {
			return err
		}
	}
	if keep {
		if err := keepVersion(ctx, conn, opt, version); err != nil {
			return err
		}
	}
	for i := version; i < len(scripts); i++ {
		if err := transact(ctx, conn, scripts[i], upTo(scripts[:i+1])); err != nil {
			return fmt.Errorf("migrate to version %d: %w", i+1, err)
		}
	}
	if keep {
		return dropVersions(opt.Path, version)
	}
	return nil
}

// create makes all tables of a new file in one transaction. It makes the text index of this program
// at once, so that no start has to replace the one of the migrations.
func create(ctx context.Context, conn *sql.Conn, scripts []string) error {
	all := append(slices.Clone(scripts), upTo(scripts), "DROP TABLE "+textIndex+";", createTextIndex)
	if err := transact(ctx, conn, all...); err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	return nil
}

// transact runs scripts in one transaction.
func transact(ctx context.Context, conn *sql.Conn, scripts ...string) error {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE;\n"+strings.Join(scripts, "\n")+"\nCOMMIT;"); err != nil {
		_, _ = conn.ExecContext(ctx, `ROLLBACK`) // the error below is what matters
		return err
	}
	return nil
}

// upTo are the statements that store which migrations a file has.
func upTo(scripts []string) string {
	return fmt.Sprintf("%s\nPRAGMA user_version = %d;", markSchema(scripts), len(scripts))
}

// errNewer refuses a file that a newer program has changed.
func errNewer(version, known int, also string) error {
	return fault.New(fault.Invalid, "newer_database", fmt.Sprintf(
		"The database has schema version %d, this program knows up to %d. Use the newer hermes that wrote it.%s", version, known, also))
}

// migrationScripts are all migrations, oldest first.
func migrationScripts() ([]string, error) {
	entries, err := migrationFiles.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	scripts := make([]string, len(entries))
	for i, e := range entries {
		script, err := migrationFiles.ReadFile("migrations/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		scripts[i] = string(script)
	}
	return scripts, nil
}

// schemaMark identifies the tables that some migrations create.
func schemaMark(scripts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(scripts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// markSchema is the statement that stores the mark.
func markSchema(scripts []string) string {
	return `INSERT OR REPLACE INTO meta (name, value) VALUES ('schema', '` + schemaMark(scripts) + `');`
}

// checkSchema refuses a file of the same version whose tables were created by other
// scripts: a build between two releases wrote it, and statements would fail one by one.
func checkSchema(ctx context.Context, conn *sql.Conn, scripts []string) error {
	if len(scripts) == 0 {
		return nil
	}
	var mark string
	err := conn.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'schema'`).Scan(&mark)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("read schema mark: %w", err)
	}
	if mark != schemaMark(scripts) {
		return fault.New(fault.Invalid, "unreleased_database",
			"The database was written by a build between two releases, with other tables. Export it with that build (hermes sessions export), move the file away, and import the export.")
	}
	return nil
}
