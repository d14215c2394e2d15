package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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

// TestOwnHome: files of this program are no exports of another one, however their formats are alike. The advice stands
// once, and other files are read.
func TestOwnHome(t *testing.T) {
	t.Parallel()
	const transcript = `{"type":"session","mirror":1,"id":"s","root_id":"s","source":"cli","started_at":"2026-03-01T12:00:01Z"}` + "\n" +
		`{"type":"message","seq":0,"id":1,"role":"user","content":"I row.","said_at":"2026-03-01T12:00:01Z"}`
	const advice = "`hermes sessions export` and `hermes sessions import` move sessions from one home to another."
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	makeDatabase(t, filepath.Join(dir, "state.db"), `PRAGMA application_id = 0x48524d53;
		CREATE TABLE sessions (id TEXT, parent_session_id TEXT); CREATE TABLE messages (tool_call_id TEXT);`)
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, "sessions", name), []byte(transcript), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path, from string) (string, error) {
		in, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		return readAll(t, in, Options{From: from})
	}
	for path, want := range map[string]string{
		dir: "sessions/a.jsonl is a transcript of this program.", filepath.Join(dir, "sessions"): "a.jsonl is a transcript of this program.",
		filepath.Join(dir, "state.db"): "state.db is a database of this program.", filepath.Join(dir, "sessions", "b.jsonl"): "b.jsonl is a transcript",
	} {
		for _, from := range []string{"auto", "hermes", "openclaw"} {
			if got, err := read(path, from); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), advice) {
				t.Errorf("%s from %s: got %s, %v, want %s", path, from, got, err, want)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "conversations.json"), []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := read(dir, "auto")
	if err != nil || !strings.Contains(got, "I like tea.") || strings.Count(got, advice) != 1 || !strings.Contains(got, "2 × file of this program") {
		t.Errorf("among others: got %s, %v", got, err)
	}
}

// TestOwnExportSince: --since counts for an export of this program as for other conversations: the time of the last message decides,
// and what is left out is counted once.
func TestOwnExportSince(t *testing.T) {
	t.Parallel()
	ours := func(id, times, said string) string {
		return `{"id":"` + id + `","_lineage_root_id":"` + id + `",` + times + `"messages":[{"role":"user","content":"I row.",` + said + `}]}` + "\n"
	}
	const old, late = `"said_at":"2024-03-01T10:00:00Z"`, `"said_at":"2025-03-01T10:00:00Z"`
	text := ours("before", `"started_at":"2024-03-01T10:00:00Z","last_active":"2024-03-01T10:00:00Z",`, old) +
		`{"id":"plain","messages":[{"role":"user","content":"I ski.",` + old + `}]}` + "\n" +
		ours("went-on", `"started_at":"2024-03-01T10:00:00Z","last_active":"2025-01-02T00:00:00Z",`, old) +
		ours("on-the-day", `"last_active":"2025-01-01T00:00:00Z",`, old) +
		ours("untold-before", "", old) + ours("untold-after", "", late) +
		ours("started-before", `"started_at":"2024-03-01T10:00:00Z",`, `"name":"Ada"`)
	file := filepath.Join(t.TempDir(), "own.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[string]string{
		"":           "before plain went-on on-the-day untold-before untold-after started-before",
		"2025-01-01": "went-on on-the-day untold-after",
	} {
		in, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		report := NewReport(true)
		var got []string
		err = Read(context.Background(), in, Options{From: "auto", Key: "me", Since: parseStamp(since)}, report, func(l Line) error {
			var line struct {
				ID     string
				Origin struct{ ID string }
			}
			err := json.Unmarshal(wholeLine(t, l), &line)
			got = append(got, cmp.Or(line.Origin.ID, line.ID))
			return err
		})
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("since %q: got %q, want %q", since, got, want)
		}
		left := 0
		for _, k := range report.Omitted {
			if k.Kind == "conversation before --since" {
				left = k.Count
			}
		}
		if left != 7-len(got) || report.Conversations != len(got) {
			t.Errorf("since %q: %d were counted as left out and %d as taken, want %d and %d", since, left, report.Conversations, 7-len(got), len(got))
		}
	}
}
