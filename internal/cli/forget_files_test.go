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

// TestForgetNamesBackupsByHand: a backup that a person wrote into the directory of backups is named, whatever it is called.
// --backups delete deletes there only what hermes made by itself, and says that the other one stays.
func TestForgetNamesBackupsByHand(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	dir := t.TempDir()
	s.env["HERMES_BACKUP_DIR"] = dir
	s.add("s1", "I met Wilhelmina in Oslo.")
	byHand, own, other := filepath.Join(dir, "before the move.bak"), filepath.Join(dir, "hermes-20261102T030000Z.tar"), filepath.Join(dir, "diary.tar")
	s.do(exitOK, "backup", byHand)
	s.do(exitOK, "backup", own)
	if err := os.WriteFile(other, []byte("Dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	const stays = "What was made by hand in backup.dir stays with --backups delete. Delete those files by hand."
	out := s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina")
	for _, want := range []string{"2 backups made before may still hold it", byHand + "  (made by hand)\n", own + "\n", stays} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	out = s.do(exitOK, "forget", "--yes", "--about", "Wilhelmina", "--backups", "delete")
	for _, want := range []string{"Deleted 1 backup that", "1 backup made before may still hold it, until they are deleted", byHand, stays} {
		if !strings.Contains(out, want) {
			t.Errorf("delete: got %s, want %q in it", out, want)
		}
	}
	if strings.Contains(out, "To delete them: --backups delete") || strings.Contains(out, other) {
		t.Errorf("delete: got %s", out)
	}
	for file, there := range map[string]bool{byHand: true, other: true, own: false} {
		if _, err := os.Stat(file); (err == nil) != there {
			t.Errorf("%s: got %v, want it there: %t", file, err, there)
		}
	}
	s.do(exitOK, "restore", byHand, "--yes") // it is as it was
}
