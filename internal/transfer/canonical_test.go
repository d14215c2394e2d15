package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// reformatted is JSON as another tool writes it: with spaces, and with an escape for each character that is not ASCII. What
// is no JSON stays as it is.
func reformatted(text []byte) []byte {
	spaced, err := jsontext.AppendFormat(nil, text, anyText(), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	if err != nil {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(spaced) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.Bytes()
}

// linesOf are the lines of an input without what earlier versions of this program read.
func linesOf(t *testing.T, dir string, opt Options) []string {
	t.Helper()
	in, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var lines []string
	err = Read(context.Background(), in, opt, NewReport(true), func(line Line) error {
		var c map[string]any
		if text := wholeLine(t, line); len(text) > 0 {
			if err := json.Unmarshal(text, &c); err != nil {
				return err
			}
			if origin, of := c["origin"].(map[string]any); of {
				delete(origin, "earlier")
				delete(origin, "formerly")
			}
		}
		out, err := json.MarshalIndent(c, "", " ")
		lines = append(lines, string(out))
		return err
	})
	if err != nil {
		return []string{"error: " + fmt.Sprint(err)[:10]}
	}
	return lines
}

// TestReformatted: the white space and the escapes of an export change nothing of what is imported, in any format. Otherwise
// an import of the same conversation would undo it, or store it twice.
func TestReformatted(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("got the fixtures %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			testReformatted(t, txtar.Parse(text))
		})
	}
	calls := `"tool_calls":[{"id":"1","name":"look","arguments":{"b":1.0,"a":"é 😀","c":["/",2]}},{"id":"2","function":{"name":"go","arguments":[1,2]}}]`
	for name, tt := range map[string]struct{ file, text string }{
		"a conversation without an id": {"c.json", `[{"chat_messages":[{"uuid":"a","sender":"human","text":"Thé."}],"name":"T\/1"}]`},
		"an id that is an object":      {"c.jsonl", `{"id":"c","messages":[{"id":{"$oid":"é","n":1},"role":"user","content":"Tea."}]}`},
		"calls": {"c.jsonl", `{"messages":[{"role":"user","content":"Tea?"},{"role":"assistant","content":"",` + calls + `},` +
			`{"role":"tool","tool_call_id":"1","content":"yes"}]}`},
		"calls of LibreChat": {"c.json", `{"conversationId":"c","title":"T","messages":[{"messageId":"a","isCreatedByUser":false,"content":[` +
			`{"type":"tool_call","tool_call":{"id":"1","name":"look","args":{"b":1,"a":["x","y"]},"output":"yes"}}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testReformatted(t, &txtar.Archive{Files: []txtar.File{{Name: "in/" + tt.file, Data: []byte(tt.text)}}})
		})
	}
	t.Run("transcripts of one session", func(t *testing.T) {
		t.Parallel()
		testReformatted(t, &txtar.Archive{Files: []txtar.File{
			{Name: "in/sessions/s.jsonl", Data: []byte(clawLines("Thé."))},
			{Name: "in/sessions/s.jsonl.reset.2026-01-02T03-04-05.000Z", Data: []byte(clawLines("More."))},
		}})
	})
}

// clawLines are a transcript of OpenClaw with what a person says and a call.
func clawLines(text string) string {
	return `{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"` + text + `"}]}}` + "\n" +
		`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"1",` +
		`"name":"look","arguments":{"a":1,"b":"é"}}]}}`
}

func testReformatted(t *testing.T, archive *txtar.Archive) {
	opt := optionsOf(string(archive.Comment))
	want := linesOf(t, unfold(t, archive.Files), opt)
	if len(want) == 0 || len(archive.Comment) == 0 && strings.HasPrefix(want[0], "error") {
		t.Fatalf("got the lines %q", want)
	}
	for i := range archive.Files {
		f := &archive.Files[i]
		switch {
		case strings.HasSuffix(f.Name, ".json"):
			f.Data = reformatted(f.Data)
		case strings.Contains(f.Name, ".jsonl"):
			lines := bytes.SplitAfter(f.Data, []byte("\n"))
			for i, line := range lines {
				lines[i] = append(reformatted(bytes.TrimSuffix(line, []byte("\n"))), '\n')
			}
			f.Data = bytes.Join(lines, nil)
		}
	}
	for _, opt.inMemory = range []int{0, 70} {
		if diff := cmp.Diff(want, linesOf(t, unfold(t, archive.Files), opt)); diff != "" {
			t.Errorf("(-as exported +reformatted, %d bytes in memory)\n%s", opt.inMemory, diff)
		}
	}
}

// TestReformattedEarlier: what earlier versions of this program took from the bytes of a file is still told, so that they
// have imported the same conversation.
func TestReformattedEarlier(t *testing.T) {
	t.Parallel()
	const answered, alone, odd = `{ "q" : 1.0 }`, `{"a": [1, 2]}`, `{"$oid": "x"}`
	dir := t.TempDir()
	whole := `{"messages": [{"id":` + odd + `,"role":"assistant","tool_calls":[{"id":"1","name":"look","arguments":` + answered +
		`},{"id":"2","name":"go","arguments":` + alone + `}]},{"id":"m","role":"tool","tool_call_id":"1","content":"yes"}]}`
	if err := os.WriteFile(filepath.Join(dir, "c.jsonl"), []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var head lineHead
	if err := Read(t.Context(), in, Options{From: "jsonl"}, NewReport(true), func(line Line) error {
		return json.Unmarshal(wholeLine(t, line), &head)
	}); err != nil {
		t.Fatal(err)
	}
	then := func(id, answered, alone string) *marking {
		said := &marking{}
		said.mark(&Message{ID: id, Role: roleAssistant, Text: "[go: " + alone + "]", Calls: []Call{{Name: "look", Arguments: answered}}})
		said.mark(&Message{ID: "m", Role: roleTool, Text: "yes"})
		return said
	}
	now, earlier := then(`{"$oid":"x"}`, `{"q":1.0}`, `{"a":[1,2]}`), then(odd, answered, alone)
	if got := head.Origin; got.Earlier == nil || !bytes.Equal(got.Marks, now.marks) || !bytes.Equal(got.Texts, now.texts) ||
		!bytes.Equal(got.Earlier.Marks, earlier.marks) || !bytes.Equal(got.Earlier.Texts, earlier.texts) {
		t.Errorf("got the marks %+v, want %+v, and earlier %+v", got, now, earlier)
	}
	if former := []string{hashID(whole)}; head.Origin.ID == former[0] || !slices.Equal(head.Origin.Formerly, former) {
		t.Errorf("got the id %q, formerly %q; want the former one %q", head.Origin.ID, head.Origin.Formerly, former)
	}
}
