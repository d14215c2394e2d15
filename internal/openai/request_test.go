package openai

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseChat(t *testing.T) {
	t.Parallel()
	raw := func(s string) []byte { return []byte(s) }
	for _, tt := range []struct {
		name, body string
		want       ChatRequest
	}{
		{"smallest", `{"messages":[{"role":"user","content":"hi"}]}`,
			ChatRequest{Messages: []Message{{Role: "user", Text: "hi", Plain: true, Raw: raw(`{"role":"user","content":"hi"}`)}}}},
		{"parameters", `{"model":"hermes","stream":true,"stream_options":{"include_usage":true,"x":1},"user":"u","tools":[{"type":"function"}],"seed":7,"messages":[{"role":"user","content":""}]}`,
			ChatRequest{Model: "hermes", Stream: true, IncludeUsage: true, Names: Names{User: "u"}, Tools: raw(`[{"type":"function"}]`),
				Messages: []Message{{Role: "user", Plain: true, Raw: raw(`{"role":"user","content":""}`)}}}},
		{"nulls and wrong types of what is not ours", `{"model":null,"stream":null,"stream_options":null,"tools":null,"user":7,"messages":[{"role":"user","content":"","name":null}]}`,
			ChatRequest{Messages: []Message{{Role: "user", Plain: true, Raw: raw(`{"role":"user","content":"","name":null}`)}}}},
		{"no tools", `{"tools":[ ],"messages":[{"role":"user","content":"x"}]}`,
			ChatRequest{Messages: []Message{{Role: "user", Text: "x", Plain: true, Raw: raw(`{"role":"user","content":"x"}`)}}}},
		{"older functions", `{"functions":[{"name":"f"}],"messages":[{"role":"user","content":"x"}]}`,
			ChatRequest{Tools: raw(`[{"name":"f"}]`), Messages: []Message{{Role: "user", Text: "x", Plain: true, Raw: raw(`{"role":"user","content":"x"}`)}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseChat([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Body = []byte(tt.body)
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw  string
		want Message
	}{
		{`{"role":"system","content":"be brief"}`, Message{Role: "system", Text: "be brief", Plain: true}},
		{`{"role":"developer","content":"a\u00e9\ud83d\ude00"}`, Message{Role: "developer", Text: "aé😀", Plain: true}},
		{`{"role":"user","name":"ann","content":"x"}`, Message{Role: "user", Name: "ann", Text: "x", Plain: true}},
		{`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}},{"type":"input_text","text":"b"}]}`, Message{Role: "user", Text: "a\nb"}},
		{`{"role":"user","content":[{"type":"text","text":"a","Text":"b","TYPE":"c"}]}`, Message{Role: "user", Text: "a"}},
		{`{"role":"function","name":"f","content":null}`, Message{Role: "function", Name: "f", Plain: true}},
		{`{"role":"assistant","refusal":"No."}`, Message{Role: "assistant"}},
		{`{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`, Message{Role: "assistant", ToolCalls: []byte(`[{"id":"1"}]`), Plain: true}},
		{`{"role":"assistant","content":"x","tool_calls":[ ]}`, Message{Role: "assistant", Text: "x", Plain: true}},
		{`{"role":"assistant","content":"x","reasoning_content":"hm"}`, Message{Role: "assistant", Text: "x"}},
		{`{"role":"assistant","content":"x","audio":null,"function_call":null}`, Message{Role: "assistant", Text: "x", Plain: true}},
		{`{"role":"tool","tool_call_id":"1","content":"sunny"}`, Message{Role: "tool", ToolCallID: "1", Text: "sunny", Plain: true}},
		{`{"role":"function","name":"f","content":"sunny"}`, Message{Role: "function", Name: "f", Text: "sunny", Plain: true}},
	} {
		got, problem := ParseMessage([]byte(tt.raw))
		if problem != nil {
			t.Errorf("%s: %v", tt.raw, problem)
			continue
		}
		tt.want.Raw = []byte(tt.raw)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.raw, diff)
		}
	}
}

func TestParseChatRefuses(t *testing.T) {
	t.Parallel()
	const user = `"messages":[{"role":"user","content":"x"}]`
	many := strings.Repeat(`{"role":"user","content":"x"},`, maxMessages) + `{"role":"user","content":"x"}`
	for _, tt := range []struct{ name, body, param string }{
		{"empty", ``, ""},
		{"garbage", `{"messages":`, ""},
		{"an array", `[]`, ""},
		{"more behind it", `{` + user + `}{}`, ""},
		{"twice", `{` + user + `,` + user + `}`, ""},
		{"twice deep down", `{` + user + `,"metadata":{"a":1,"a":2}}`, ""},
		{"not UTF-8", "{" + user + ",\"x\":\"\xff\"}", ""},
		{"too deep", `{` + user + `,"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, ""},
		{"no messages", `{"model":"x"}`, "messages"},
		{"messages are null", `{"messages":null}`, "messages"},
		{"messages are empty", `{"messages":[]}`, "messages"},
		{"messages are an object", `{"messages":{}}`, "messages"},
		{"too many messages", `{"messages":[` + many + `]}`, "messages"},
		{"a message is text", `{"messages":["x"]}`, "messages[0]"},
		{"a message is null", `{"messages":[null]}`, "messages[0]"},
		{"no role", `{"messages":[{"role":"user","content":"x"},{"content":"x"}]}`, "messages[1].role"},
		{"unknown role", `{"messages":[{"role":"robot","content":"x"}]}`, "messages[0].role"},
		{"role is a number", `{"messages":[{"role":1,"content":"x"}]}`, "messages[0].role"},
		{"name is a number", `{"messages":[{"role":"user","name":1}]}`, "messages[0].name"},
		{"no content", `{"messages":[{"role":"user","content":"x"},{"role":"user"}]}`, "messages[1].content"},
		{"content is null", `{"messages":[{"role":"system","content":null}]}`, "messages[0].content"},
		{"content is no part", `{"messages":[{"role":"user","content":[ ]}]}`, "messages[0].content"},
		{"an answer of nothing", `{"messages":[{"role":"assistant","content":null,"tool_calls":[]}]}`, "messages[0].content"},
		{"a text that is a number", `{"messages":[{"role":"user","content":[{"type":"text","text":5}]}]}`, "messages[0].content"},
		{"content is a number", `{"messages":[{"role":"user","content":1}]}`, "messages[0].content"},
		{"content is an object", `{"messages":[{"role":"user","content":{}}]}`, "messages[0].content"},
		{"a part is text", `{"messages":[{"role":"user","content":["x"]}]}`, "messages[0].content"},
		{"a part is null", `{"messages":[{"role":"user","content":[null]}]}`, "messages[0].content"},
		{"a part without a type", `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`, "messages[0].content"},
		{"calls are an object", `{"messages":[{"role":"assistant","tool_calls":{}}]}`, "messages[0].tool_calls"},
		{"a call is text", `{"messages":[{"role":"assistant","tool_calls":["x"]}]}`, "messages[0].tool_calls"},
		{"a result without its call", `{"messages":[{"role":"tool","content":"x"}]}`, "messages[0].tool_call_id"},
		{"model is a number", `{"model":1,` + user + `}`, "model"},
		{"stream is text", `{"stream":"yes",` + user + `}`, "stream"},
		{"stream options are text", `{"stream_options":"x",` + user + `}`, "stream_options"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseChat([]byte(tt.body))
			problem, ok := errors.AsType[*Problem](err)
			if !ok {
				t.Fatalf("got %v, want a problem", err)
			}
			if problem.Param != tt.param {
				t.Errorf("got param %q, want %q", problem.Param, tt.param)
			}
			for _, leak := range []string{"jsontext", "json:", "Go ", "unmarshal"} {
				if strings.Contains(problem.Msg, leak) {
					t.Errorf("the message %q holds %q", problem.Msg, leak)
				}
			}
		})
	}
}

// FuzzParseChat: whatever is accepted can be forwarded with its messages
// replaced, and reads the same again.
func FuzzParseChat(f *testing.F) {
	for _, seed := range []string{
		`{"model":"hermes","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}]}],"tools":[{}]}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}],"name":"\u00fc"}]}`,
		`{"m\u0065ssages":[{"role":"user"}]}`, `{"messages":[{}]}`, `{"messages":[{"role":"user","content":"\ud800"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		req, err := ParseChat(body)
		if !bytes.Equal(before, body) {
			t.Fatalf("%q was changed", before)
		}
		if err != nil {
			problem, ok := errors.AsType[*Problem](err)
			if !ok || problem.Msg == "" {
				t.Fatalf("%q: got %v, want a problem with words", body, err)
			}
			return
		}
		var messages []byte
		for i, m := range req.Messages {
			messages = append(messages, ","...)
			messages = append(messages, m.Raw...)
			if m.Role == "" {
				t.Fatalf("%q: message %d has no role", body, i)
			}
		}
		messages[0] = '['
		again, err := Splice(body, Set{Name: "messages", Value: append(messages, ']')})
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		back, err := ParseChat(again)
		if err != nil {
			t.Fatalf("%q became %q: %v", body, again, err)
		}
		req.Body, back.Body = nil, nil
		if diff := cmp.Diff(req, back); diff != "" {
			t.Errorf("%q became %q:\n%s", body, again, diff)
		}
	})
}

func ExampleProblem() {
	_, err := ParseChat([]byte(`{"messages":[{"role":"tool","content":"x"}]}`))
	fmt.Println(err)
	// Output: messages[0]: a message of role 'tool' needs a 'tool_call_id'
}
