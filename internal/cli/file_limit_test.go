//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileLimit: a backup and a restoring that may not write a file as large as that say which file that is, why,
// and what to do.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "b.tar")
	for _, args := range [][]string{{"import", manyTalks(t, 100)}, {"backup", file}} {
		if out, err := command(t, home, nil, args...).CombinedOutput(); err != nil {
			t.Fatalf("hermes %q: %v: %s", args, err, out)
		}
	}
	info, err := os.Stat(filepath.Join(home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	const block = 512 // the unit of ulimit
	large := info.Size() / block
	for _, c := range []struct {
		limit int64
		args  []string
		want  string
	}{
		{large / 2, []string{"backup", file, "--force"}, "The copy of the database cannot be written to " + home + "/.backup-"},
		{large + 6, []string{"backup", file, "--force"}, "hermes: " + file + " cannot be written: file too large. Nothing was replaced. Raise"},
		{large / 2, []string{"restore", file, "--yes"}, "state.db cannot be written: file too large. Nothing was replaced. Raise"},
	} {
		cmd := command(t, home, nil, c.args...)
		cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, c.limit), cmd.Path}, c.args...)
		cmd.Path = "/bin/sh"
		out, err := cmd.CombinedOutput()
		said := string(out)
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(said, c.want) || !strings.Contains(said, "ulimit -f") {
			t.Errorf("%q with %d blocks: got %v and %s, want %s", c.args, c.limit, err, said, c.want)
		}
		if strings.Contains(said, "Internal server error") {
			t.Errorf("%q: there is no server: %s", c.args, said)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("left next to the backup: %v, %v", left, err)
	}
	for _, pattern := range []string{".backup-*", ".restore-*"} {
		if left, err := filepath.Glob(filepath.Join(home, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left in the home: %v, %v", left, err)
		}
	}
}
