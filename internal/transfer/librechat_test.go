package transfer

import (
	"strings"
	"testing"
)

// TestAssistantCalls: the calls of an assistant of OpenAI stand in a member that is named after their type.
func TestAssistantCalls(t *testing.T) {
	t.Parallel()
	text := `{"conversationId":"l","title":"x","messages":[{"messageId":"a","text":"","createdAt":"2025-03-01T00:00:00Z","content":[` +
		`{"type":"tool_call","tool_call":{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Delft\"}","output":"rain"}}},` +
		`{"type":"tool_call","tool_call":{"id":"c2","type":"code_interpreter","code_interpreter":{"input":"print(1)","outputs":[` +
		`{"type":"logs","logs":"1"},{"type":"image","image":{"file_id":"f"}}]}}},` +
		`{"type":"tool_call","tool_call":{"id":"c3","type":"tool_call","name":"search","args":"{\"q\":\"x\"}","output":"y"}}]}]}`
	got, err := readAll(t, &Input{Files: []*File{memoryFile("c.json", []byte(text))}}, Options{From: "auto"})
	for _, want := range []string{
		`calls c1 weather({"city":"Delft"})`, `tool(weather): "rain" answers c1`, `calls c2 code_interpreter({"input":"print(1)"})`,
		`tool(code_interpreter): "1" answers c2`, `calls c3 search({"q":"x"})`, `tool(search): "y" answers c3`,
	} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
