package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Standing is what a database file holds, in numbers that a copy must have, too.
type Standing struct {
	// Schema is the version of the tables.
	Schema int `json:"schema"`
	// Newest is the id of the newest message.
	Newest int64 `json:"newest_message_id"`
	// Counts are the numbers of rows, by table.
	Counts map[string]int64 `json:"counts"`
	// Lineages is a hash over the newest position and the running hash of every lineage.
	Lineages string `json:"lineages_sha256"`
}

// Equal reports whether two standings are the same.
func (s *Standing) Equal(o *Standing) bool {
	return s.Schema == o.Schema && s.Newest == o.Newest && s.Lineages == o.Lineages && maps.Equal(s.Counts, o.Counts)
}

// countedTables are the tables of which a standing has the number of rows.
func countedTables() []string { return []string{"sessions", "messages", "jobs", "api_keys"} }

// CodeDamagedCopy is the code of what Verify returns for a damaged file.
const CodeDamagedCopy = "damaged_copy"

// Verify reads a whole database file that no process has open, and returns its standing. It
// fails with Invalid if the file is damaged, of another program or of a newer version.
func Verify(ctx context.Context, path string) (Standing, error) {
	conn, done, err := openOnly(ctx, path)
	if err != nil {
		return Standing{}, err
	}
	defer done()
	if err := checkVersion(ctx, conn); err != nil {
		return Standing{}, err
	}
	for _, check := range []func(context.Context, *sql.Conn) (string, error){checkIntegrity, checkChains} {
		wrong, err := check(ctx, conn)
		if err == nil && wrong != "" {
			err = fault.New(fault.Invalid, CodeDamagedCopy, "The database file is damaged: "+wrong)
		}
		if err != nil {
			return Standing{}, err
		}
	}
	return standingOf(ctx, conn)
}

// StandingOf is the standing of a database file that may be in use, without a check for
// damage.
func StandingOf(ctx context.Context, path string) (Standing, error) {
	conn, done, err := openOnly(ctx, path)
	if err != nil {
		return Standing{}, err
	}
	defer done()
	return standingOf(ctx, conn)
}

// checkVersion refuses tables that this program does not know.
func checkVersion(ctx context.Context, conn *sql.Conn) error {
	scripts, err := migrationScripts()
	if err != nil {
		return err
	}
	var version int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return damaged(err)
	}
	if version > len(scripts) {
		return errNewer(version, len(scripts), "")
	}
	if version == 0 {
		return fault.New(fault.Invalid, "empty_database", "The database file holds no tables.")
	}
	err = checkSchema(ctx, conn, scripts[:version])
	if codeOf(err) != 0 {
		return damaged(err)
	}
	return err
}

// damaged names the damage that a statement met.
func damaged(err error) error {
	if isDamage(err) {
		return fault.Wrap(fault.Invalid, CodeDamagedCopy, "The database file is damaged: "+err.Error(), err)
	}
	return fmt.Errorf("read the database: %w", err)
}

// isDamage reports whether a statement met pages that are not as SQLite writes them.
func isDamage(err error) bool {
	code := codeOf(err) & 0xff
	return code == sqliteCorrupt || code == codeNotADatabase
}

// codeNotADatabase is SQLite's code for a file whose header is none of its own.
const codeNotADatabase = 26

// checkIntegrity is the first damage that SQLite finds; "" for none. The tables are checked one
// by one, without the text index: it is derived data, is made again when it is damaged, and takes
// more than half of the time of a check of everything.
func checkIntegrity(ctx context.Context, conn *sql.Conn) (string, error) {
	tables := []string{"sqlite_schema"} // with the list of free pages
	const ours = `SELECT name FROM sqlite_schema WHERE type = 'table' AND instr(name, ?) <> 1 ORDER BY name`
	err := eachOf(ctx, conn, ours, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		tables = append(tables, name)
		return err
	}, textIndex)
	if err != nil {
		return "", damaged(err)
	}
	for _, table := range tables {
		wrong, err := checkTable(ctx, conn, table)
		if err != nil || wrong != "" {
			return wrong, err
		}
	}
	return "", nil
}

// checkTable is the first damage that SQLite finds in a table and its indexes; "" for none.
func checkTable(ctx context.Context, conn *sql.Conn, table string) (wrong string, err error) {
	err = eachOf(ctx, conn, `SELECT integrity_check FROM pragma_integrity_check(?)`, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		if line != "ok" && wrong == "" {
			wrong = line
		}
		return err
	}, table)
	if err != nil {
		return "", damaged(err)
	}
	return wrong, nil
}

// checkChains names a lineage whose messages have a gap, or end elsewhere than its session
// says; "" if there is none.
func checkChains(ctx context.Context, conn *sql.Conn) (string, error) {
	const broken = `SELECT s.root_id, s.next_seq, coalesce(m.n, 0) FROM sessions s
		LEFT JOIN (SELECT owner_id, root_id, count(*) AS n, max(seq) AS last FROM messages GROUP BY owner_id, root_id) m
			ON m.owner_id = s.owner_id AND m.root_id = s.root_id
		WHERE s.is_tip AND (s.next_seq <> coalesce(m.n, 0) OR s.next_seq <> coalesce(m.last, -1) + 1) LIMIT 1`
	var root string
	var next, n int64
	err := conn.QueryRowContext(ctx, broken).Scan(&root, &next, &n)
	switch {
	case isNoRows(err):
		return "", nil
	case err != nil:
		return "", damaged(err)
	}
	return fmt.Sprintf("the session %.60q should have %d messages, and has %d", root, next, n), nil
}

func standingOf(ctx context.Context, conn *sql.Conn) (s Standing, err error) {
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&s.Schema); err != nil {
		return s, damaged(err)
	}
	tables := countedTables()
	parts, counts, into := make([]string, len(tables)), make([]int64, len(tables)), []any{&s.Newest}
	for i, table := range tables {
		parts[i] = `(SELECT count(*) FROM ` + table + `)`
		into = append(into, &counts[i])
	}
	query := `SELECT coalesce((SELECT max(id) FROM messages), 0), ` + strings.Join(parts, ", ")
	if err := conn.QueryRowContext(ctx, query).Scan(into...); err != nil {
		return s, damaged(err)
	}
	s.Counts = make(map[string]int64)
	for i, table := range tables {
		s.Counts[table] = counts[i]
	}
	s.Lineages, err = digestLineages(ctx, conn)
	return s, err
}

// digestLineages is a hash over the ends of all lineages.
func digestLineages(ctx context.Context, conn *sql.Conn) (_ string, err error) {
	rows, err := conn.QueryContext(ctx, lineageEnds)
	if err != nil {
		return "", damaged(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	sum := sha256.New()
	for rows.Next() {
		var who, root string
		var seq int64
		var hash []byte
		if err := rows.Scan(&who, &root, &seq, &hash); err != nil {
			return "", damaged(err)
		}
		for _, part := range []string{who, root, string(hash)} {
			sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			sum.Write([]byte(part))
		}
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(seq))) //nolint:gosec // the bits of it
	}
	if err := rows.Err(); err != nil {
		return "", damaged(err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
