package transfer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// gptPicture is a conversation of ChatGPT with a picture, of which the metadata has a name.
func gptPicture(content, attachments string) string {
	return fmt.Sprintf(`[{"id":"c","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"create_time":1717232400,"content":%s,`+
		`"metadata":{"attachments":%s}}}}}]`, content, attachments)
}

// TestPictures: a picture is one line, with its name. A line of an import says how earlier versions read it.
func TestPictures(t *testing.T) {
	t.Parallel()
	const parts = `{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://f1"},"What is it?"]}`
	libre := `{"conversationId":"c","messages":[{"messageId":"a","text":"Look.","isCreatedByUser":true,"createdAt":"2024-06-01T09:00:00.000Z",` +
		`"files":[{"filename":"x.png","type":"image/png"},{"filename":"y.txt","type":"text/plain","text":"Words."}]}]}`
	tool, person := roleTool, roleUser
	for _, tt := range []struct {
		name, text   string
		now, earlier []Message
	}{
		{
			"ChatGPT", gptPicture(parts, `[{"id":"f1","name":"hive.png"},{"id":"f2","name":"notes.pdf"}]`),
			[]Message{{ID: "a", Role: person, Text: "[image: hive.png]\nWhat is it?"}, {ID: "a#1", Role: tool, Text: "[file: notes.pdf]"}},
			[]Message{
				{ID: "a", Role: person, Text: "[image: f1]\nWhat is it?"}, {ID: "a#0", Role: tool, Text: "[image: hive.png]"},
				{ID: "a#1", Role: tool, Text: "[file: notes.pdf]"},
			},
		},
		{
			"ChatGPT, of another id", gptPicture(parts, `[{"id":"f3","name":"hive.png"}]`),
			[]Message{{ID: "a", Role: person, Text: "[image: f1]\nWhat is it?"}, {ID: "a#0", Role: tool, Text: "[image: hive.png]"}}, nil,
		},
		{
			"LibreChat", libre,
			[]Message{
				{ID: "a", Role: person, Text: "Look."}, {ID: "a#file0", Role: tool, Text: "[image: x.png]"}, {ID: "a#file1", Role: tool, Text: "[file: y.txt]\nWords."},
			},
			[]Message{
				{ID: "a", Role: person, Text: "Look."}, {ID: "a#file0", Role: tool, Text: "[file: x.png]"}, {ID: "a#file1", Role: tool, Text: "[file: y.txt]\nWords."},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := headOf(t, memoryFile("c.json", []byte(tt.text))).Origin
			var now, earlier marking
			for i := range tt.now {
				now.mark(&tt.now[i])
			}
			for i := range tt.earlier {
				earlier.mark(&tt.earlier[i])
			}
			if !bytes.Equal(got.Marks, now.marks) || !bytes.Equal(got.Texts, now.texts) {
				t.Errorf("now: got %x and %x, want %x and %x", got.Marks, got.Texts, now.marks, now.texts)
			}
			if got.Earlier == nil {
				got.Earlier = &lineMarks{}
			}
			if !bytes.Equal(got.Earlier.Marks, earlier.marks) || !bytes.Equal(got.Earlier.Texts, earlier.texts) {
				t.Errorf("earlier: got %+v, want %x and %x", got.Earlier, earlier.marks, earlier.texts)
			}
		})
	}
}

// TestNulls: an element that is null, or of another type, is counted once, in each format and of any size.
func TestNulls(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"claude chat_messages":    `[{"uuid":"c","chat_messages":[null,"x",{"uuid":"a","sender":"human","text":"I row."}]}]`,
		"jsonl messages":          `{"id":"c","messages":[null,"x",{"role":"user","content":"I row."}]}`,
		"librechat messages":      `{"conversationId":"c","messages":[null,"x",{"messageId":"a","text":"I row.","isCreatedByUser":true}]}`,
		"letta agents.messages":   `{"agents":[{"id":"agent-0","name":"x","messages":[null,"x",{"role":"user","content":"I row."}]}],"blocks":[]}`,
		"letta messages":          `{"core_memory":[],"name":"x","messages":[null,"x",{"role":"user","content":"I row."}]}`,
		"openwebui chat.messages": `[{"id":"c","chat":{"messages":[null,"x",{"id":"a","role":"user","content":"I row."}]}}]`,
	} {
		system, list, _ := strings.Cut(name, " ")
		for _, inMemory := range []int{0, 1} {
			got, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(text))}}, Options{From: system, inMemory: inMemory})
			if err != nil || !strings.Contains(got, `"I row."`) {
				t.Errorf("%s, %d: got %s, %v", name, inMemory, got, err)
			}
			_, counted, _ := strings.Cut(got, "messages stored")
			for _, want := range []string{"1 × a null as " + list, "1 × a string as "} {
				if strings.Count(counted, want) != 1 || strings.Count(counted, "×") != 2 {
					t.Errorf("%s, %d: got %s, want %s and no more", name, inMemory, got, want)
				}
			}
		}
	}
}
