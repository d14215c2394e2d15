package openai

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	h := Head{ID: "chatcmpl-1", Created: 17, Model: "m \"x\""}
	calls := []byte(`[{"id":"1"}]`)
	const head = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":17,"model":"m \"x\"",`
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"chunk", h.AppendChunk(nil, []byte(`{"content":"a"}`), ""), head + `"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`},
		{"finish", h.AppendChunk([]byte("data: "), []byte(`{}`), "stop", Set{"hermes", []byte(`{}`)}, Set{"usage", nil}), "data: " + head + `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"hermes":{}}`},
		{"usage", h.AppendUsageChunk(nil, []byte(`{"total_tokens":1}`)), head + `"choices":[],"usage":{"total_tokens":1}}`},
		{"completion", h.AppendCompletion(nil, []byte(`{"role":"assistant"}`), "length", Set{"usage", []byte(`{}`)}),
			`{"id":"chatcmpl-1","object":"chat.completion","created":17,"model":"m \"x\"","choices":[{"index":0,"message":{"role":"assistant"},"logprobs":null,"finish_reason":"length"}],"usage":{}}`},
		{"piece", AppendPiece(nil, "", "a\n", nil, false), `{"content":"a\n"}`},
		{"first piece", AppendPiece(nil, "assistant", "", nil, false), `{"role":"assistant","content":""}`},
		{"empty piece", AppendPiece(nil, "", "", nil, false), `{}`},
		{"piece of a call", AppendPiece(nil, "", "", calls, false), `{"tool_calls":[{"id":"1"}]}`},
		{"piece with both", AppendPiece(nil, "", "a", calls, false), `{"content":"a","tool_calls":[{"id":"1"}]}`},
		{"message", AppendPiece(nil, "assistant", "a", nil, true), `{"role":"assistant","content":"a","refusal":null}`},
		{"empty message", AppendPiece(nil, "assistant", "", nil, true), `{"role":"assistant","content":"","refusal":null}`},
		{"message with calls", AppendPiece(nil, "assistant", "", calls, true), `{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"1"}]}`},
	} {
		if diff := cmp.Diff(tt.want, string(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestJoinCall(t *testing.T) {
	t.Parallel()
	var calls []Call
	calls = JoinCall(calls, 0, "a", "f", "")
	calls = JoinCall(calls, 1, "b", "g", `{"y":`)
	calls = JoinCall(calls, 0, "", "", `{"x":1}`)
	calls = JoinCall(calls, 1, "", "", `"<&>"}`)
	want := `[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{\"y\":\"<&>\"}"}}]`
	var got, expected any
	if err := json.Unmarshal(MarshalCalls(calls), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestCodeText(t *testing.T) {
	t.Parallel()
	for want, code := range map[string]any{"": nil, "x": "x", "429": 429.0} {
		if got := (&Error{Code: code}).CodeText(); got != want {
			t.Errorf("%v: got %q, want %q", code, got, want)
		}
	}
}

// FuzzAppend: what is written is read again as it was meant.
func FuzzAppend(f *testing.F) {
	f.Add("id", "model", "text", "stop", true)
	f.Add("\xff", "\u2028", "<&>\"\\\x00\x1f", "", false)
	f.Add("", "", "\ud7ff😀", "tool_calls", true)
	f.Fuzz(func(t *testing.T, id, model, content, finish string, whole bool) {
		h := Head{ID: id, Created: -1, Model: model}
		raw := h.AppendChunk(nil, AppendPiece(nil, "assistant", content, nil, false), finish)
		if whole {
			raw = h.AppendCompletion(nil, AppendPiece(nil, "assistant", content, nil, true), finish)
		}
		if !json.Valid(raw) || !utf8.Valid(raw) {
			t.Fatalf("%q is not JSON", raw)
		}
		c, err := ParseChunk(raw)
		if err != nil || len(c.Choices) != 1 {
			t.Fatalf("%s: %+v, %v", raw, c, err)
		}
		text := c.Choices[0].Delta.Content
		if whole {
			text = c.Choices[0].Message.Content
		}
		for got, want := range map[string]string{"i" + c.ID: "i" + id, "m" + c.Model: "m" + model, "t" + text: "t" + content, "f" + c.Choices[0].FinishReason: "f" + finish} {
			if utf8.ValidString(want) && got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}
