package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestChanges holds the places that rigs change against the source, and compiles each
// changed package: otherwise a run of an hour would meet what is wrong.
func TestChanges(t *testing.T) {
	t.Chdir(filepath.Join("..", "..")) // changes name files from the root
	b := &bench{dir: t.TempDir()}
	for _, r := range rigs {
		for _, part := range []struct {
			name    string
			changes []change
		}{{r.name, append(slices.Clone(r.bare), r.fitted...)}, {r.name + "-fitted", r.fitted}} {
			if len(part.changes) == 0 {
				continue
			}
			plan, err := b.overlay(part.name, part.changes)
			if err != nil {
				t.Error(err)
				continue
			}
			args := []string{"build", "-overlay", plan}
			for _, c := range part.changes {
				if pkg := "./" + filepath.ToSlash(filepath.Dir(c.file)); pkg != "./cmd/hermes" && !slices.Contains(args, pkg) {
					args = append(args, pkg)
				}
			}
			if len(args) == 3 {
				continue // the program itself, which would have to be linked
			}
			if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
				t.Errorf("rig %s: %v\n%s", part.name, err, out)
			}
		}
	}
}
