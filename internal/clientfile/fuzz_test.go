package clientfile

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzEdit installs in any document and takes the entry out again.
func FuzzEdit(f *testing.F) {
	for _, s := range shapes() {
		f.Add([]byte(strings.ReplaceAll(s.json, "TABLE", "mcpServers")), false)
		f.Add([]byte(strings.ReplaceAll(s.toml, "TABLE", "mcp_servers")), true)
	}
	f.Fuzz(func(t *testing.T, doc []byte, asTOML bool) {
		name := "cursor"
		if asTOML {
			name = "codex"
		}
		c, _ := Find(name)
		members, err := c.syntax.decode(doc)
		if err != nil || bytes.HasPrefix(doc, mark) {
			return
		}
		if _, exists := lookup(members, c.path()); exists {
			fuzzUpdate(t, &c, doc)
			return
		}
		after, err := c.install(doc, ours)
		if err != nil {
			return // refused
		}
		if err := c.checkOthers(doc, after); err != nil {
			t.Fatalf("%v:\n%q\n%q", err, doc, after)
		}
		if !subsequence(doc, after) {
			t.Fatalf("bytes were lost:\n%q\n%q", doc, after)
		}
		if again, err := c.install(after, ours); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("installed twice: %v:\n%q\n%q", err, after, again)
		}
		back, err := c.syntax.remove(after, c.path())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.checkOthers(doc, back); err != nil {
			t.Fatalf("removed: %v:\n%q\n%q", err, doc, back)
		}
		if table, _ := members[c.table].(map[string]any); len(table) > 0 && !asTOML && !bytes.Equal(inked(back), inked(doc)) {
			t.Fatalf("removed:\n%q\n%q", doc, back)
		}
		if asTOML && !bytes.Equal(bytes.TrimRight(back, "\r\n"), bytes.TrimRight(doc, "\r\n")) {
			t.Fatalf("removed:\n%q\n%q", doc, back)
		}
	})
}

// inked is a document without white space. Where a brace closes on the line of the last
// member, a line break stays behind.
func inked(doc []byte) []byte { return bytes.Join(bytes.Fields(doc), nil) }

// fuzzUpdate installs over an entry of the document.
func fuzzUpdate(t *testing.T, c *Client, doc []byte) {
	t.Helper()
	after, err := c.install(doc, ours)
	if err != nil {
		return // refused
	}
	if err := c.checkOthers(doc, after); err != nil {
		t.Skip() // refused before anything is written
	}
	if again, err := c.install(after, ours); err != nil || !bytes.Equal(again, after) {
		t.Fatalf("installed twice: %v:\n%q\n%q", err, after, again)
	}
}
