package transfer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// gptTalk is a conversation of ChatGPT whose answer has a member, with its id and its branch behind the messages.
func gptTalk(member string) string {
	return `[{"title":"t","mapping":{"a":{"message":{"id":"a","author":{"role":"user"},"create_time":1730000000,` +
		`"content":{"content_type":"text","parts":["A heron."]}}},` +
		`"b":{"parent":"a","message":{"id":"b","author":{"role":"assistant"},"create_time":1730000001,` + member +
		`,"content":{"content_type":"text","parts":["It fishes."]}}},` +
		`"c":{"parent":"a","message":{"id":"c","author":{"role":"assistant"},"create_time":1730000002,` +
		`"content":{"content_type":"text","parts":["Another answer."]}}}},` +
		`"current_node":"b","id":"g1","is_do_not_remember":false}]`
}

// TestOddTypes: a value of another type counts as missing and is named with its place, and what stands behind it is read.
func TestOddTypes(t *testing.T) {
	t.Parallel()
	const webui = `[{"title":"t","chat":{"history":{"messages":{"a":{"id":"a","role":"user","content":"A heron.","files":{}}},"currentId":"a"}},"id":"w","user_id":"ada"}]`
	for _, tt := range []struct{ name, text, user, session, told string }{
		{"a list for an object", gptTalk(`"metadata":[]`), "", "chatgpt:g1", "1 × an array as mapping.message.metadata, first in c.json, conversation t, at /mapping/b/message/metadata"},
		{"a text for a number", gptTalk(`"weight":"1.0"`), "", "chatgpt:g1", "1 × a string as mapping.message.weight"},
		{"a number that is too large", gptTalk(`"weight":1e999`), "", "chatgpt:g1", "1 × a number as mapping.message.weight"},
		{"an object for a text", gptTalk(`"recipient":{"a":1}`), "", "chatgpt:g1", "1 × an object as mapping.message.recipient"},
		{"two in one message", gptTalk(`"metadata":[],"weight":true`), "", "chatgpt:g1", "1 × a bool as mapping.message.weight"},
		{"Open WebUI", webui, "ada", "openwebui:w", "1 × an object as chat.history.messages.files, first in c.json, conversation t, at /chat/history/messages/a/files"},
		{"a title that is a list", strings.Replace(gptTalk(`"end_turn":true`), `"title":"t"`, `"title":["t"]`, 1), "", "chatgpt:g1", "1 × an array as title"},
		{"a node that is a text", strings.Replace(gptTalk(`"end_turn":true`), `"c":{`, `"d":"x","c":{`, 1), "", "chatgpt:g1", "1 × a string as mapping, first in c.json, conversation t, at /mapping/d"},
		{
			"LibreChat", `{"messages":[{"messageId":"1","isCreatedByUser":true,"text":"A heron.","files":{}}],"title":"t","conversationId":"l"}`, "",
			"librechat:l", "1 × an object as messages.files, first in c.json, conversation t, at /messages/0/files",
		},
		{
			"Claude", `[{"chat_messages":[{"uuid":"a","sender":"human","content":{"a":1},"text":"A heron."}],"name":"t","uuid":"u"}]`, "",
			"claude:u", "1 × block without a name",
		},
	} {
		for _, inMemory := range []int{0, 1} {
			t.Run(fmt.Sprint(tt.name, inMemory), func(t *testing.T) {
				t.Parallel()
				in := &Input{Files: []*File{memoryFile("c.json", []byte(tt.text))}}
				got, err := readAll(t, in, Options{From: "auto", User: tt.user, inMemory: inMemory})
				for _, want := range []string{tt.session + " ", `user: "A heron."`, tt.told} {
					if err != nil || !strings.Contains(got, want) {
						t.Errorf("got %s, %v, want %s", got, err, want)
					}
				}
				if strings.Contains(got, "Another answer.") {
					t.Errorf("got another branch: %s", got)
				}
			})
		}
	}
}

// TestOddEvents: an event of a transcript with a value of another type is read.
func TestOddEvents(t *testing.T) {
	t.Parallel()
	text := `{"type":"session","id":"s","timestamp":"2026-01-02T03:04:05.000Z"}` + "\n" +
		`{"type":"message","id":"a","timestamp":"2026-01-02T03:04:06.000Z","message":{"model":7,"role":"user","content":"A heron."}}`
	for _, inMemory := range []int{0, 1} {
		in := &Input{Files: []*File{memoryFile("s.jsonl", []byte(text))}}
		got, err := readAll(t, in, Options{From: "auto", inMemory: inMemory})
		for _, want := range []string{`user: "A heron."`, "1 × a number as message.model, first in s.jsonl, line 2, at /message/model"} {
			if err != nil || !strings.Contains(got, want) {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		}
	}
}

// FuzzDecode: any JSON is decoded, whatever the types of its values, and each value that is told is in it.
func FuzzDecode(f *testing.F) {
	for _, member := range []string{`"metadata":[]`, `"weight":"1"`, `"content":null`, `"author":{"role":[{}]}`} {
		f.Add([]byte(strings.Trim(gptTalk(member), "[]")))
	}
	f.Add([]byte(`{"mapping":{"":7,"a/b":[]},"mapping":{"c":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		lenient := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
		valid := jsontext.Value(raw).IsValid(lenient...)
		var c gptConversation
		err := decode(raw, &c, func(o odd) {
			if o.value == "" || o.at != "" && o.at[0] != '/' {
				t.Errorf("told %+v", o)
			}
		})
		if (err == nil) != valid {
			t.Fatalf("got %v for valid JSON: %t", err, valid)
		}
	})
}
