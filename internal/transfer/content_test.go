package transfer

import (
	"encoding/json"
	"strings"
	"testing"
)

// webuiOf is a chat of Open WebUI whose answer has some members.
func webuiOf(answer string) string {
	return `[{"id":"w","user_id":"ada","title":"t","chat":{"history":{"messages":{"a":{"id":"a","role":"user","content":"Hello."},` +
		`"b":{"id":"b","parentId":"a","role":"assistant",` + answer + `}},"currentId":"b"}}}]`
}

// TestNothingIsLost: a message in an unusual form is taken, or named in the report.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	line := func(message string) string {
		return `{"id":"j","messages":[{"role":"user","content":"Hello."},` + message + `]}`
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a refusal", line(`{"role":"assistant","content":null,"refusal":"I cannot."}`), `assistant: "I cannot."`},
		{"a refusal as a part", line(`{"role":"assistant","content":[{"type":"refusal","refusal":"I cannot."}]}`), `assistant: "I cannot."`},
		{"an old call", line(`{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{\"a\":1}"}}`), `assistant: "[look: {\"a\":1}]"`},
		{"an old result", line(`{"role":"function","name":"look","content":"A wren."}`), `tool(look): "A wren."`},
		{"sound", line(`{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA"}}]}`), "1 × part input_audio, first in c.json, conversation j"},
		{"an object", line(`{"role":"user","content":{"text":"A wren."}}`), `user: "A wren."`},
		{"an object with a value", line(`{"role":"user","content":[{"type":"text","text":{"value":"A wren."}}]}`), `user: "A wren."`},
		{"an object without a text", line(`{"role":"user","content":{"a":1}}`), "1 × an object without a text as content"},
		{"a number", line(`{"role":"user","content":42}`), "1 × a number as content, first in c.json, conversation j"},
		{"nothing", line(`{"role":"user","content":""}`), "1 × message without text, first in c.json, conversation j"},
		{"calls that are an object", line(`{"role":"assistant","content":"x","tool_calls":{"a":1}}`), "1 × an object as tool_calls, first in"},
		{"a call of an odd type", line(`{"role":"assistant","content":"x","tool_calls":[7,{"function":{"name":"look","arguments":{"text":"a"}}}]}`), `[look: {\"text\":\"a\"}]`},
		{"Open WebUI, an object", webuiOf(`"content":{"a":1}`), "1 × an object without a text as content"},
		{"Open WebUI, an error", webuiOf(`"content":"","error":{"content":"no model"}`), "1 × error message, first in c.json, conversation w"},
		{"ChatGPT, an object", strings.Replace(gptTalk(`"end_turn":true`), `["A heron."]`, `[{"text":"A heron."},7]`, 1), `user: "A heron."`},
		{"ChatGPT, a number", strings.Replace(gptTalk(`"end_turn":true`), `["A heron."]`, `[{"text":"A heron."},7]`, 1), "1 × a number as content"},
		{"ChatGPT, a text for a list", strings.Replace(gptTalk(`"end_turn":true`), `["A heron."]`, `"A heron."`, 1), `user: "A heron."`},
		{"Claude, nothing", `[{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"Hello."},{"uuid":"b","sender":"assistant","content":[]}]}]`, "1 × message without text"},
		{
			"Claude, a block that is missing", `[{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human","text":"Hello."},{"uuid":"b","sender":"assistant",` +
				`"content":[{"type":"text","text":"This block is not supported on your current device yet."}]}]}]`, "1 × block that is not in the export",
		},
		{
			"OpenClaw, a part of an odd type", `{"type":"session","id":"s"}` + "\n" +
				`{"type":"message","id":"a","message":{"role":"user","content":[{"type":"text","text":"A wren."},{"type":"text","text":7}]}}`, "1 × a number as text",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(tt.text))}}, Options{From: "auto"})
			if err != nil || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// FuzzContent: a content that is no text has a text, is empty, or is told.
func FuzzContent(f *testing.F) {
	for _, text := range []string{`"a"`, `{"text":"a"}`, `[{"type":"image_url"},7,"b"]`, `[[1]]`, `{"type":"text","text":{"value":"c"}}`, `null`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		told := 0
		text := contentOf(raw, false, func(string) { told++ })
		if json.Valid(raw) && text == "" && told == 0 && strings.ContainsAny(string(raw), "123456789") && !strings.ContainsAny(string(raw), `"{`) {
			t.Errorf("%q: nothing was told", raw)
		}
		_ = (&reading{report: NewReport(true)}).calls(raw, "a place")
	})
}
