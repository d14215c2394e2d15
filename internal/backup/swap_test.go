package backup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

// write writes a file with its directories.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// contents are the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSwapInterrupted: wherever a swap is cut off, the next start ends it, and the old files
// are there, whole.
func TestSwapInterrupted(t *testing.T) {
	t.Parallel()
	j := journal{Scratch: ".restore-1", Before: ".before-T"}
	steps := []func(t *testing.T, home string){
		func(t *testing.T, home string) { link(t, home, "state.db", "state.db.before-T") },
		func(t *testing.T, home string) { rename(t, home, "state.db-wal", "state.db.before-T-wal") },
		func(t *testing.T, home string) { remove(t, home, "state.db-shm") },
		func(t *testing.T, home string) { rename(t, home, ".restore-1/state.db", "state.db") },
		func(t *testing.T, home string) { rename(t, home, "skills", "skills.before-T") },
		func(t *testing.T, home string) { rename(t, home, ".restore-1/skills", "skills") },
		func(t *testing.T, home string) { rename(t, home, ".restore-1/files", "files") },
		func(t *testing.T, home string) { remove(t, home, ".restore-1") },
	}
	for cut := range len(steps) + 1 {
		home := t.TempDir()
		for name, text := range map[string]string{
			"state.db": "old", "state.db-wal": "old log", "state.db-shm": "x", "skills/a": "old skill",
			".restore-1/state.db": "new", ".restore-1/skills/a": "new skill", ".restore-1/files/f": "new file", ".restore-1/node.id": "n",
		} {
			write(t, filepath.Join(home, name), text)
		}
		text, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(home, journalName), string(text))
		for _, step := range steps[:cut] {
			step(t, home)
		}
		if !Interrupted(home) {
			t.Fatal("the swap is not seen")
		}
		for range 2 {
			if err := Finish(home); err != nil {
				t.Fatalf("cut off after %d steps: %v", cut, err)
			}
		}
		want := map[string]string{
			"state.db": "new", "skills/a": "new skill", "files/f": "new file",
			"state.db.before-T": "old", "state.db.before-T-wal": "old log", "skills.before-T/a": "old skill",
		}
		if diff := cmp.Diff(want, contents(t, home)); diff != "" {
			t.Errorf("cut off after %d steps (-want +got):\n%s", cut, diff)
		}
	}
}

// TestTidy: what interrupted backups and restorings have left is removed. A directory that a swap
// still needs is not.
func TestTidy(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, name := range []string{"state.db", ".restore-1/state.db", ".restore-2/files/f", ".backup-3/state.db", ".restored", "restore.json.part"} {
		write(t, filepath.Join(home, name), "text")
	}
	write(t, filepath.Join(home, journalName), `{"scratch":".restore-1","before":".before-T"}`)
	before := contents(t, home)
	if err := Tidy(home); fault.CodeOf(err) != "database_in_use" {
		t.Errorf("with a swap under way: got %v", err)
	}
	if diff := cmp.Diff(before, contents(t, home)); diff != "" {
		t.Errorf("with a swap under way (-want +got):\n%s", diff)
	}
	remove(t, home, journalName)
	check(t, Tidy(home))
	want := map[string]string{"state.db": "text", ".restored": "text"}
	if diff := cmp.Diff(want, contents(t, home)); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
}

// TestSwapFails: a swap that cannot be completed keeps the new files for the next start.
func TestSwapFails(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for name, text := range map[string]string{"state.db": "old", "state.db-shm/x": "an obstacle", ".restore-1/state.db": "new"} {
		write(t, filepath.Join(home, name), text)
	}
	u := &Unpacked{home: home, Dir: filepath.Join(home, ".restore-1")}
	if _, err := u.Swap(time.Now()); fault.CodeOf(err) != "restore_unfinished" {
		t.Fatalf("got %v, want a swap that is not complete", err)
	}
	check(t, u.Close())
	remove(t, home, "state.db-shm")
	check(t, Finish(home))
	if got := contents(t, home)["state.db"]; got != "new" {
		t.Errorf("got the database %q, want the one of the backup", got)
	}
}

// TestDamagedJournal: a journal leads to no other place.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"scratch":"../x","before":".before-T"}`, `{"scratch":".restore-1","before":"/../x"}`, `{}`} {
		home := t.TempDir()
		write(t, filepath.Join(home, "state.db"), "old")
		write(t, filepath.Join(home, journalName), text)
		if err := Finish(home); err == nil {
			t.Errorf("%q: got no error", text)
		}
		if got := contents(t, home)["state.db"]; got != "old" {
			t.Errorf("%q: got the database %q", text, got)
		}
	}
}

func link(t *testing.T, home, from, to string) {
	t.Helper()
	check(t, os.Link(filepath.Join(home, from), filepath.Join(home, to)))
}

func rename(t *testing.T, home, from, to string) {
	t.Helper()
	check(t, os.Rename(filepath.Join(home, from), filepath.Join(home, to)))
}

func remove(t *testing.T, home, name string) {
	t.Helper()
	check(t, os.RemoveAll(filepath.Join(home, name)))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestReplacedDataKeepsItsName: what two restorings within one second replace is kept under two names.
func TestReplacedDataKeepsItsName(t *testing.T) {
	t.Parallel()
	u, at := &Unpacked{home: t.TempDir()}, time.Date(2026, 11, 30, 1, 13, 28, 0, time.UTC)
	first := u.beforeName(at)
	for _, of := range []string{databaseName, directories()[0]} {
		kept := filepath.Join(u.home, of+first)
		if err := os.WriteFile(kept, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := u.beforeName(at); got != ".before-20261130T011329Z" || first != ".before-20261130T011328Z" {
			t.Errorf("behind %s: got %s and %s, want the times of two seconds", of, first, got)
		}
		if err := os.Remove(kept); err != nil {
			t.Fatal(err)
		}
	}
}
