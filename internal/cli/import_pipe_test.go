//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// talk is an export with one conversation.
const talk = `{"id":"c1","messages":[{"role":"user","content":"I like tea.","timestamp":1700000000}]}` + "\n"

// madePipe makes a named pipe.
func madePipe(t *testing.T) string {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// within runs a command, and kills it after a time in which it should have ended. It returns what the command
// printed and its exit code.
func within(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	return interrupted(t, cmd, time.Hour)
}

// interrupted is within, with a signal to end after a time. The command is started before both timers, which need
// its process.
func interrupted(t *testing.T, cmd *exec.Cmd, after time.Duration) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	term := time.AfterFunc(after, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	defer term.Stop()
	_ = cmd.Wait() // the exit code tells
	return out.String(), cmd.ProcessState.ExitCode()
}

// TestImportNamedPipe: a pipe that is named is read as standard input is, whether its writer comes early, late
// or is gone.
func TestImportNamedPipe(t *testing.T) {
	t.Parallel()
	t.Run("named", func(t *testing.T) {
		t.Parallel()
		pipe := madePipe(t)
		go func() { _ = os.WriteFile(pipe, []byte(talk), 0o600) }() // waits for the reader
		out, code := within(t, command(t, t.TempDir(), nil, "import", pipe, "--dry-run"))
		if code != 0 || !strings.Contains(out, "From jsonl: "+pipe+" has") || !strings.Contains(out, "taken          1 ") {
			t.Errorf("got exit code %d and %s", code, out)
		}
	})
	t.Run("of the shell", func(t *testing.T) {
		t.Parallel()
		cmd := command(t, t.TempDir(), nil, "import", "/dev/stdin", "--dry-run")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		cmd.Stdin = r
		if _, err := w.WriteString(talk); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if out, code := within(t, cmd); code != 0 || !strings.Contains(out, "taken          1 ") {
			t.Errorf("got exit code %d and %s", code, out)
		}
	})
}

// TestImportWaits: an interrupt ends an import that waits for a pipe, be it for the first byte or for the end.
func TestImportWaits(t *testing.T) {
	t.Parallel()
	for name, wrote := range map[string]string{"no writer": "", "an idle writer": talk} {
		for _, from := range []string{"the pipe", "standard input"} {
			t.Run(name+", "+from, func(t *testing.T) {
				t.Parallel()
				pipe := madePipe(t)
				cmd := command(t, t.TempDir(), nil, "import", pipe, "--dry-run")
				if from == "standard input" || wrote != "" {
					w, err := os.OpenFile(pipe, os.O_RDWR, 0)
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = w.Close() }()
					if _, err := w.WriteString(wrote); err != nil {
						t.Fatal(err)
					}
					if from == "standard input" {
						cmd = command(t, t.TempDir(), nil, "import", "-", "--dry-run")
						cmd.Stdin = w
					}
				}
				out, code := interrupted(t, cmd, 5*time.Second)
				if code != 130 || !strings.Contains(out, "interrupted while it read the input. Nothing was stored.") {
					t.Errorf("got exit code %d and %s", code, out)
				}
			})
		}
	}
}
