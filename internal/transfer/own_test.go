package transfer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnExport: the report tells the session keys in an export of this program, and that --key does not change them.
func TestOwnExport(t *testing.T) {
	t.Parallel()
	const note = "An export of this program keeps its session keys."
	line := func(id, key string) string {
		return `{"id":"` + id + `","_lineage_root_id":"` + id + `","session_key":"` + key + `","messages":[{"role":"user","content":"I row."}]}` + "\n"
	}
	file := filepath.Join(t.TempDir(), "own.jsonl")
	text := line("a", "") + line("b", "me") + line("c", "team") + line("d", "me") + `{"id":"e","messages":[{"role":"user","content":"I ski."}]}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, given := range []bool{false, true} {
		in, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		report := NewReport(true)
		err = Read(context.Background(), in, Options{From: "auto", Key: "other", KeyGiven: given}, report, func(Line) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		var said strings.Builder
		report.Write(&said)
		if want := "session keys of jsonl, which are kept; see --key:\n       2 × me\n       1 × team\n"; !strings.Contains(said.String(), want) {
			t.Errorf("got %q, want %q in it", said.String(), want)
		}
		if strings.Count(said.String(), note) != map[bool]int{true: 1}[given] {
			t.Errorf("--key given: %v: got %q", given, said.String())
		}
	}
}
