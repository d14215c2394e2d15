//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// manyTalks is a file with conversations of four messages each.
func manyTalks(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[`, i)
		for j := range 4 {
			role := [...]string{"user", "assistant"}[j%2]
			fmt.Fprintf(&b, `%s{"role":%q,"content":"Talk %d, message %d.","timestamp":%d}`, strings.Repeat(",", min(j, 1)), role, i, j, 1700000000+10*i+j)
		}
		b.WriteString("]}\n")
	}
	path := filepath.Join(t.TempDir(), "talks.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNohup: a hangup does not end a program that nohup has started.
func TestNohup(t *testing.T) {
	t.Parallel()
	const talks = 1000
	home, file := t.TempDir(), manyTalks(t, talks)
	cmd := command(t, home, nil, "import", file)
	cmd.Args = []string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, cmd.Path, "import", file}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = sh
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the home", func() bool { _, err := os.Stat(filepath.Join(home, "state.db")); return err == nil })
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v: %s", err, out)
	}
	if n := ask[int](t, database(t, home), `SELECT count(*) FROM sessions`); n != talks {
		t.Errorf("got %d conversations, want %d", n, talks)
	}
}

// TestImportInterrupted: an import without a server that is interrupted stores whole conversations and says how
// many, and the next one goes on behind them.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	const talks = 3000
	for name, signal := range map[string]os.Signal{"interrupt": os.Interrupt, "terminate": syscall.SIGTERM, "hang up": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, file := t.TempDir(), manyTalks(t, talks)
			cmd := command(t, home, nil, "import", file)
			out := &output{}
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			count := func() (n int) {
				if _, err := os.Stat(filepath.Join(home, "state.db")); err != nil {
					return 0
				}
				row := database(t, home).QueryRowContext(t.Context(), `SELECT count(*) FROM sessions`)
				_ = row.Scan(&n) // the table may not be there yet
				return n
			}
			eventually(t, "the first conversations", func() bool { return count() > 2 })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the program to see the signal", func() bool { return strings.Contains(out.String(), "Stopping") })
			if signal == syscall.SIGHUP { // the terminal tells, and so does its shell
				_ = cmd.Process.Signal(signal) // it may have ended
			}
			_ = cmd.Wait() // the exit code tells
			n := count()
			want := fmt.Sprintf("hermes: The import was interrupted when %d of %d conversations had been stored. Run it again: it goes on behind them.\n", n, talks)
			if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.HasSuffix(out.String(), want) || n == talks {
				t.Fatalf("got exit code %d and %s, want %s", code, out, want)
			}
			again, err := command(t, home, nil, "import", file).CombinedOutput()
			if shown := fmt.Sprintf("  unchanged      %d  (there already)\n", n); err != nil || !strings.Contains(string(again), shown) || count() != talks {
				t.Errorf("again: got %s, %v, want %s", again, err, shown)
			}
		})
	}
}
