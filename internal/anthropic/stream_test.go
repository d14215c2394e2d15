package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// accumulated is what a client makes of events: the message of the first event, with its
// blocks filled in.
func accumulated(t *testing.T, events []Event) string {
	t.Helper()
	var blocks []map[string]any
	open := make(map[int]bool)
	texts := make(map[int]string)
	for _, e := range events {
		var in struct {
			Type    string
			Index   int
			Block   map[string]any `json:"content_block"`
			Delta   map[string]any
			Message json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &in); err != nil || in.Type != e.Type {
			t.Fatalf("event %s: %s, %v", e.Type, e.Data, err)
		}
		switch e.Type {
		case "content_block_start":
			if in.Index != len(blocks) {
				t.Fatalf("got block %d after %d", in.Index, len(blocks))
			}
			blocks, open[in.Index] = append(blocks, in.Block), true
		case "content_block_delta":
			for _, name := range []string{"text", "thinking", "partial_json"} {
				if text, ok := in.Delta[name].(string); ok {
					texts[in.Index] += text
				}
			}
		case "content_block_stop":
			if !open[in.Index] {
				t.Fatalf("block %d ended twice, or before it began", in.Index)
			}
			open[in.Index] = false
		}
	}
	for i, isOpen := range open {
		if isOpen {
			t.Errorf("block %d did not end", i)
		}
	}
	for i, b := range blocks {
		switch b["type"] {
		case "tool_use":
			b["input"] = json.RawMessage(inputOf(texts[i]))
		case "thinking":
			b["thinking"] = texts[i]
		default:
			b["text"] = texts[i]
		}
	}
	out, err := json.Marshal(blocks)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := NewStream("msg_1", "m")
	events := s.Begin()
	for _, p := range []Piece{
		{Thinking: "Hm"},
		{Thinking: ".", Text: "<a"},
		{Text: ">"},
		{Calls: []CallPart{{Index: 0, ID: "c0", Name: "f"}}},
		{Calls: []CallPart{{Index: 1, ID: "c1", Name: "g", Arguments: `{"x"`}}},
		{Calls: []CallPart{{Index: 0, Arguments: `{"a":1}`}, {Index: 1, Arguments: `:2}`}}},
		{Calls: []CallPart{{Index: 2, ID: "c2", Name: "h", Arguments: `no JSON`}}},
		{Text: "end"},
	} {
		events = append(events, s.Add(&p)...)
	}
	end := &End{StopReason: StopSequence, StopSequence: "END", Usage: Usage{Input: 3, CacheRead: 2, Output: 1}, Hermes: []byte(`{"a":1}`), Model: "n"}
	events = append(events, s.End(end)...)
	const want = `[{"signature":"","thinking":"Hm.","type":"thinking"},{"text":"\u003ca\u003e","type":"text"},{"id":"c0","input":{"a":1},"name":"f","type":"tool_use"},` +
		`{"id":"c1","input":{"x":2},"name":"g","type":"tool_use"},{"id":"c2","input":{},"name":"h","type":"tool_use"},{"text":"end","type":"text"}]`
	if diff := cmp.Diff(want, accumulated(t, events)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	var told []string
	for _, e := range events[len(events)-2:] {
		told = append(told, string(e.Data))
	}
	if diff := cmp.Diff(`{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":1},"hermes":{"a":1}}
{"type":"message_stop"}`, strings.Join(told, "\n")); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
	whole := string(s.Message(end))
	for _, part := range []string{`"id":"msg_1"`, `"model":"n"`, `{"type":"tool_use","id":"c1","name":"g","input":{"x":2}}`, `"stop_reason":"stop_sequence"`, `"hermes":{"a":1}`} {
		if !strings.Contains(whole, part) {
			t.Errorf("got %s, want %s in it", whole, part)
		}
	}
}

func TestErrorType(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 502: "api_error", 503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
	} {
		if got := ErrorType(status); got != want {
			t.Errorf("%d: got %s, want %s", status, got, want)
		}
	}
}

// TestReasons: a finish reason that comes from a stop reason goes back to one that means
// the same.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, s := range stops {
		if back := FinishReason(StopReason(s.finish)); back != s.finish && s.finish != "function_call" {
			t.Errorf("%s: got %s", s.finish, back)
		}
	}
	if FinishReason("pause_turn") != "stop" || StopReason("error") != "end_turn" {
		t.Error("an unknown reason is no end of a turn")
	}
}
