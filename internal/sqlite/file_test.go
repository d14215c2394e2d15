package sqlite

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

func TestCreateIsWhole(t *testing.T) {
	t.Parallel()
	file, err := newPool(tempFile(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	conn, err := file.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	scripts, err := migrationScripts()
	if err != nil {
		t.Fatal(err)
	}
	if err := create(t.Context(), conn, append(slices.Clone(scripts), "NO STATEMENT;")); err == nil {
		t.Error("create with a broken migration: got no error")
	}
	if there, err := thereNow(t.Context(), conn); err != nil || len(there) > 0 {
		t.Errorf("after a failure the file has %v (%v), want nothing", there, err)
	}
	if err := create(t.Context(), conn, scripts); err != nil {
		t.Errorf("create after a failure: %v", err)
	}
	var version int
	if err := conn.QueryRowContext(t.Context(), `PRAGMA user_version`).Scan(&version); err != nil || version != len(scripts) {
		t.Errorf("the version is %d (%v), want %d", version, err, len(scripts))
	}
}

func TestOpenModes(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	for _, pool := range []string{"write", "read"} {
		for _, c := range []struct{ pragma, want string }{
			{"journal_mode", "wal"}, {"synchronous", "2"}, {"foreign_keys", "1"}, {"secure_delete", "1"},
			{"trusted_schema", "0"}, {"mmap_size", "0"}, {"cell_size_check", "1"}, {"busy_timeout", "5000"},
			{"application_id", fmt.Sprint(applicationID)}, {"user_version", fmt.Sprint(len(migrations(t)))},
		} {
			var got string
			var err error
			if pool == "write" {
				err = db.w.submit(t.Context(), func(tx *tx) error { return tx.row("PRAGMA " + c.pragma).Scan(&got) })
			} else {
				err = db.read.QueryRowContext(t.Context(), "PRAGMA "+c.pragma).Scan(&got)
			}
			if err != nil || got != c.want {
				t.Errorf("%s, %s connection: got %q (%v), want %q", c.pragma, pool, got, err, c.want)
			}
		}
	}
	if _, err := db.read.ExecContext(t.Context(), `DELETE FROM messages`); err == nil {
		t.Error("a reading connection wrote: got no error, want a refusal")
	}
}

// migrations are the names of the schema's files.
func migrations(t *testing.T) []fs.DirEntry {
	t.Helper()
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestCheckModesRefuses(t *testing.T) {
	t.Parallel()
	for _, pragma := range []string{"journal_mode = DELETE", "synchronous = NORMAL", "foreign_keys = OFF", "secure_delete = OFF", "trusted_schema = ON"} {
		t.Run(pragma, func(t *testing.T) {
			t.Parallel()
			db := raw(t, tempFile(t))
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			for _, good := range []string{"journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON", "trusted_schema = OFF"} {
				if _, err := conn.ExecContext(t.Context(), "PRAGMA "+good); err != nil {
					t.Fatal(err)
				}
			}
			if err := checkModes(t.Context(), conn, "FULL"); err != nil {
				t.Fatalf("good modes: got %v, want no error", err)
			}
			if _, err := conn.ExecContext(t.Context(), "PRAGMA "+pragma); err != nil {
				t.Fatal(err)
			}
			if err := checkModes(t.Context(), conn, "FULL"); fault.CodeOf(err) != "database_mode" {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
}

func TestOlderVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"3.51.3", "3.51.3", false}, {"3.51.2", "3.51.3", true}, {"3.9.0", "3.51.3", true}, {"3.53.0", "3.51.3", false},
		{"4.0", "3.51.3", false}, {"3.51", "3.51.3", true}, {"3.51.3.1", "3.51.3", false}, {"", "3.51.3", true},
	} {
		if got := olderVersion(c.a, c.b); got != c.want {
			t.Errorf("olderVersion(%q, %q): got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestForeignFile finds files of others where ours should be.
func TestForeignFile(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, path string){
		"a text":            func(t *testing.T, path string) { writeFile(t, path, "Dear diary,\n") },
		"a short text":      func(t *testing.T, path string) { writeFile(t, path, "x") },
		"a long text":       func(t *testing.T, path string) { writeFile(t, path, strings.Repeat("text ", 1000)) },
		"a torn header":     func(t *testing.T, path string) { writeFile(t, path, "SQLite format 3\x00") },
		"another program's": func(t *testing.T, path string) { must(t, raw(t, path), `CREATE TABLE messages (id)`) },
		"another program's, WAL": func(t *testing.T, path string) {
			must(t, raw(t, path), `PRAGMA journal_mode = WAL`, `CREATE TABLE t (id)`)
		},
		"another application's": func(t *testing.T, path string) {
			must(t, raw(t, path), `PRAGMA application_id = 1196444487`, `CREATE TABLE t (id)`)
		},
		"without an application": func(t *testing.T, path string) { must(t, raw(t, path), `PRAGMA user_version = 1`) },
		"named like ours in part": func(t *testing.T, path string) {
			must(t, raw(t, path), `PRAGMA application_id = 0x48524d00`, `CREATE TABLE t (id)`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			make(t, path)
			before := snapshot(t, path)
			db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
			if err == nil {
				_ = db.Close()
			}
			if fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "foreign_database" {
				t.Errorf("got %v, want a refusal of a foreign database", err)
			}
			for file, text := range snapshot(t, path) {
				if old, was := before[file]; !was && file != filepath.Base(path)+".lock" || was && !bytes.Equal(old, text) {
					t.Errorf("%s was changed: got %d bytes, want %d", file, len(text), len(old))
				}
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// snapshot is every file of the database's directory.
func snapshot(t *testing.T, path string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "hello")
	closeDB(t, db)
	newer := len(migrations(t)) + 1
	other := raw(t, path)
	must(t, other, fmt.Sprintf(`PRAGMA user_version = %d`, newer))
	_, err := Open(t.Context(), Options{Path: path, Log: quiet()})
	if fault.KindOf(err) != fault.Invalid || fault.CodeOf(err) != "newer_database" {
		t.Errorf("got %v, want a refusal of a newer database", err)
	}
	if got := ask[int](t, other, `PRAGMA user_version`); got != newer {
		t.Errorf("schema version: got %d, want %d as it was", got, newer)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	db := openAt(t, path)
	write(t, db, "s", 0, "hello")
	tables := `SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE '%\_fts\_%' ESCAPE '\' AND name NOT LIKE 'sqlite%' ORDER BY name)`
	const want = "api_keys audit chat_events chat_names chat_people chat_positions chat_rests chat_sends chats deliveries erasures facts files id_ranges imports job_runs jobs messages messages_fts meta passes piece_blocks pieces provider_debts provider_lineages provider_marks provider_names provider_skips providers requests run_events runs scopes sessions studies text_uses texts transcript_changes vectors work"
	if got := ask[string](t, db.read.DB, tables); got != want {
		t.Errorf("tables: got %q, want %q", got, want)
	}
	closeDB(t, db)
	db = openAt(t, path) // finds nothing to do
	if got := count(t, db, "s"); got != 1 {
		t.Errorf("after a second open: got %d messages, want 1", got)
	}
	if got := ask[string](t, db.read.DB, `PRAGMA integrity_check`); got != "ok" {
		t.Errorf("integrity check: got %q", got)
	}
	// Every table's key begins with the owner; meta and the index have none.
	for _, table := range strings.Fields("sessions requests api_keys") {
		if got := ask[string](t, db.read.DB, `SELECT name FROM pragma_table_info(?) WHERE pk = 1`, table); got != "owner_id" {
			t.Errorf("%s: got a key that begins with %q, want owner_id", table, got)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	t.Parallel()
	path := tempFile(t) // as a crash right after its creation leaves it
	writeFile(t, path, "")
	db := openAt(t, path)
	write(t, db, "s", 0, "hello")
}

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, path string) {
		t.Helper()
		db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
		if err == nil {
			_ = db.Close()
		}
		if fault.KindOf(err) != fault.Conflict || fault.CodeOf(err) != "database_in_use" {
			t.Errorf("got %v, want a refusal because it is in use", err)
		}
	}
	t.Run("in one process", func(t *testing.T) {
		t.Parallel()
		path := tempFile(t)
		db := openAt(t, path)
		refused(t, path)
		write(t, db, "s", 0, "still works")
		closeDB(t, db)
		openAt(t, path)
	})
	t.Run("while another process has it", func(t *testing.T) {
		t.Parallel()
		path := tempFile(t)
		p := start(t, roleOwner, path)
		refused(t, path)
		if got := p.do("write 0 1"); got != "" {
			t.Errorf("the owner's write: got %q, want success", got)
		}
		p.kill() // the lock goes with the process, however it ends
		if got := count(t, openAt(t, path), "s"); got != 1 {
			t.Errorf("got %d messages, want 1", got)
		}
	})
	t.Run("in another process", func(t *testing.T) {
		t.Parallel()
		path := tempFile(t)
		openAt(t, path)
		if got := begin(t, roleOwner, path).line(); !strings.HasPrefix(got, string(fault.Conflict)) {
			t.Errorf("got %q, want a Conflict", got)
		}
	})
}

// TestFileModes looks at the files of a process that leaves modes to the program.
func TestFileModes(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	for _, round := range []string{"new", "found with wide modes"} {
		p := start(t, roleOwner, path)
		if got := p.do("write 0 1"); got != "" && round == "new" {
			t.Fatalf("write: got %q, want success", got)
		}
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			info, err := os.Stat(path + suffix)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s, state.db%s: got %v (%v), want mode 0600", round, suffix, info.Mode(), err)
			}
		}
		p.end()
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "state.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "state.db"), filepath.Join(dir, "absent", "state.db")} {
		db, err := Open(t.Context(), Options{Path: path, Log: quiet()})
		if err == nil {
			_ = db.Close()
			t.Errorf("open %s: got no error", path)
		}
	}
}

// TestOtherTables opens a file of the same version whose tables were made by
// another script: it is refused at once, and stays as it is.
func TestOtherTables(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"another mark": `UPDATE meta SET value = 'other' WHERE name = 'schema'`,
		"no mark":      `DELETE FROM meta WHERE name = 'schema'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tempFile(t)
			db := openAt(t, path)
			write(t, db, "s", 0, "kept")
			closeDB(t, db)
			must(t, raw(t, path), spoil)
			_, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
			if fault.CodeOf(err) != "unreleased_database" {
				t.Errorf("got %v, want it refused", err)
			}
			if got := ask[int](t, raw(t, path), `SELECT count(*) FROM messages`); got != 1 {
				t.Errorf("got %d messages, want the one there was", got)
			}
		})
	}
}

// TestUncreated: a file of the home that cannot be made says why, and what to do.
func TestUncreated(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "state.db"), filepath.Join(file+"-absent", "state.db")} {
		_, err := Open(t.Context(), Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		text := fault.MessageOf(err)
		why := strings.Contains(text, "a file, and no directory") || strings.Contains(text, "no such directory")
		if fault.CodeOf(err) != "database_unwritable" || !why || !strings.HasSuffix(text, " with HERMES_HOME.") {
			t.Errorf("%s: got %q", path, text)
		}
	}
}
