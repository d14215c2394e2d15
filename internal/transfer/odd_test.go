package transfer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOddities: what exports of people had that no fixture has.
func TestOddities(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, text, want string }{
		{
			"Claude: a sentence in blocks", "conversations.json",
			`[{"uuid":"c","name":"x","chat_messages":[{"uuid":"a","sender":"assistant","text":"","created_at":"2025-03-01T00:00:00Z",` +
				`"content":[{"type":"text","text":"Radish"},{"type":"text","text":" is pink."},{"type":"text","text":"So it is."}]}]}]`,
			`"Radish is pink.\nSo it is."`,
		},
		{
			"LibreChat: an answer in parts", "c.json",
			`{"conversationId":"l","title":"x","messages":[{"messageId":"a","text":"","createdAt":"2025-03-01T00:00:00Z",` +
				`"content":[{"type":"text","text":"En garde."},{"type":"text","text":"Allez."}]}]}`,
			`assistant: "En garde.\nAllez."`,
		},
		{
			"OpenClaw: a mark behind the last message", "s.jsonl",
			`{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
				`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Hello."}}` + "\n" +
				`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":"Hi."}}` + "\n" +
				`{"type":"mark","id":"z"}`,
			`assistant: "Hi."`,
		},
		{
			"Open WebUI: a picture in the text", "e.json",
			`[{"id":"o","user_id":"u","title":"x","created_at":1730000000,"chat":{"history":{"currentId":"a","messages":{"a":{"id":"a","role":"user",` +
				`"timestamp":1730000000,"content":[{"type":"text","text":"My tree."},{"type":"image_url","image_url":{"url":"data:"}}]}}}}}]`,
			`"My tree.\n[image]"`,
		},
		{"Hermes Agent: notes of Windows", "MEMORY.md", "One.\r\n§\r\nTwo.\r\n", `"Two."`},
		{
			"ChatGPT: a space before a citation", "conversations.json",
			`[{"id":"g","title":"x","current_node":"a","mapping":{"a":{"message":{"id":"a","author":{"role":"assistant"},"create_time":1730000000,` +
				`"weight":1,"recipient":"all","content":{"content_type":"text","parts":["An oboe \ue200cite\ue202x\ue201. A flute 【3†a】 too."]}}}}}]`,
			`"An oboe. A flute too."`,
		},
		{
			"Claude: a message that is one text", "conversations.json",
			`[{"uuid":"c","name":"x","chat_messages":[{"uuid":"a","sender":"human","content":"A plum.","created_at":"2025-03-01T00:00:00Z"}]}]`,
			`"A plum."`,
		},
		{
			"ChatGPT: ids and titles that are numbers", "conversations.json",
			`[{"conversation_id":12,"title":34,"mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"create_time":1730000000,` +
				`"content":{"content_type":"text","parts":["A pear."]}}}}}]`,
			"chatgpt:12 key=\"\" title=\"34\" model=\"\"\n  2024-10-27T03:33:20.000 user: \"A pear.\"\nFrom",
		},
		{
			"JSON lines: sessions that are numbers", "m.jsonl",
			`{"session":5,"role":"user","content":"A fig.","timestamp":"Sun, 27 Oct 2024 03:33:20 GMT"}` + "\n" + `{"session":6,"role":"user","content":"A date."}`,
			`2024-10-27T03:33:20.000 user: "A fig."`,
		},
		{"Mem0: ids that are numbers", "m.json", `{"results":[{"id":7,"memory":"Likes kiwis.","user_id":8,"created_at":"2025-03-01"}]}`, "mem0:8 "},
		{
			"a time in the future", "m.jsonl",
			`{"session":"s","role":"user","content":"Now.","timestamp":1730000000}` + "\n" + `{"session":"s","role":"user","content":"Then.","timestamp":4300000000}`,
			`2024-10-27T03:33:20.001 user: "Then."`,
		},
		{
			"bytes that are no UTF-8", "m.jsonl", `{"session":"s","role":"user","content":"` + "Caf\xe9" + `"}`,
			"1 × bytes that are no UTF-8, shown as �, first in m.jsonl, line 1",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, &Input{Files: []*File{memoryFile(tt.file, []byte(tt.text))}}, Options{From: "auto"})
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestWrapped: conversations in an object around their list are read, or what to do is told.
func TestWrapped(t *testing.T) {
	t.Parallel()
	libre := `{"title":"x","messages":[{"messageId":"a","parentMessageId":"","isCreatedByUser":true,"text":"A quince.","createdAt":"2025-03-01T00:00:00Z"}]}`
	for name, tt := range map[string]struct{ text, want string }{
		"conversations":                {`{"conversations":` + tiny + `}`, "claude:u1 "},
		"data, a page":                 {`{"object":"list","total":1,"next":null,"data":` + tiny + `,"more":{"a":["]}"]}}`, "claude:u1 "},
		"two behind":                   {`{"results":` + tiny + "}\n" + strings.ReplaceAll(strings.Trim(tiny, "[]"), "u1", "u2"), "claude:u2 "},
		"a null first":                 {`{"results":[null, ` + tiny[1:] + `}`, "claude:u1 "},
		"Mem0, a null first":           {`{"results":[null,{"id":"1","memory":"Likes figs."}]}`, "Likes figs."},
		"cut off":                      {`{"results":` + tiny + `,"more":1`, "before its list does"},
		"a conversation":               {`{"id":"a","items":[{}],"messages":[{"role":"user","content":"A sloe."}]}`, "jsonl:a "},
		"another name":                 {`{"everything":` + tiny + `}`, "an object around a list of conversations. Write the list alone to a file."},
		"Mem0, relations":              {`{"results":[{"id":"1","memory":"Likes figs."}],"relations":[{"source":"a","relationship":"likes","target":"b"}]}`, "1 × relation of the graph"},
		"LibreChat, no conversationId": {libre, "librechat:a "},
		"LibreChat, a list of these":   {`{"data":[` + libre + `]}`, "librechat:a "},
		"LibreChat, it grows": {
			strings.Replace(libre, `Z"}]`, `Z"},{"messageId":"b","parentMessageId":"a","text":"A medlar.","createdAt":"2025-03-01T00:00:01Z"}]`, 1), "librechat:a ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(tt.text))}}, Options{From: "auto"})
			if err != nil {
				got += err.Error()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestUnpackedByHand: the files that macOS adds to an archive are passed over in a directory, too.
func TestUnpackedByHand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"conversations.json": tiny, "__MACOSX/._conversations.json": "x"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := Open(dir)
	if err != nil || len(in.Files) != 1 {
		t.Fatalf("got %+v, %v", in, err)
	}
}

// TestMissingParts: a part of an export that nobody downloaded is told.
func TestMissingParts(t *testing.T) {
	t.Parallel()
	in := &Input{}
	for _, name := range []string{"100%/conversations-000.json", "100%/conversations-003.json", "data-001.zip:conversations.json", "other-2024.json"} {
		in.Files = append(in.Files, memoryFile(name, []byte(tiny)))
	}
	report := NewReport(true)
	if err := Read(t.Context(), in, Options{From: "auto"}, report, func(Line) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range report.Notes {
		got = append(got, n.ID)
	}
	want := "100%/conversations-001.json 100%/conversations-002.json data-000.zip:conversations.json"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
