//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRestoreFromPipe: a named pipe without a writer is said to be one, instead of being
// waited for, and what a program writes to one is read.
func TestRestoreFromPipe(t *testing.T) {
	s, pipe := restoreHouse(t), filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := s.do(1, "restore", pipe, "--yes"); !strings.Contains(said, "no program writes to it") {
		t.Fatalf("said: %s", said)
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if _, err := io.WriteString(w, "words"); err != nil {
		t.Fatal(err)
	}
	f, from, err := openBackup(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	read := make([]byte, 5)
	if _, err := io.ReadFull(from, read); err != nil || string(read) != "words" {
		t.Fatalf("read %q: %v", read, err)
	}
}
