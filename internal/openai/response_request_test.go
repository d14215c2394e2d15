package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseResponseTranslates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       string // the chat completion it stands for
	}{
		{"a text", `{"model":"m","input":"hi"}`, `{"stream":false,"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{
			"parameters", `{"input":"hi","temperature":0.50,"top_p":1,"max_output_tokens":9,"user":"u","parallel_tool_calls":false,"seed":7,"x":{"y":[1.0]}}`,
			`{"stream":false,"temperature":0.50,"top_p":1,"max_completion_tokens":9,"user":"u","seed":7,"x":{"y":[1.0]},"messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			"what has no meaning there", `{"input":"hi","metadata":{"a":"b"},"store":false,"include":["x"],"truncation":"auto","max_tool_calls":3,"previous_response_id":"r","background":false,"stream_options":{"include_obfuscation":true}}`,
			`{"stream":false,"messages":[{"role":"user","content":"hi"}]}`,
		},
		{"null is absent", `{"input":"hi","tools":null,"temperature":null,"store":null,"text":null}`, `{"stream":false,"messages":[{"role":"user","content":"hi"}]}`},
		{"a stream", `{"input":"hi","stream":true}`, `{"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`},
		{
			"a format", `{"input":"hi","text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"object"}},"verbosity":"low"},"reasoning":{"effort":"high","summary":"auto"}}`,
			`{"stream":false,"verbosity":"low","response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object"}}},"reasoning_effort":"high","messages":[{"role":"user","content":"hi"}]}`,
		},
		{"JSON", `{"input":"hi","text":{"format":{"type":"json_object"}}}`, `{"stream":false,"response_format":{"type":"json_object"},"messages":[{"role":"user","content":"hi"}]}`},
		{
			"tools", `{"input":"hi","tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}],"tool_choice":{"type":"function","name":"f"}}`,
			`{"stream":false,"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}}],"tool_choice":{"type":"function","function":{"name":"f"}},"messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			"a choice among no tools", `{"input":"hi","tools":[],"tool_choice":"auto","parallel_tool_calls":true}`,
			`{"stream":false,"messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			"some tools", `{"input":"hi","parallel_tool_calls":false,"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}}`,
			`{"stream":false,"parallel_tool_calls":false,"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}},"messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			"a loop of tools", `{"input":[{"role":"user","content":"?"},{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"I look.","annotations":[]}]},` +
				`{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"g","arguments":"{\"a\":1}"},` +
				`{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"},{"type":"input_text","text":"three"}]}]}`,
			`{"stream":false,"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{\"a\":1}"}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"two"},{"type":"text","text":"three"}]}]}`,
		},
		{
			"calls one after another", `{"input":[{"type":"function_call","call_id":"c1","name":"f","arguments":""},{"type":"function_call_output","call_id":"c1","output":""},{"type":"function_call","call_id":"c2","name":"f","arguments":""},{"type":"function_call_output","call_id":"c2","output":"x"}]}`,
			`{"stream":false,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"c1","content":""},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"f","arguments":""}}]},{"role":"tool","tool_call_id":"c2","content":"x"}]}`,
		},
		{
			"parts", `{"input":[{"role":"developer","content":[{"type":"input_text","text":"be brief"}]},{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:,x","detail":"low"},` +
				`{"type":"input_file","filename":"a.pdf","file_data":"data:,y"},{"type":"input_audio","input_audio":{"data":"z","format":"wav"}}]}]}`,
			`{"stream":false,"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:,x","detail":"low"}},` +
				`{"type":"file","file":{"filename":"a.pdf","file_data":"data:,y"}},{"type":"input_audio","input_audio":{"data":"z","format":"wav"}}]}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, err := ParseResponse([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			messages, err := ChatMessages(req.Input)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(req.ChatBody(messages, req.Stream))); diff != "" {
				t.Errorf("chat (-want +got):\n%s", diff)
			}
			checkRead(t, messages)
		})
	}
}

func TestParseResponseReads(t *testing.T) {
	t.Parallel()
	req, err := ParseResponse([]byte(`{"input":"hi","instructions":"be brief","conversation":{"id":"c"},"store":false,"user":"u","metadata":{"a":"b"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if req.Instructions != "be brief" || req.Conversation != "c" || req.Store || req.User != "u" || string(req.Settings.Metadata) != `{"a":"b"}` || req.Settings.Store {
		t.Errorf("got %+v", req)
	}
	if req, err = ParseResponse([]byte(`{"input":"hi","conversation":"c","background":true,"stream":true}`)); err != nil || req.Conversation != "c" || !req.Store || !req.Background || !req.Stream {
		t.Errorf("got %+v, %v", req, err)
	}
}

func TestParseResponseRefuses(t *testing.T) {
	t.Parallel()
	item := func(item string) string { return `{"input":[` + item + `]}` }
	part := func(part string) string { return item(`{"role":"user","content":[` + part + `]}`) }
	many := strings.Repeat(`{"role":"user","content":"x"},`, maxMessages) + `{"role":"user","content":"x"}`
	for _, tt := range []struct{ name, body, param string }{
		{"garbage", `{"input":`, ""},
		{"twice", `{"input":"x","input":"y"}`, ""},
		{"too deep", `{"input":"x","x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, ""},
		{"no input", `{"model":"m"}`, "input"},
		{"null", `{"input":null}`, "input"},
		{"empty", `{"input":""}`, "input"},
		{"no items", `{"input":[]}`, "input"},
		{"an object", `{"input":{}}`, "input"},
		{"too many items", `{"input":[` + many + `]}`, "input"},
		{"both", `{"input":"x","previous_response_id":"r","conversation":"c"}`, "previous_response_id"},
		{"not stored in the background", `{"input":"x","background":true,"store":false}`, "background"},
		{"conversation without id", `{"input":"x","conversation":{}}`, "conversation"},
		{"conversation is a number", `{"input":"x","conversation":1}`, "conversation"},
		{"a stored prompt", `{"input":"x","prompt":{"id":"p"}}`, "prompt"},
		{"a tool in the chat's shape", `{"input":"x","tools":[{"type":"function","function":{"name":"f"}}]}`, "tools[0].name"},
		{"a tool without a type", `{"input":"x","tools":[{"name":"f"}]}`, "tools[0].type"},
		{"a namespace with a function without a name", `{"input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"function"}]}]}`, "tools[0].tools[0].name"},
		{"a choice of no function", `{"input":"x","tool_choice":{"type":"function"}}`, "tool_choice"},
		{"a choice of another word", `{"input":"x","tool_choice":"some"}`, "tool_choice"},
		{"a custom call without input", item(`{"type":"custom_tool_call","call_id":"c","name":"f"}`), "input[0]"},
		{"a tool is text", `{"input":"x","tools":["f"]}`, "tools[0]"},
		{"tools are an object", `{"input":"x","tools":{}}`, "tools"},
		{"temperature is text", `{"input":"x","temperature":"1"}`, "temperature"},
		{"no tokens for the output", `{"input":"x","max_output_tokens":0}`, "max_output_tokens"},
		{"a part of a token", `{"input":"x","max_output_tokens":1.5}`, "max_output_tokens"},
		{"no calls", `{"input":"x","max_tool_calls":0}`, "max_tool_calls"},
		{"store is text", `{"input":"x","store":"no"}`, "store"},
		{"metadata of numbers", `{"input":"x","metadata":{"a":1}}`, "metadata"},
		{"truncation", `{"input":"x","truncation":"some"}`, "truncation"},
		{"include", `{"input":"x","include":"all"}`, "include"},
		{"reasoning is text", `{"input":"x","reasoning":"high"}`, "reasoning"},
		{"text is text", `{"input":"x","text":"json"}`, "text"},
		{"another format", `{"input":"x","text":{"format":{"type":"xml"}}}`, "text.format"},
		{"an item is text", item(`"x"`), "input[0]"},
		{"no role", item(`{"content":"x"}`), "input[0].role"},
		{"the chat's role", item(`{"role":"tool","content":"x"}`), "input[0].role"},
		{"another role", item(`{"role":"robot","content":"x"}`), "input[0].role"},
		{"no content", item(`{"role":"user"}`), "input[0].content"},
		{"no parts", item(`{"role":"user","content":[]}`), "input[0].content"},
		{"a part of another type", part(`{"type":"image_url","image_url":"x"}`), "input[0].content[0].type"},
		{"a text without text", part(`{"type":"input_text"}`), "input[0].content[0].text"},
		{"an uploaded image", part(`{"type":"input_image","file_id":"f"}`), "input[0].content[0].image_url"},
		{"a file by URL", part(`{"type":"input_file","file_url":"x"}`), "input[0].content[0].file_data"},
		{"a part is null", part(`null`), "input[0].content"},
		{"a call without a name", item(`{"type":"function_call","call_id":"c","arguments":""}`), "input[0]"},
		{"a result without its call", item(`{"type":"function_call_output","output":"x"}`), "input[0].call_id"},
		{"a result without output", item(`{"type":"function_call_output","call_id":"c"}`), "input[0].output"},
		{"a reference to nothing", item(`{"type":"item_reference"}`), "input[0].id"},
		{"an id twice", item(`{"role":"user","content":"x","id":"i"},{"role":"user","content":"y","id":"i"}`), "input[1].id"},
		{"a call twice", item(`{"type":"function_call","call_id":"c","name":"f","arguments":""},{"type":"function_call","call_id":"c","name":"f","arguments":""}`), "input[1].call_id"},
		{"two results of a call", item(`{"type":"function_call_output","call_id":"c","output":""},{"type":"function_call_output","call_id":"c","output":""}`), "input[1].call_id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseResponse([]byte(tt.body))
			problem, ok := errors.AsType[*Problem](err)
			if !ok {
				t.Fatalf("got %v, want a problem", err)
			}
			if problem.Param != tt.param {
				t.Errorf("got param %q, want %q (%s)", problem.Param, tt.param, problem.Msg)
			}
			for _, leak := range []string{"jsontext", "json:", "Go ", "unmarshal"} {
				if strings.Contains(problem.Msg, leak) {
					t.Errorf("the message %q holds %q", problem.Msg, leak)
				}
			}
		})
	}
}

// FuzzParseResponse: whatever is accepted is a chat completion that can be read,
// and its items are shown as JSON that is accepted again and means the same.
func FuzzParseResponse(f *testing.F) {
	for _, seed := range []string{
		`{"model":"hermes","input":"hi","stream":true,"instructions":"x","text":{"format":{"type":"json_schema","name":"n","schema":{}}}}`,
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:,"}]}],"tools":[{"type":"function","name":"f","parameters":null}],"tool_choice":"auto"}`,
		`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"\ud83d\ude00"},{"type":"item_reference","id":"msg_x_0"}]}`,
		`{"input":[{"role":"assistant","content":[{"type":"refusal","refusal":"no"},{"type":"output_text","text":""}]}],"reasoning":{"effort":"low"},"temperature":1e-9}`,
		`{"input":[{"type":"custom_tool_call","call_id":"c","name":"p","namespace":"n","input":"*** \n"},{"type":"custom_tool_call_output","call_id":"c","output":"ok"},{"type":"web_search_call","status":7},{"role":"user","content":"x"}],"tools":[{"type":"namespace","name":"n","tools":[{"type":"custom","name":"p"},{"type":"mcp"}]}],"tool_choice":{"type":"mcp"}}`,
		`{"input":"\ud800"}`, `{"input":[{}]}`, `{"input":" ","x":1,"stream":false}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		req, err := ParseResponse(body)
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
		messages, err := ChatMessages(req.Input)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		if len(messages) > 0 {
			if _, err := ParseChat(req.ChatBody(messages, req.Stream)); err != nil {
				t.Fatalf("%q became %q: %v", body, req.ChatBody(messages, req.Stream), err)
			}
		}
		checkRead(t, messages)
		checkShown(t, req, messages)
	})
}

// TestChatMessagesRead: a message made from items equals the message that is parsed from
// its JSON, for any content of the items, because items of a stored response come from
// no parser.
func TestChatMessagesRead(t *testing.T) {
	t.Parallel()
	for _, it := range []Item{
		{Type: MessageItem, Role: "user"},
		{Type: MessageItem, Role: "user", Text: "a \"quoted\" text\n\u2028<&>"},
		{Type: MessageItem, Role: "user", Text: "no \xff UTF-8"},
		{Type: MessageItem, Role: "assistant", Text: "an answer"},
		{Type: MessageItem, Role: "user", Parts: []byte(`[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]`)},
		{Type: ResultItem, CallID: "c", Text: "a result"},
		{Type: CallItem, CallID: "c", Name: "f", Arguments: "{}"},
	} {
		messages, err := ChatMessages([]Item{it})
		if err != nil || len(messages) != 1 {
			t.Fatalf("%+v: got %d messages, %v", it, len(messages), err)
		}
		checkRead(t, messages)
	}
}

// checkRead reads messages that were made of items from their JSON again.
func checkRead(t *testing.T, messages []Message) {
	t.Helper()
	for i := range messages {
		again, problem := ParseMessage(messages[i].Raw)
		if problem != nil {
			t.Fatalf("made %q: %v", messages[i].Raw, problem)
		}
		if diff := cmp.Diff(again, messages[i]); diff != "" {
			t.Fatalf("%s (-read +made):\n%s", messages[i].Raw, diff)
		}
	}
}

// checkShown reads the items of a request as a response would show them.
func checkShown(t *testing.T, req *ResponseRequest, messages []Message) {
	t.Helper()
	var shown []Item
	ids := ItemIDs("resp_x", true)
	for i := range messages {
		shown = append(shown, ItemsOf(&messages[i], ids, NamesOf(req.Settings.Tools))...)
	}
	if len(shown) == 0 {
		return
	}
	r := Response{ID: "resp_x", Settings: req.Settings, Output: shown}
	body := r.Append(nil)
	if !json.Valid(body) {
		t.Fatalf("got %q, want JSON", body)
	}
	items, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseResponse(fmt.Appendf(nil, `{"input":%s}`, items))
	if err != nil {
		t.Fatalf("the items %s are refused: %v", items, err)
	}
	again, err := ChatMessages(back.Input)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(ms []Message) (out []string) {
		for i := range ms {
			if ms[i].Text != "" || len(ms[i].ToolCalls) == 0 { // text and calls of an answer are items of their own
				out = append(out, ms[i].Role+" "+ms[i].Text)
			}
		}
		return out
	}
	if diff := cmp.Diff(texts(messages), texts(again)); diff != "" {
		t.Errorf("%s (-sent +shown):\n%s", items, diff)
	}
}
