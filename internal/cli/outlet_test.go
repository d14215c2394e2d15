package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestFullDisk: output that goes to a full disk fails in words, even if it is printed line by line.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	const device = "/dev/full"
	full, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no device that is always full")
	}
	defer func() { _ = full.Close() }()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	before, err := os.Lstat(device)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"sessions", "export", "-"}, {"sessions", "list"}, {"sessions", "list", "--json"}, {"sessions", "show", "s1"},
		{"backup", "-"}, {"version"},
	} {
		var errs bytes.Buffer
		got := s.start(t.Context(), "", full, &errs, args...)
		if got != exitFailed || !strings.Contains(errs.String(), "goes to a disk that is full") {
			t.Errorf("hermes %q: got %d, %s", args, got, &errs)
		}
	}
	if said := s.do(exitFailed, "sessions", "export", device, "--force"); !strings.Contains(said, "The disk of /dev is full") {
		t.Errorf("said %s", said)
	}
	if after, err := os.Lstat(device); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the device was replaced: %v, %v", after, err)
	}
}

// TestUnwritten says whether an export that did not fit has left a file as it was.
func TestUnwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there.jsonl")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := fmt.Errorf("write export: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	for name, want := range map[string]string{
		there: "there.jsonl is as it was.", filepath.Join(dir, "new.jsonl"): "new.jsonl was not written.",
	} {
		said := fault.MessageOf(unwritten(name, full))
		if !strings.Contains(said, "The disk of "+dir+" is full: ") || !strings.Contains(said, want) {
			t.Errorf("said %s, want %s", said, want)
		}
	}
}

// TestUnwrittenReport prints the report of an import whose file cannot be written.
func TestUnwrittenReport(t *testing.T) {
	t.Parallel()
	s, dir := restoreHouse(t), t.TempDir()
	file := filepath.Join(dir, "c.json")
	text := `[{"uuid":"u","chat_messages":[{"uuid":"m","sender":"human","text":"I like tea."}]}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dry := s.do(exitFailed, "import", file, "--dry-run", "--report", dir)
	if !strings.Contains(dry, "nothing was imported, but its report cannot be written: open "+dir) || strings.Contains(dry, "The import is done") {
		t.Errorf("a dry run said %s", dry)
	}
	said := s.do(exitFailed, "import", file, "--report", dir)
	for _, want := range []string{"taken          1", "its report cannot be written: open " + dir, "stands above"} {
		if !strings.Contains(said, want) {
			t.Errorf("said %s, want %s", said, want)
		}
	}
}
