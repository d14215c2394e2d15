package backup_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/fault"
)

// TestSaveThroughLinks: a backup goes where a link leads, such as to another disk, whether a
// backup is there or not. The link stays.
func TestSaveThroughLinks(t *testing.T) {
	t.Parallel()
	text := full(t).backup(t)
	write := func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
	dir, disk := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	file := filepath.Join(disk, "b.tar")
	for name, to := range map[string]string{"link": file, "second": "link", "loop": "loop", "nowhere": filepath.Join(disk, "none", "b.tar")} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "second", "link"} {
		if err := backup.Fits(at(name), 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := backup.Save(at(name), write); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: the backup is not where the link leads: %v", name, err)
		}
		if info, err := os.Lstat(at(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: the link was replaced: %v", name, err)
		}
		if name == "second" {
			continue
		}
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"loop", "nowhere"} {
		if _, err := backup.Save(at(name), write); fault.CodeOf(err) != "backup_unwritable" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestSaveClearsAway: a backup removes what a killed one to the same file has left, and nothing of one that is
// being made.
func TestSaveClearsAway(t *testing.T) {
	t.Parallel()
	text := full(t).backup(t)
	write := func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "b.tar")
	others := []string{".b.tar-ABCDEFG2.part.txt", ".b.tar-abcdefg2.part", ".b.tar-ABC.part", ".a.tar-ABCDEFG2.part", "b.tar-ABCDEFG2.part"}
	for _, name := range append(others, ".b.tar-ABCDEFG2.part") {
		leave(t, filepath.Join(dir, name))
	}
	if _, err := backup.Save(file, write); err != nil {
		t.Fatal(err)
	}
	want := append(others, "b.tar")
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, err := backup.Save(file, func(w io.Writer) error {
		if _, err := backup.Save(file, write); err != nil { // while this one is being made
			t.Error(err)
		}
		return write(w)
	})
	if got := names(t, dir); err != nil || !slices.Equal(got, want) {
		t.Errorf("two at once: got %q, %v, want %q", got, err, want)
	}
}

// leave writes a file as if it had been there for long.
func leave(t *testing.T, file string) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(file, []byte("left"), 0o600), os.Chtimes(file, long, long)); err != nil {
		t.Fatal(err)
	}
}

// names are the names in a directory.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
