package transfer

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the fixtures expect")

// written is when all files of the fixtures were last changed.
func written() time.Time { return time.Date(2025, time.June, 1, 12, 0, 0, 0, time.UTC) }

// unfold writes the files of a fixture to a directory. A file of SQL becomes a database.
func unfold(t *testing.T, files []txtar.File) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range files {
		name, isInput := strings.CutPrefix(f.Name, "in/")
		if !isInput {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if db, isSQL := strings.CutSuffix(path, ".sql"); isSQL {
			makeDatabase(t, db, string(f.Data))
			path = db
		} else if err := os.WriteFile(path, packedAs(t, path, bytes.TrimSuffix(f.Data, []byte("\n"))), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, written(), written()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// packedAs packs a file as its name says.
func packedAs(t *testing.T, name string, text []byte) []byte {
	t.Helper()
	if !strings.HasSuffix(name, ".zst") {
		return text
	}
	return zstded(t, text)
}

func zstded(t testing.TB, text []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(text, nil)
}

func makeDatabase(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatalf("make %s: %v", path, err)
	}
}

// shownLine is a line of an import as a fixture shows it.
func shownLine(t *testing.T, line []byte) string {
	t.Helper()
	var c struct {
		lineHead

		Messages []lineMessage `json:"messages"`
	}
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatalf("line %s: %v", line, err)
	}
	if n := len(c.Origin.Marks); n != len(c.Messages)*markSize {
		t.Errorf("%s: got %d bytes of marks for %d messages", c.ID, n, len(c.Messages))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s key=%q title=%q model=%q", c.ID, c.SessionKey, c.Title, c.Model)
	if len(c.Origin.Formerly) > 0 {
		fmt.Fprintf(&b, " formerly=%q", c.Origin.Formerly)
	}
	b.WriteString("\n")
	before := time.Time{}
	for _, m := range c.Messages {
		if m.SaidAt.Before(before) {
			t.Errorf("%s: %q is before the message before", c.ID, m.Content)
		}
		before = m.SaidAt
		fmt.Fprintf(&b, "  %s %s%s: %q", m.SaidAt.Format("2006-01-02T15:04:05.000"), m.Role, bracketed(m.Name+m.ToolName)+bracketed(m.Note), m.Content)
		for _, call := range m.ToolCalls {
			fmt.Fprintf(&b, " calls %s %s(%s)", call.ID, call.Function.Name, call.Function.Arguments)
		}
		if m.ToolCallID != "" {
			fmt.Fprintf(&b, " answers %s", m.ToolCallID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// wholeLine is the text of a line.
func wholeLine(t *testing.T, line Line) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := line.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

// readAll reads an input, and shows its lines and the report.
func readAll(t *testing.T, in *Input, opt Options) (string, error) {
	t.Helper()
	var b strings.Builder
	report := NewReport(true)
	err := Read(context.Background(), in, opt, report, func(line Line) error {
		if len(line.Text) == 0 {
			fmt.Fprintf(&b, "line %d is taken back\n", line.Replaces)
			return nil
		}
		b.WriteString(shownLine(t, wholeLine(t, line)))
		return nil
	})
	if err == nil {
		report.Taken, report.Stored = report.Conversations, report.Messages
		report.Write(&b)
	}
	return b.String(), err
}

// optionsOf are the options in the first line of a fixture, such as `from=auto user=ada`.
func optionsOf(comment string) Options {
	opt := Options{From: "auto", Key: "me"}
	first, _, _ := strings.Cut(comment, "\n")
	for _, word := range strings.Fields(first) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "from":
			opt.From = value
		case "user":
			opt.User = value
		case "all":
			opt.All = true
		case "since":
			opt.Since = parseStamp(value)
		case "key":
			opt.Key, opt.KeyGiven = value, true
		}
	}
	return opt
}

// TestFixtures reads an input of each format and generation, and compares the messages, their
// times and the report.
func TestFixtures(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 9 {
		t.Fatalf("got the fixtures %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testFixture(t, name, 0)
		})
	}
}

// TestLargeConversations reads the fixtures as conversations that are too large for the memory.
func TestLargeConversations(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || *update {
		t.Fatalf("got %v; the other test updates the fixtures", err)
	}
	for _, name := range names {
		for _, inMemory := range []int{1, 70} {
			t.Run(fmt.Sprintf("%s, %d bytes", strings.TrimSuffix(filepath.Base(name), ".txtar"), inMemory), func(t *testing.T) {
				t.Parallel()
				testFixture(t, name, inMemory)
			})
		}
	}
}

func testFixture(t *testing.T, name string, inMemory int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	dir := unfold(t, archive.Files)
	before := snapshot(t, dir)
	in, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	opt := optionsOf(string(archive.Comment))
	opt.inMemory = inMemory
	got, err := readAll(t, in, opt)
	if err != nil {
		got = "error: " + err.Error() + "\n"
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("the input was changed:\n%s", diff)
	}
	last := &archive.Files[len(archive.Files)-1]
	if *update {
		last.Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(last.Data), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// snapshot are all files below a directory.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// openBytes opens bytes as a file.
func openBytes(text []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
}
