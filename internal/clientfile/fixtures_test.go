package clientfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

// shape is a file of a client before the installation. TABLE stands for the name of the
// table of servers.
type shape struct {
	name string
	json string
	toml string
	// refused is the line of the error, if the file cannot be changed.
	refused int
	// whole reports that removing the entry alone gives the file back, without a backup.
	whole bool
}

// shapes are the files, in JSON and in TOML. An empty text leaves the syntax out.
func shapes() []shape {
	return []shape{
		{name: "empty object", json: "{}\n", toml: "# nothing\n"},
		{name: "empty file", json: "", toml: "\n"},
		{
			name: "another server", whole: true,
			json: "{\n  \"TABLE\": {\n    \"git\": {\n      \"command\": \"git-mcp\"\n    }\n  }\n}\n",
			toml: "model = \"x\"\n\n[TABLE.git]\ncommand = \"git-mcp\"\n",
		},
		{
			name: "comments", whole: true,
			json: "// mine\n{\n\t/* of all */\n\t\"theme\": \"dark\", // and so on\n\t\"TABLE\": {\n\t\t// first\n\t\t\"a\": {\"command\": \"a\"}, // of a\n\t\t\"b\": {\"command\": \"b\"} /* of b */ // more of b\n\t\t// end\n\t} // of servers\n}\n// last",
			toml: "# mine\nmodel = \"x\" # and so on\n\n  # first\n[TABLE.a] # of a\ncommand = \"\"\"a\n[not.a.table]\n\"\"\" # more\n# end\n",
		},
		{
			name: "trailing commas", whole: true,
			json: "{\n    \"TABLE\": {\n        \"a\": {\"command\": \"a\",}, // of a\n    },\n    \"z\": [1, 2.50, 1e3,],\n}\n",
			toml: "list = [\n  1, 2, # two\n]\n\n[TABLE.a]\nargs = [\"x\",]\n",
		},
		{
			name: "carriage returns", whole: true,
			json: "{\r\n  \"TABLE\": {\r\n    \"a\": {\"command\": \"a\"} // of a\r\n  }\r\n}\r\n",
			toml: "model = \"x\"\r\n\r\n[TABLE.a]\r\ncommand = \"a\"\r\n",
		},
		{name: "no servers", json: "{\n  \"theme\": \"dark\",\n  \"number\": 12345678901234567890.10\n}", toml: "model = \"x\""},
		{name: "minified", whole: true, json: `{"a":[],"TABLE":{"a":{"command":"a"}},"b":"\u0041 } // no comment"}`, toml: "TABLE.a.command='a'"},
		{name: "a comment at the end of the line", whole: true, json: "{\"TABLE\": {\"a\": {} // of a\n}}", toml: "[TABLE.a] # of a"},
		{name: "empty table with a comment", json: "{\n  \"TABLE\": { // servers\n  }\n}\n", toml: "[TABLE] # servers\n\n[other]\nx = 1\n"},
		{
			name: "a header elsewhere", whole: true, json: "{\"TABLE\": {\n  \"a\": {},\n\n  // the end\n  }, \"other\": {\"hermes\": 1}}\n",
			toml: "[TABLE]\n[TABLE.\"a.b\"]\nx = 1\n\n[hermes]\ny = 2\n",
		},
		{name: "comments alone", json: "// nothing yet\n", toml: "# nothing yet\n# at all"},
		{name: "a comment without an end of its line", json: "/* a */ // nothing yet", toml: "\t# nothing yet"},
		{name: "a comment over lines", json: "/* nothing\r\n   yet */\r\n", toml: "# nothing\r\n# yet\r\n"},
		{name: "no number", whole: true, json: "{\"TABLE\": {\"a\": {\"n\": -0.0}}}", toml: "f = nan\ng = [inf, -nan, {h = nan}]\nd = 1979-05-27T07:32:00Z\n\n[TABLE.a]\nf = -inf\n"},
		{name: "a comment that does not end", json: "/* {\"TABLE\": {}}\n", toml: "[TABLE.a\n", refused: 1},
		{name: "UTF-16", json: "\xff\xfe{\x00}\x00", toml: "\xfe\xff\x00a\x00=\x001", refused: 1},
		{name: "broken", json: "{\n  \"TABLE\" {}\n}\n", toml: "\n[TABLE.a\n", refused: 2},
		{name: "unclosed", json: "{\n  \"TABLE\": {\n    \"a\": {\n  }\n}\n", toml: "\n\n\n\ncommand = \"a\n\n", refused: 5},
		{name: "not a table", json: "{\n  \"TABLE\": []\n}\n", toml: "\nTABLE = { a = { command = \"a\" } }\n", refused: 2},
		{name: "twice", json: "{\n  \"TABLE\": {}, \n  \"TABLE\": {}\n}\n", toml: "a = 1\n\na = 2\n", refused: 3},
	}
}

func placeIn(t *testing.T) Place {
	t.Helper()
	dir := t.TempDir()
	return Place{OS: "linux", Home: dir, Dir: filepath.Join(dir, "work"), Getenv: func(string) string { return "" }}
}

var ours = Server{Command: "/usr/bin/hermes", Args: []string{"mcp", "--session-key", "me"}}

// TestFixtures installs and uninstalls in more than a hundred files: every client, every
// shape.
func TestFixtures(t *testing.T) {
	t.Parallel()
	count := 0
	for _, c := range clients() {
		for _, s := range shapes() {
			text := s.json
			if c.Name == "codex" {
				text = s.toml
			}
			text = strings.ReplaceAll(text, "TABLE", c.table)
			for _, prefix := range []string{"", string(mark)} {
				count++
				t.Run(c.Name+"/"+s.name+"/"+prefix, func(t *testing.T) {
					t.Parallel()
					checkFixture(t, c, s, []byte(prefix+text))
				})
			}
		}
	}
	if count < 60 {
		t.Errorf("got %d files, want 60 or more", count)
	}
}

func checkFixture(t *testing.T, c Client, s shape, before []byte) {
	t.Helper()
	p := placeIn(t)
	name := c.files(p, false)[0]
	store(t, name, before, 0o640)
	change, err := c.Install(p, false, ours)
	if s.refused > 0 {
		checkRefused(t, name, before, s.refused, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, change)
	after := load(t, name)
	if !subsequence(before, after) {
		t.Errorf("bytes were lost:\n%s\n%s", before, after)
	}
	checkEntry(t, &c, p)
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("got mode %v (%v), want 0640", info.Mode(), err)
	}
	if strings.Contains(string(before), "\r\n") && strings.Count(string(after), "\n") != strings.Count(string(after), "\r\n") {
		t.Errorf("mixed ends of lines: %q", after)
	}
	again, err := c.Install(p, false, ours)
	if err != nil || !again.None() || again.Diff() != "" {
		t.Errorf("installed twice: got %q, %v; want no change", again.After, err)
	}
	checkWithout(t, &c, p, s, before)
	undo, err := c.Uninstall(p, false)
	if err != nil {
		t.Fatal(err)
	}
	write(t, undo)
	if got := load(t, name); !bytes.Equal(got, before) {
		t.Errorf("uninstalled: got %q, want %q", got, before)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("uninstalled: got %v, want the file alone", left)
	}
}

// checkWithout uninstalls without the help of a backup.
func checkWithout(t *testing.T, c *Client, p Place, s shape, before []byte) {
	t.Helper()
	f, err := c.open(p, false)
	if err != nil {
		t.Fatal(err)
	}
	body, err := c.syntax.remove(f.body, c.path())
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.TrimPrefix(before, mark)
	if c.Name == "codex" && len(want) > 0 && want[len(want)-1] != '\n' {
		want = append(bytes.Clone(want), '\n')
	}
	if s.whole && !bytes.Equal(body, want) {
		t.Errorf("removed: got %q, want %q", body, want)
	}
	if err := c.checkOthers(want, body); err != nil {
		t.Errorf("removed: %v: %q", err, body)
	}
}

func checkEntry(t *testing.T, c *Client, p Place) {
	t.Helper()
	f, err := c.open(p, false)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := lookup(f.members, c.path())
	got, ok := c.read(found)
	if diff := cmp.Diff(ours, got); diff != "" || !ok {
		t.Errorf("entry %v (-want +got):\n%s", found, diff)
	}
}

func checkRefused(t *testing.T, name string, before []byte, line int, err error) {
	t.Helper()
	if fault.CodeOf(err) != "client_file_unreadable" {
		t.Fatalf("got %v, want client_file_unreadable", err)
	}
	message := fault.MessageOf(err)
	if !strings.HasPrefix(message, fmt.Sprintf("%s:%d: ", name, line)) {
		t.Errorf("got %q, want file and line %d", message, line)
	}
	if got := load(t, name); !bytes.Equal(got, before) {
		t.Errorf("the file changed: %q", got)
	}
}

// subsequence reports whether a text is another one with something inserted.
func subsequence(text, in []byte) bool {
	for _, b := range in {
		if len(text) > 0 && text[0] == b {
			text = text[1:]
		}
	}
	return len(text) == 0
}

func store(t *testing.T, name string, body []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func write(t *testing.T, c *Change) {
	t.Helper()
	if err := c.Write(); err != nil {
		t.Fatal(err)
	}
}
