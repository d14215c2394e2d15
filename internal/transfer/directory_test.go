package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// link makes a link, or skips the test where there are none.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("no links here")
	}
}

// TestLinks: a link that is named is followed, one in a directory only within it, and the others are counted.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	within := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(within, ".data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(within, ".data", "c.json"), []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, within, filepath.Join(dir, "linked"))
	link(t, filepath.Join(".data", "c.json"), filepath.Join(within, "current.json"))
	link(t, fileOf(t, "other.json", []byte(strings.ReplaceAll(tiny, "u1", "u2"))), filepath.Join(within, "out.json"))
	link(t, "nothing", filepath.Join(within, "dangling.json"))
	link(t, ".", filepath.Join(within, "loop"))
	for _, name := range []string{filepath.Join(dir, "linked"), filepath.Join(within, "current.json")} {
		if got, err := readPath(t, name); err != nil || !strings.Contains(got, "claude:u1 ") {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	got, err := readPath(t, within)
	for _, want := range []string{
		"files: 2)", "1 × link that leads out of the directory, first in out.json", "1 × link that leads nowhere, first in dangling.json", "1 × link to what is no file, first in loop",
	} {
		if err != nil || !strings.Contains(got, want) || strings.Contains(got, "claude:u2") {
			t.Errorf("got %s, %v, want %q", got, err, want)
		}
	}
}

// TestOnlyLinks: a directory whose files are all elsewhere says so.
func TestOnlyLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link(t, fileOf(t, "c.json", []byte(tiny)), filepath.Join(dir, "c.json"))
	if _, err := readPath(t, dir); err == nil || !strings.Contains(err.Error(), "c.json is a link that leads out of the directory.") {
		t.Errorf("got %v", err)
	}
}

// TestUnreadable: what the system does not let us read is told with the reason, and the rest is read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "locked"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c.json", "mine.json", "locked/x.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(tiny), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"mine.json", "locked"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) //nolint:gosec // so that it can be removed
	}
	if _, err := os.ReadDir(filepath.Join(dir, "locked")); err == nil {
		t.Skip("this user may read everything")
	}
	got, err := readPath(t, dir)
	for _, want := range []string{"claude:u1 ", "failed: locked: Cannot read locked: permission denied. Make it readable", "failed: mine.json: Cannot read mine.json: permission denied."} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %q", got, err, want)
		}
	}
	if _, err := readPath(t, filepath.Join(dir, "locked")); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}

// TestUnreadableEntry: an entry of a directory that cannot be looked at does not end the import.
func TestUnreadableEntry(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := &directory{&Input{}, root}
	if err := d.visit(filepath.Join(root, "a"), nil, os.ErrPermission); err != nil || len(d.Files) != 1 {
		t.Fatalf("got %v, %v", d.Files, err)
	}
	if _, err := d.Files[0].Open(); err == nil || !strings.Contains(err.Error(), "Cannot read a: permission denied.") {
		t.Errorf("got %v", err)
	}
}
