package sqlite

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// pageSizeOfTests is the size of the pages of the files here.
const pageSizeOfTests = 4096

// TestOpenDamaged opens files whose pages are not SQLite's: the error names the file, the
// damage, and what to do.
func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(file []byte) []byte{
		"schema":          func(file []byte) []byte { return fill(file, 100, pageSizeOfTests, 0) },
		"all but a few":   func(file []byte) []byte { return fill(file, 10*pageSizeOfTests, len(file), 0xa5) },
		"cut in the half": func(file []byte) []byte { return file[:len(file)/2] },
		"of one page":     func(file []byte) []byte { return file[:pageSizeOfTests] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := harmed(t, harm)
			before, _ := os.ReadFile(path)
			db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
			if err == nil {
				_ = db.Close()
			}
			says := fault.MessageOf(err)
			if fault.CodeOf(err) != "database_damaged" || !strings.Contains(says, path) || !strings.Contains(says, "hermes restore FILE") {
				t.Fatalf("got %v, want database_damaged with the file and the way out", err)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// TestCheckDamaged checks a file that opens, and has a damaged table: the damage is found, and is
// no failure of the check.
func TestCheckDamaged(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"messages", "facts", "sessions", "audit"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			path := harmed(t, nil)
			var root int
			if err := raw(t, path).QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_master WHERE name = ?`, table).Scan(&root); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := (root - 1) * pageSizeOfTests
			if err := os.WriteFile(path, fill(file, at, at+200, 0x5a), 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
			if fault.CodeOf(err) == "database_damaged" {
				return // the start reads this table
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			if err := readAll(t, db, table); fault.CodeOf(err) != "database_damaged" || !strings.Contains(fault.MessageOf(err), "hermes restore FILE") {
				t.Errorf("a read: got %v, want database_damaged with the way out", err)
			}
			for _, deep := range []bool{false, true} {
				if found, err := db.Check(t.Context(), deep); err != nil || len(found) == 0 {
					t.Errorf("deep=%t: got %q, %v, want damage", deep, found, err)
				}
			}
		})
	}
}

// readAll reads every row of a table.
func readAll(t *testing.T, db *DB, table string) error {
	t.Helper()
	rows, err := db.read.QueryContext(t.Context(), `SELECT * FROM `+table)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
	}
	return rows.Err()
}

// harmed is a closed database file after a change of its bytes.
func harmed(t *testing.T, harm func([]byte) []byte) string {
	t.Helper()
	path := t.TempDir() + "/state.db"
	db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if harm == nil {
		return path
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, harm(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func fill(file []byte, from, to int, with byte) []byte {
	for i := from; i < min(to, len(file)); i++ {
		file[i] = with
	}
	return file
}
