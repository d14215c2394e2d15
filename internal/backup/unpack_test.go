package backup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// TestUnpack: a backup is unpacked next to the data, or refused with nothing left of it.
func TestUnpack(t *testing.T) {
	t.Parallel()
	text := full(t).backup(t)
	home := t.TempDir()
	small := func(string) sqlite.Room { return sqlite.Room{Free: 70 << 20, Total: 100 << 30, Known: true} }
	_, err := backup.Unpack(t.Context(), bytes.NewReader(text), home, func(string) sqlite.Room {
		return sqlite.Room{Free: 64 << 20, Total: 100 << 30, Known: true}
	})
	if fault.CodeOf(err) != "too_little_space" || !strings.Contains(err.Error(), "67.1 MB are free") {
		t.Errorf("without room: got %v", err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("without room: left %v, %v", left, err)
	}
	u, err := backup.Unpack(t.Context(), bytes.NewReader(text), home, small)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(u.Dir, "skills", "tea", "SKILL.md")); err != nil || string(got) != "How to make tea" {
		t.Errorf("a skill: got %q, %v", got, err)
	}
	if u.Manifest.Counts["messages"] != 20 {
		t.Errorf("got %+v", u.Manifest)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("closed: left %v, %v", left, err)
	}
}
