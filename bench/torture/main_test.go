package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestChanges holds the places that rigs change against the source, and compiles each
// changed package: otherwise a run of an hour would meet what is wrong.
func TestChanges(t *testing.T) {
	t.Chdir(filepath.Join("..", "..")) // changes name files from the root
	b := &bench{dir: t.TempDir()}
	var plans [][]string // arguments of go build
	for _, r := range rigs {
		for name, changes := range map[string][]change{r.name: append(slices.Clone(r.bare), r.fitted...), r.name + "-fitted": r.fitted} {
			if len(changes) == 0 {
				continue
			}
			plan, err := b.overlay(name, changes)
			if err != nil {
				t.Error(err)
				continue
			}
			if pkgs := changedPackages(changes); len(pkgs) > 0 {
				plans = append(plans, append([]string{"build", "-overlay", plan}, pkgs...))
			}
		}
	}
	var builds errgroup.Group
	builds.SetLimit(runtime.NumCPU())
	for _, args := range plans {
		builds.Go(func() error {
			build := exec.Command("go", args...)
			build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the program is shipped
			if out, err := build.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", args[2], err, out)
			}
			return nil
		})
	}
	_ = builds.Wait() // the errors are told above
}

// changedPackages are the packages whose files are changed, but the program itself, which would
// have to be linked.
func changedPackages(changes []change) []string {
	var out []string
	for _, c := range changes {
		if pkg := "./" + filepath.ToSlash(filepath.Dir(c.file)); pkg != "./cmd/hermes" && !slices.Contains(out, pkg) {
			out = append(out, pkg)
		}
	}
	return out
}

// TestMissed: equal misses are one line with their number, so that a rare one is seen.
func TestMissed(t *testing.T) {
	t.Parallel()
	var got tally
	for range 20 {
		got.miss("a wait was not kept")
	}
	got.miss("one was lost")
	if want := "a wait was not kept (20 times); one was lost"; got.missed() != want {
		t.Errorf("got %q, want %q", got.missed(), want)
	}
	for n := range 8 {
		got.miss("miss %d", n)
	}
	if text := got.missed(); !strings.HasSuffix(text, "; miss 5; 2 more") {
		t.Errorf("got %q, want the first eight", text)
	}
}
