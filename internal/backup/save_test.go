package backup_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

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
