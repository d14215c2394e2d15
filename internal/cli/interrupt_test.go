package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
)

// TestInterruptedWords: a command that is interrupted says so, wherever it is, and what became of its work.
func TestInterruptedWords(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	file := filepath.Join(t.TempDir(), "b.tar")
	s.do(exitOK, "backup", file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for want, args := range map[string][]string{
		"The restoring was interrupted. The data in ": {"restore", file, "--yes"},
		"Interrupted while the data was being opened": {"backup", file, "--force"},
		"The command was interrupted. It may have":    {"restore", "--ledger", "--since", "2020-01-01T00:00:00Z"},
	} {
		var out bytes.Buffer
		if code := s.start(gone, "", &out, &out, args...); code != exitInterrupted || !strings.Contains(out.String(), want) {
			t.Errorf("hermes %q: got %d and %s, want %s", args, code, &out, want)
		}
	}
	var errs bytes.Buffer
	a := newApp(Process{Stdout: &errs, Stderr: &errs, Getenv: func(name string) string { return s.env[name] }})
	cl, err := a.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		file: "The backup was interrupted: " + file + " is as it was.", "-": "The backup was interrupted. What was written of it is not complete",
	} {
		if err := a.backup(gone, cl, to, false); fault.CodeOf(err) != "interrupted" || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("to %s: got %v, want %s", to, err, want)
		}
	}
	if err := cl.close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed: %v", err)
	}
}

// TestFailedWithoutServer: the error of a command without a server does not refer to the log of one.
func TestFailedWithoutServer(t *testing.T) {
	t.Parallel()
	text := []byte(`{"error":{"message":"Internal server error. The server's log has the details.","code":"internal_error"}}`)
	if err := (&client{embedded: &server{}}).failed(500, text); strings.Contains(fault.MessageOf(err), "server") {
		t.Errorf("without a server: got %v", err)
	}
	if err := (&client{}).failed(500, text); !strings.Contains(fault.MessageOf(err), "The server's log") {
		t.Errorf("with a server: got %v", err)
	}
}
