package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChanges holds the places that rigs change against the source: one that is
// not there any more would only be met in a run of an hour.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, r := range rigs {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range append(append([]change{}, r.bare...), r.fitted...) {
				if c.old == "" {
					continue
				}
				text, err := os.ReadFile(filepath.Join("..", "..", c.file))
				if err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(string(text), c.old); n != 1 {
					t.Errorf("%s: got %q %d times, want it once", c.file, c.old, n)
				}
			}
		})
	}
}
