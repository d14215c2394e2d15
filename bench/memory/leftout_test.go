package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestLeftOutRun builds this program with a file that it embeds replaced: the program
// then knows a life that only the replacement has.
func TestLeftOutRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replacement := filepath.Join(dir, "lives.json")
	if err = os.WriteFile(replacement, []byte(smallLife), 0o600); err != nil {
		t.Fatal(err)
	}
	o := leftOut{root: root}
	out, err := o.run(t.Context(), dir, map[string]string{filepath.Join(root, "bench/memory/testdata/first-contact.json"): replacement}, "probe", "-scope", "small")
	if err != nil {
		t.Fatal(err)
	}
	var p probe
	if err := json.Unmarshal(out, &p); err != nil || len(p.Verdicts) != 2 || len(p.Updates) != 1 {
		t.Errorf("got %v, %s", err, out)
	}
}
