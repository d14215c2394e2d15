package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// defaultSettings are the settings of a request that is silent about all of them.
func defaultSettings() (s ResponseSettings) {
	s.Store = true
	s.Complete()
	return s
}

// tell plays pieces to their end.
func tell(pieces []Piece, end *ResponseEnd) (events []ResponseEvent, r *Response) {
	s := NewResponseStream(Response{ID: "resp_1", CreatedAt: 5, Model: "m", Settings: defaultSettings()})
	events = s.Begin("")
	for i := range pieces {
		events = append(events, s.Add(&pieces[i])...)
	}
	events = append(events, s.End(end)...)
	return events, s.Response()
}

// outline is a stream in short: what happens to which item.
func outline(t *testing.T, events []ResponseEvent) []string {
	t.Helper()
	var out []string
	for i, e := range events {
		var in struct {
			Type     string
			Number   int    `json:"sequence_number"`
			ItemID   string `json:"item_id"`
			Delta    *string
			Item     *shownItem
			Text     *string
			Args     *string `json:"arguments"`
			Response *struct {
				Status string
				Output []shownItem
			}
		}
		if err := json.Unmarshal(e.Data, &in); err != nil {
			t.Fatalf("%s: %v", e.Data, err)
		}
		if in.Type != e.Type || in.Number != i || e.Seq != i {
			t.Errorf("event %d: got type %q and number %d (%d), want %q", i, in.Type, in.Number, e.Seq, e.Type)
		}
		line := strings.TrimPrefix(e.Type, "response.")
		for _, more := range []*string{&in.ItemID, in.Delta, in.Text, in.Args} {
			if more != nil && *more != "" {
				line += " " + *more
			}
		}
		if in.Item != nil {
			line += " " + in.Item.ID + " " + in.Item.Status
		}
		if in.Response != nil {
			line += " " + in.Response.Status
			for _, it := range in.Response.Output {
				line += " " + it.ID
			}
		}
		out = append(out, line)
	}
	return out
}

// shownItem is what the tests read of an item.
type shownItem struct{ ID, Status string }

func TestResponseStream(t *testing.T) {
	t.Parallel()
	call := func(index int, id, name, arguments string) []Call {
		c := Call{Index: index, ID: id}
		c.Function.Name, c.Function.Arguments = name, arguments
		return []Call{c}
	}
	for _, tt := range []struct {
		name   string
		pieces []Piece
		end    ResponseEnd
		want   []string
	}{
		{"nothing", nil, ResponseEnd{Finish: "stop"}, []string{"completed completed"}},
		{"text", []Piece{{}, {Content: "a"}, {Content: "b"}}, ResponseEnd{Finish: "stop"}, []string{
			"output_item.added msg_1_0 in_progress", "content_part.added msg_1_0", "output_text.delta msg_1_0 a", "output_text.delta msg_1_0 b",
			"output_text.done msg_1_0 ab", "content_part.done msg_1_0", "output_item.done msg_1_0 completed", "completed completed msg_1_0",
		}},
		{"thought, text and calls", []Piece{
			{Reasoning: "hm"},
			{Content: "a"},
			{ToolCalls: call(0, "c1", "f", "")},
			{ToolCalls: call(1, "c2", "g", "{")},
			{ToolCalls: call(0, "", "", "[]")},
			{ToolCalls: call(1, "", "", "}")},
		}, ResponseEnd{Finish: "tool_calls"}, []string{
			"output_item.added rs_1_0 in_progress", "content_part.added rs_1_0", "reasoning_text.delta rs_1_0 hm",
			"reasoning_text.done rs_1_0 hm", "content_part.done rs_1_0", "output_item.done rs_1_0 completed",
			"output_item.added msg_1_0 in_progress", "content_part.added msg_1_0", "output_text.delta msg_1_0 a",
			"output_text.done msg_1_0 a", "content_part.done msg_1_0", "output_item.done msg_1_0 completed",
			"output_item.added fc_1_0 in_progress", "output_item.added fc_1_1 in_progress", "function_call_arguments.delta fc_1_1 {",
			"function_call_arguments.delta fc_1_0 []", "function_call_arguments.delta fc_1_1 }",
			"function_call_arguments.done fc_1_0 []", "output_item.done fc_1_0 completed",
			"function_call_arguments.done fc_1_1 {}", "output_item.done fc_1_1 completed", "completed completed rs_1_0 msg_1_0 fc_1_0 fc_1_1",
		}},
		{"cut off by its length", []Piece{{Content: "a"}}, ResponseEnd{Finish: "length"}, []string{
			"output_item.added msg_1_0 in_progress", "content_part.added msg_1_0", "output_text.delta msg_1_0 a",
			"output_text.done msg_1_0 a", "content_part.done msg_1_0", "output_item.done msg_1_0 incomplete", "incomplete incomplete msg_1_0",
		}},
		{"cancelled", nil, ResponseEnd{Cancelled: true, Error: &Error{Message: "m"}}, []string{"incomplete cancelled"}},
		{"failed", []Piece{{Content: "a"}}, ResponseEnd{Error: &Error{Message: "m", Code: "c"}}, []string{
			"output_item.added msg_1_0 in_progress", "content_part.added msg_1_0", "output_text.delta msg_1_0 a",
			"output_text.done msg_1_0 a", "content_part.done msg_1_0", "output_item.done msg_1_0 incomplete", "error", "failed failed msg_1_0",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, _ := tell(tt.pieces, &tt.end)
			want := append([]string{"created in_progress", "in_progress in_progress"}, tt.want...)
			if diff := cmp.Diff(want, outline(t, events)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			again, _ := tell(tt.pieces, &tt.end)
			if diff := cmp.Diff(events, again); diff != "" {
				t.Errorf("told again (-first +second):\n%s", diff)
			}
		})
	}
}

// TestResponseObject: every member that clients read is there, with the right
// value, and the text needs no escaping but JSON's own.
func TestResponseObject(t *testing.T) {
	t.Parallel()
	_, r := tell([]Piece{{Content: "a < b"}}, &ResponseEnd{
		At: 7, Finish: "length", Model: "m2", Usage: &Usage{PromptTokens: 3, CompletionTokens: 2, CachedTokens: 1}, Hermes: []byte(`{"session_id":"s"}`),
	})
	r.Previous, r.Conversation = "resp_0", "s"
	const want = `{"id":"resp_1","object":"response","created_at":5,"status":"incomplete","background":false,"completed_at":7,"conversation":{"id":"s"},` +
		`"error":null,"incomplete_details":{"reason":"max_output_tokens"},"model":"m2","output":[{"id":"msg_1_0","type":"message","status":"incomplete",` +
		`"role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"a < b"}]}],"previous_response_id":"resp_0",` +
		`"frequency_penalty":0,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"metadata":{},"parallel_tool_calls":true,"presence_penalty":0,"prompt_cache_key":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"service_tier":"default",` +
		`"store":true,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,"truncation":"disabled","user":null,` +
		`"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":5},` +
		`"hermes":{"session_id":"s"}}`
	if diff := cmp.Diff(want, string(r.Append(nil))); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
}

// TestResponseStreamAgain: text after a restart of the answer has its own items, and the
// final response holds only these.
func TestResponseStreamAgain(t *testing.T) {
	t.Parallel()
	s := NewResponseStream(Response{ID: "resp_1", Model: "m", Settings: defaultSettings()})
	events := s.Begin("m2")
	events = append(events, s.Add(&Piece{Content: "a"})...)
	events = append(events, s.Again()...)
	events = append(events, s.Add(&Piece{Content: "b"})...)
	events = append(events, s.End(&ResponseEnd{Finish: "stop"})...)
	if diff := cmp.Diff([]string{
		"created in_progress", "in_progress in_progress",
		"output_item.added msg_1_0 in_progress", "content_part.added msg_1_0", "output_text.delta msg_1_0 a",
		"output_text.done msg_1_0 a", "content_part.done msg_1_0", "output_item.done msg_1_0 incomplete",
		"output_item.added msg_1_1 in_progress", "content_part.added msg_1_1", "output_text.delta msg_1_1 b",
		"output_text.done msg_1_1 b", "content_part.done msg_1_1", "output_item.done msg_1_1 completed", "completed completed msg_1_1",
	}, outline(t, events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if r := s.Response(); r.Model != "m2" || len(r.Output) != 1 || r.Output[0].Text != "b" {
		t.Errorf("got %+v", r)
	}
}

func TestResponseOf(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		itemID("resp_ab", MessageItem, 0, false): "resp_ab", itemID("resp_ab", CallItem, 12, false): "resp_ab", itemID("resp_ab", ResultItem, 3, true): "resp_ab",
		"msg_": "", "msg_x": "", "resp_x_0": "", "": "",
	} {
		if got, ok := ResponseOf(item); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", item, got, ok, want)
		}
	}
}

func ExampleResponseStream() {
	s := NewResponseStream(Response{ID: "resp_1", Settings: defaultSettings()})
	s.Begin("")
	for _, e := range s.Add(&Piece{Content: "Hello"}) {
		fmt.Println(e.Seq, e.Type)
	}
	// Output:
	// 2 response.output_item.added
	// 3 response.content_part.added
	// 4 response.output_text.delta
}
