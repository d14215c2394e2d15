//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRestoreInterrupted: a restoring that is interrupted while it waits for its input says that nothing was
// changed, and leaves nothing behind.
func TestRestoreInterrupted(t *testing.T) {
	t.Parallel()
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "b.tar")
	run := func(args ...string) string {
		t.Helper()
		out, err := command(t, home, nil, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("hermes %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	run("import", manyTalks(t, 3))
	run("backup", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := command(t, home, nil, "restore", "-", "--yes")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out := &output{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		left := func() []string {
			found, _ := filepath.Glob(filepath.Join(home, ".restore-*"))
			return found
		}
		if _, err := in.Write(text[:len(text)/2]); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the unpacking", func() bool { return len(left()) > 0 })
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code tells
		want := fmt.Sprintf("hermes: The restoring was interrupted. The data in %s is as it was. Run it again.\n", home)
		if code := cmd.ProcessState.ExitCode(); code != 130 || out.String() != want {
			t.Errorf("%s: got exit code %d and %s, want %s", signal, code, out, want)
		}
		if found := left(); len(found) > 0 {
			t.Errorf("%s: left behind: %v", signal, found)
		}
	}
	if all := run("sessions", "export", "-"); !strings.Contains(all, "Talk 2, message 3") {
		t.Errorf("the data was changed: %s", all)
	}
}

// TestInterruptedQuestion: Ctrl-C answers a question with no.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	home, file := t.TempDir(), filepath.Join(t.TempDir(), "b.tar")
	for _, args := range [][]string{{"import", manyTalks(t, 3)}, {"backup", file}} {
		if out, err := command(t, home, nil, args...).CombinedOutput(); err != nil {
			t.Fatalf("hermes %q: %v: %s", args, err, out)
		}
	}
	id := ask[string](t, database(t, home), `SELECT id FROM sessions LIMIT 1`)
	for want, args := range map[string][]string{
		"is as it was. Run it again.":   {"restore", file},
		"Interrupted. Nothing was done": {"sessions", "delete", id},
	} {
		p := sit(t, home, nil, args...)
		p.expect("[y/N] ")
		p.types("\x03")
		if said := p.leaves(130); !strings.Contains(said, want) {
			t.Errorf("hermes %q: said %s, want %s", args, said, want)
		}
	}
	if out, err := command(t, home, nil, "sessions", "show", id).CombinedOutput(); err != nil {
		t.Errorf("the session: %v: %s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(home, ".restore-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
