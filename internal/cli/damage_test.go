package cli_test

import (
	"bytes"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedDatabase asks, lists and examines with a file whose table of messages is damaged. The doctor
// names the damage and claims nothing about what it could not read; no error points at a log that is not shown.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if out, err := command(t, home, nil, "-q", "My name is Ada.").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(home, "state.db")
	damageTable(t, file, "messages")
	asked, err := command(t, home, nil, "-q", "What is my name?").CombinedOutput()
	if err == nil || bytes.Contains(asked, []byte("log above")) || !bytes.Contains(asked, []byte("hermes restore FILE")) {
		t.Errorf("-q: got %v, %s", err, asked)
	}
	for _, args := range [][]string{{"doctor", "--addr", "127.0.0.1:0"}, {"doctor", "--addr", "127.0.0.1:0", "--deep"}} {
		out, err := command(t, home, nil, args...).CombinedOutput()
		says := string(out)
		if err == nil || !strings.Contains(says, file+" is damaged: ") || !strings.Contains(says, "restore a backup") {
			t.Errorf("%q: got %v, %s", args, err, says)
		}
		for _, line := range []string{"search  ", "work  ", "keys  "} {
			if strings.Contains(says, line) {
				t.Errorf("%q: got a line of %q, which could not be read: %s", args, line, says)
			}
		}
	}
}

// TestEmptiedDatabase: a home whose database lost all its bytes is refused, by every command, and its transcripts stay. A new
// home whose first start was killed before the first write is not.
func TestEmptiedDatabase(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	saved := filepath.Join(t.TempDir(), "saved.tar")
	for _, args := range [][]string{{"-q", "My name is Ada."}, {"backup", saved}} {
		if out, err := command(t, home, nil, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	file := filepath.Join(home, "state.db")
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	transcripts, err := filepath.Glob(filepath.Join(home, "sessions", "*.jsonl"))
	if err != nil || len(transcripts) != 1 {
		t.Fatalf("got %q, %v, want one transcript", transcripts, err)
	}
	for _, args := range [][]string{{"-q", "What is my name?"}, {"sessions", "list"}, {"doctor", "--addr", "127.0.0.1:0"}, {"backup", "-"}} {
		out, err := command(t, home, nil, args...).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(file+" is empty")) || !bytes.Contains(out, []byte("hermes restore FILE")) {
			t.Errorf("%q: got %v, %s", args, err, out)
		}
	}
	if _, err := os.Stat(transcripts[0]); err != nil {
		t.Errorf("the transcript is gone: %v", err)
	}
	if out, err := command(t, home, nil, "restore", saved, "--yes").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Restored 1 session")) {
		t.Fatalf("restore: got %v, %s", err, out)
	}
	if out, err := command(t, home, nil, "-q", "What is my name?").Output(); err != nil || !bytes.Contains(out, []byte("Ada")) {
		t.Errorf("after the restoring: got %v, %s", err, out)
	}
	fresh := t.TempDir()
	if err := os.WriteFile(filepath.Join(fresh, "state.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, fresh, nil, "sessions", "list").CombinedOutput(); err != nil {
		t.Errorf("a new home: got %v, %s", err, out)
	}
}

// damageTable overwrites the first page of a table.
func damageTable(t *testing.T, file, table string) {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file}).String())
	if err != nil {
		t.Fatal(err)
	}
	var root, size int64
	err = db.QueryRowContext(t.Context(), `SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = ?`, table).Scan(&root, &size)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.WriteAt(bytes.Repeat([]byte{0x5a}, 200), (root-1)*size); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
