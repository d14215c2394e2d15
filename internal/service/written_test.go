package service

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUndo: an installation that failed leaves each file as it was before, and no directory of its own.
func TestUndo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret, unit, other := filepath.Join(dir, "etc", "hermes", "env"), filepath.Join(dir, "run", "unit"), filepath.Join(dir, "run", "more", "x")
	files := func(body string) []File {
		return []File{
			{Name: secret, Mode: 0o600, Body: body, Secret: true}, {Name: unit, Mode: 0o644, Body: "# " + Mark + " " + body},
			{Name: other, Mode: 0o644, Body: "# " + Mark + " " + body},
		}
	}
	first, err := Write(files("one"))
	if err != nil || !first.First() {
		t.Fatalf("Write: got %v, %v, want the first installation", first, err)
	}
	if err := first.Undo(); err != nil {
		t.Fatalf("Undo: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("after the first installation was undone: got %v, %v, want nothing", left, err)
	}
	if _, err := Write(files("one")[:2]); err != nil {
		t.Fatal(err)
	}
	second, err := Write(files("two"))
	if err != nil || second.First() {
		t.Fatalf("Write: got %v, %v, want a later installation", second, err)
	}
	if err := second.Undo(); err != nil {
		t.Fatalf("Undo: %v", err)
	}
	if got := read(t, secret) + read(t, unit); got != "one# "+Mark+" one" {
		t.Errorf("after a later installation was undone: got %q", got)
	}
	if _, err := os.Stat(filepath.Dir(other)); err == nil {
		t.Error("the directory of a new file is still there")
	}
}

// TestUndoFails: a file that cannot be removed again is named, with the command that removes it.
func TestUndoFails(t *testing.T) {
	t.Parallel()
	unit := filepath.Join(t.TempDir(), "unit")
	w, err := Write([]File{{Name: unit, Mode: 0o644, Body: Mark}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(unit); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(unit, "in the way"), 0o700); err != nil { // no directory with files can be removed so
		t.Fatal(err)
	}
	if err := w.Undo(); err == nil || !strings.Contains(err.Error(), unit+" is still there") || !strings.HasSuffix(err.Error(), "rm "+unit) {
		t.Errorf("got %v", err)
	}
}

// TestWriteFails: a file that cannot be written takes those before it along.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unit, within := filepath.Join(dir, "unit"), filepath.Join(dir, "unit", "x")
	if _, err := Write([]File{{Name: unit, Mode: 0o644, Body: Mark}, {Name: within, Mode: 0o600, Body: "key", Secret: true}}); err == nil {
		t.Fatal("a file within a file was written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
}
