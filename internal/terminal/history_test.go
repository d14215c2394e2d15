package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "one", " secret", "", strings.Repeat("x", maxEntry+1), "two\nlines <b>"} {
		if err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"one", "two\nlines <b>"}
	again, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.lines); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600", info, err)
	}
	if err := EraseHistory(path, func(text string) bool { return strings.Contains(text, "<b>") }); err != nil {
		t.Fatal(err)
	}
	if body, err := os.ReadFile(path); err != nil || string(body) != "\"one\"\n" {
		t.Errorf("after erasing: got %q, %v", body, err)
	}
}

func TestHistoryBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	var b strings.Builder
	for i := range maxHistory + 10 {
		fmt.Fprintf(&b, "\"%d\"\n", i)
	}
	b.WriteString("\"torn by a cra")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(path)
	if err != nil || len(h.lines) != maxHistory || h.lines[0] != "10" {
		t.Fatalf("got %d lines from %q, %v, want the newest %d", len(h.lines), h.lines[0], err, maxHistory)
	}
	if lines, err := readHistory(path); err != nil || len(lines) != maxHistory {
		t.Errorf("the file has %d lines, %v, want it cut", len(lines), err)
	}
}
