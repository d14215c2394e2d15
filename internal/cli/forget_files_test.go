package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForgetForeignFiles: a backup that a person wrote into the home is treated as every backup. A file that this program did not
// write is named with what to do, and keeps no backup from being deleted.
func TestForgetForeignFiles(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	home := s.env["HERMES_HOME"]
	s.add("s1", "I met Wilhelmina in Oslo.")
	if err := os.Mkdir(filepath.Join(home, "kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.do(exitOK, "backup", filepath.Join(home, "kept", "y.tar"))
	s.do(exitOK, "backup", filepath.Join(home, "x.tar"))
	s.do(exitOK, "restore", filepath.Join(home, "x.tar"), "--yes")
	notes := filepath.Join(home, "notes.before-lunch.txt")
	if err := os.WriteFile(notes, []byte("Wilhelmina and Wilhelmina"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.do(exitFailed, "forget", "--yes", "--about", "Wilhelmina")
	for _, want := range []string{
		"3 backups made before may still hold it", "x.tar", "y.tar", "state.db.before-",
		"2 mentions are left in files of the home that hermes did not write and does not change: notes.before-lunch.txt. Edit, move or delete them",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	if strings.Contains(out, "close other programs") || strings.Contains(out, "Nothing is left") {
		t.Errorf("got %s, want no word of other programs", out)
	}
	var got certified
	if err := json.Unmarshal([]byte(s.do(exitOK, "forget", "--json", "--dry-run", "--about", "Wilhelmina")), &got); err != nil || got.Backups == nil || got.Backups.Count != 3 {
		t.Errorf("dry run: got %+v, %v, want 3 backups", got, err)
	}
	if out := s.do(exitFailed, "forget", "--yes", "--about", "Wilhelmina", "--backups", "delete"); !strings.Contains(out, "Deleted 3 backups") {
		t.Errorf("delete: got %s", out)
	}
	for _, pattern := range []string{"*.tar", "kept/*.tar", "state.db.before-*"} {
		if left, err := filepath.Glob(filepath.Join(home, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	if err := os.Remove(notes); err != nil { // it is a person's, and was not deleted
		t.Error(err)
	}
	if out := s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina"); !strings.Contains(out, "Nothing is left") {
		t.Errorf("without the file: got %s", out)
	}
}
