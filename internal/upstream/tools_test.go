package upstream

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestToolsOfTheServer: a prompt's tools stand in for the body's on both wires,
// and one that may call nothing says so.
func TestToolsOfTheServer(t *testing.T) {
	t.Parallel()
	const both = `[{"type":"function","function":{"name":"theirs","parameters":{"type":"object"}}},{"type":"function","function":{"name":"ours","parameters":{"type":"object"}}}]`
	for _, tt := range []struct {
		name   string
		prompt run.Prompt
		chat   string // tools and tool_choice as sent
		claude string
	}{
		{"as they came", run.Prompt{Body: []byte(`{"messages":[],"tools":[{"type":"function","function":{"name":"theirs"}}],"tool_choice":"auto"}`)}, "theirs auto", `theirs {"type":"auto"}`},
		{"with ours", run.Prompt{Body: []byte(`{"messages":[],"tools":[]}`), Tools: []byte(both)}, "theirs,ours ", "theirs,ours null"},
		{"no calls", run.Prompt{Body: []byte(`{"messages":[]}`), Tools: []byte(both), NoCalls: true}, "theirs,ours none", `theirs,ours {"type":"none"}`},
		{"no body", run.Prompt{Tools: []byte(both), NoCalls: true}, "theirs,ours none", `theirs,ours {"type":"none"}`},
		{"neither", run.Prompt{Body: []byte(`{"messages":[]}`)}, " ", " null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m := scripted(t)
			c, a := claude(t)
			tt.prompt.Messages = []session.Message{{Role: session.User, Content: "hello"}}
			for _, model := range []run.Model{m, a} {
				if _, err := listen(model.Stream(t.Context(), &tt.prompt)); err != nil {
					t.Fatal(err)
				}
			}
			var sent struct {
				Tools []struct {
					Name     string
					Function struct{ Name string }
				}
				Choice json.RawMessage `json:"tool_choice"`
			}
			show := func(body []byte) string {
				sent.Tools, sent.Choice = nil, nil
				if err := json.Unmarshal(body, &sent); err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range sent.Tools {
					names = append(names, tool.Name+tool.Function.Name)
				}
				return strings.Join(names, ",") + " "
			}
			if got := show(s.Last().Body) + strings.Trim(string(sent.Choice), `"`); got != tt.chat {
				t.Errorf("chat completions: got %q, want %q", got, tt.chat)
			}
			got := show(c.Last().Body)
			if sent.Choice == nil {
				sent.Choice = json.RawMessage("null")
			}
			if got += string(sent.Choice); got != tt.claude {
				t.Errorf("messages: got %q, want %q", got, tt.claude)
			}
		})
	}
}

// TestAnthropicToolsOfThePast: a conversation in which tools were called is
// accepted also when none are offered any more.
func TestAnthropicToolsOfThePast(t *testing.T) {
	t.Parallel()
	s, m := claude(t)
	calls := []byte(`[{"id":"1","type":"function","function":{"name":"memory","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"memory","arguments":"{}"}}]`)
	_, err := listen(m.Stream(t.Context(), &run.Prompt{Messages: []session.Message{
		{Role: session.User, Content: "a"}, {Role: session.Assistant, ToolCalls: calls}, {Role: session.Tool, ToolCallID: "1", Content: "b"},
		{Role: session.Tool, ToolCallID: "2", Content: "b"}, {Role: session.Assistant, Content: "c"}, {Role: session.User, Content: "d"},
	}}))
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Tools  []tool
		Choice anthropic.ToolChoice `json:"tool_choice"`
	}
	if err := json.Unmarshal(s.Last().Body, &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tool{{Name: "memory", InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)}}, sent.Tools); diff != "" || sent.Choice.Type != "none" {
		t.Errorf("got the choice %+v, tools (-want +got):\n%s", sent.Choice, diff)
	}
}
