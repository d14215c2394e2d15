package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestToolsOfOtherTypes: what chat completions do not know is translated or left out,
// and named; it never refuses a request.
func TestToolsOfOtherTypes(t *testing.T) {
	t.Parallel()
	const function = `{"type":"function","name":"f"}`
	const offered = `{"type":"function","function":{"name":"f"}}`
	for _, tt := range []struct {
		name, tools, choice string
		chat                string   // the members of the chat completion
		omitted             []string // the types left out
		shown               string   // the choice as the response repeats it
	}{
		{"a hosted tool and a function", `{"type":"web_search"},` + function, `"required"`, `"tools":[` + offered + `],"tool_choice":"required"`, []string{"web_search"}, `"required"`},
		{"hosted tools alone", `{"type":"mcp","server_label":"x"},{"type":"code_interpreter"},{"type":"mcp"}`, `"required"`, ``, []string{"mcp", "code_interpreter"}, `"auto"`},
		{"a choice of a hosted tool", `{"type":"file_search"},` + function, `{"type":"file_search"}`, `"tools":[` + offered + `],"tool_choice":"auto"`, []string{"file_search"}, `"auto"`},
		{
			"allowed tools, some hosted", `{"type":"image_generation"},` + function,
			`{"type":"allowed_tools","mode":"auto","tools":[{"type":"image_generation"},{"type":"function","name":"f"}]}`,
			`"tools":[` + offered + `],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` + offered + `]}}`, []string{"image_generation"},
			`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}`,
		},
		{"allowed tools, all hosted", function, `{"type":"allowed_tools","mode":"required","tools":[{"type":"web_search"}]}`, `"tools":[` + offered + `],"tool_choice":"auto"`, nil, `"auto"`},
		{
			"a namespace", `{"type":"namespace","name":"mcp__files__","tools":[` + function + `,{"type":"web_search"}]},{"type":"namespace","name":"app","tools":[` + function + `]}`,
			`{"type":"function","name":"f","namespace":"app"}`,
			`"tools":[{"type":"function","function":{"name":"mcp__files__f"}},{"type":"function","function":{"name":"app__f"}}],"tool_choice":{"type":"function","function":{"name":"app__f"}}`,
			[]string{"web_search"}, `{"type":"function","name":"f","namespace":"app"}`,
		},
		{
			"a custom tool", `{"type":"custom","name":"p","description":"Edits.","format":{"type":"grammar","syntax":"lark","definition":"start: /a/"}}`, `{"type":"custom","name":"p"}`,
			`"tools":[{"type":"function","function":{"name":"p","description":"Edits.","parameters":{"type":"object","properties":{"input":{"type":"string",` +
				`"description":"The whole input of the tool, as plain text. It must follow this grammar (lark):\nstart: /a/"}},"required":["input"],"additionalProperties":false}}}],` +
				`"tool_choice":{"type":"function","function":{"name":"p"}}`, nil, `{"type":"custom","name":"p"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req, err := ParseResponse([]byte(`{"input":"x","tools":[` + tt.tools + `],"tool_choice":` + tt.choice + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if tt.chat != "" {
				tt.chat = "," + tt.chat
			}
			if diff := cmp.Diff(`{"stream":false`+tt.chat+`}`, string(req.ChatBody(nil, false))); diff != "" {
				t.Errorf("chat (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.omitted, req.OmittedTools); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if got := string(req.Settings.ToolChoice); got != tt.shown {
				t.Errorf("got the choice %s, want %s", got, tt.shown)
			}
		})
	}
}

// TestCallsOfOtherTools: the call of a function that stands for another tool comes back
// as the call of that tool, in a stream and in one piece, and a client can send it back.
func TestCallsOfOtherTools(t *testing.T) {
	t.Parallel()
	req, err := ParseResponse([]byte(`{"input":"x","tools":[{"type":"custom","name":"patch"},{"type":"namespace","name":"` + strings.Repeat("n", 40) +
		`","tools":[{"type":"function","name":"` + strings.Repeat("f", 40) + `"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var offered []struct{ Function struct{ Name string } }
	if err := json.Unmarshal(req.Tools, &offered); err != nil || len(offered) != 2 || len(offered[1].Function.Name) > maxName {
		t.Fatalf("got %s, %v, want two functions with short names", req.Tools, err)
	}
	calls := []Call{{Index: 0, ID: "c1"}, {Index: 1, ID: "c2"}}
	calls[0].Function.Name, calls[0].Function.Arguments = "patch", `{"input":"*** \"a\"\n"}`
	calls[1].Function.Name, calls[1].Function.Arguments = offered[1].Function.Name, "{}"
	const want = `[{"id":"ctc_x_0","type":"custom_tool_call","status":"completed","call_id":"c1","name":"patch","input":"*** \"a\"\n"},`
	s := NewResponseStream(Response{ID: "resp_x", Settings: req.Settings})
	s.Add(&Piece{ToolCalls: calls[:1]})
	events := s.End(&ResponseEnd{Finish: "tool_calls"})
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, e.Type)
	}
	if diff := cmp.Diff([]string{"response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", "response.output_item.done", "response.completed"}, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	items := ItemsOf(&Message{Role: "assistant", ToolCalls: MarshalCalls(calls)}, ItemIDs("resp_x", false), NamesOf(req.Settings.Tools))
	got, err := json.Marshal(items)
	if err != nil || !strings.HasPrefix(string(got), want) {
		t.Fatalf("got %s, %v, want %s", got, err, want)
	}
	if diff := cmp.Diff(items[:1], s.Response().Output); diff != "" {
		t.Errorf("the stream's items (-stored +streamed):\n%s", diff)
	}
	back, err := ParseResponse([]byte(`{"input":` + string(got) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	messages, err := ChatMessages(back.Input)
	if err != nil || len(messages) != 1 {
		t.Fatalf("got %v, %v, want one message", messages, err)
	}
	for i, c := range UnmarshalCalls(messages[0].ToolCalls) {
		if c.Function != calls[i].Function {
			t.Errorf("got the call %+v back, want %+v", c.Function, calls[i].Function)
		}
	}
}

// TestCustomInput: a model that writes the input itself, without JSON around it, has
// called the tool all the same.
func TestCustomInput(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{`{"input":"a"}`: "a", "*** Begin": "*** Begin", `{"patch":"a"}`: `{"patch":"a"}`, customArguments("\"\n"): "\"\n"} {
		if got := customInput(arguments); got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
}

// TestItemsOfOtherServers: calls that another server ran are left out and named, whatever
// their members are.
func TestItemsOfOtherServers(t *testing.T) {
	t.Parallel()
	req, err := ParseResponse([]byte(`{"input":[{"role":"user","content":"x"},{"type":"web_search_call","id":"w","action":{}},{"type":"tool_search_call","arguments":{}},{"type":"web_search_call","id":"w"},{"type":"reasoning","id":"r"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web_search_call", "tool_search_call"}, req.OmittedItems); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	messages, err := ChatMessages(req.Input)
	if err != nil || len(messages) != 1 {
		t.Errorf("got %v, %v, want the message of the user", messages, err)
	}
}
