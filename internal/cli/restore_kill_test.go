package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledRestore is the part of check B3 about kills: a process that is killed while it
// makes or restores a backup leaves the data of before, or that of the backup, and no third.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, err := command(t, home, nil, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("hermes %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	backups := make([]string, 2)
	for i := range backups {
		var lines strings.Builder
		for n := range 50 {
			fmt.Fprintf(&lines, `{"id":"s%d-%d","started_at":"2026-01-01T00:00:00Z","messages":[{"role":"user","content":"State %d, number %d."}]}`+"\n", i, n, i, n)
		}
		file := filepath.Join(dir, "in.jsonl")
		if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		run("sessions", "import", file)
		backups[i] = filepath.Join(dir, fmt.Sprintf("b%d.tar", i))
		run("backup", backups[i])
	}
	fresh, old := 0, 0
	for i := range 5 {
		from := backups[(i+1)%2] // the data is that of the other one, or of this one already
		cmd := command(t, home, nil, "restore", from, "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait := time.NewTimer(time.Duration(40+i*110) * time.Millisecond)
		<-wait.C
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed, or had ended
		all := run("sessions", "export", "-")
		if left, _ := filepath.Glob(filepath.Join(home, ".restore-*")); len(left) > 0 {
			t.Errorf("left behind after the next command: %v", left)
		}
		zero, one := strings.Count(all, "State 0,"), strings.Count(all, "State 1,")
		switch {
		case zero == 50 && one == 50:
			fresh++
		case zero == 50 && one == 0:
			old++
		default:
			t.Errorf("kill %d: got %d sessions of one state and %d of the other", i, zero, one)
		}
		run("restore", backups[i%2], "--yes")
		part := filepath.Join(dir, "killed.tar")
		cmd = command(t, home, nil, "backup", part, "--force")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait.Reset(time.Duration(40+i*50) * time.Millisecond)
		<-wait.C
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(part); err == nil {
			if out, err := command(t, t.TempDir(), nil, "restore", part).CombinedOutput(); err != nil {
				t.Errorf("a backup that has its name is not whole: %v: %s", err, out)
			}
		}
	}
	t.Logf("the data of before %d times, that of the backup %d times", old, fresh)
}
