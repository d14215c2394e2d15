package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestImportSavedAgain reads exports that a program of Windows has saved again, and packed ones.
func TestImportSavedAgain(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	line := s.do(exitOK, "sessions", "export", "-")
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(line)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a mark": "\xef\xbb\xbf" + line, "UTF-16": wide, "gzip": packed.String(), "line ends": strings.ReplaceAll(line, "\n", "\r\n"),
	} {
		file := filepath.Join(t.TempDir(), "saved.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.do(exitOK, "sessions", "delete", "s1", "--yes")
		if said := s.do(exitOK, "sessions", "import", file, "--restore"); !strings.Contains(said, "Imported 1 session") {
			t.Errorf("%s: said %s", name, said)
		}
	}
}

// TestImportOfAnotherProgram says which command reads a file that is no export of this program.
func TestImportOfAnotherProgram(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	for _, text := range []string{`[{"mapping":{}}]`, "PK\x03\x04", "SQLite format 3\x00", `{"results":[{"id":"1","memory":"Likes figs."}]}`} {
		file := filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := s.do(exitFailed, "sessions", "import", file); !strings.Contains(said, "try: hermes import "+file) {
			t.Errorf("%.20q: said %s", text, said)
		}
	}
	if said := s.do(exitFailed, "sessions", "import", t.TempDir()); !strings.Contains(said, "is a directory") {
		t.Errorf("a directory: said %s", said)
	}
}

// TestImportOfABrokenLine: a line that fails among lines of this program is no sign of another one.
func TestImportOfABrokenLine(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I like tea.")
	file := s.exported(t)
	line, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(line, "{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := s.do(exitFailed, "sessions", "import", file); !strings.Contains(said, "1 line was not imported.") || strings.Contains(said, "hermes import") {
		t.Errorf("said %s", said)
	}
}
