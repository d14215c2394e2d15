package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/bound"
)

func TestParseChunk(t *testing.T) {
	t.Parallel()
	param := "messages"
	call := Call{Index: 1, ID: "c1", Type: "function"}
	call.Function.Name, call.Function.Arguments = "f", `{"a":1}`
	second := Call{Index: 1}
	second.Function.Arguments = `{"b": 2}`
	for _, tt := range []struct {
		name, raw string
		want      Chunk
	}{
		{"empty", ` { } `, Chunk{}},
		{"content", `{"id":"x","model":"m","created":1.5e3,"choices":[{"index":0,"delta":{"role":"assistant","content":"a\nü\ud83d\ude00"},"logprobs":null,"finish_reason":null}],"usage":null}`,
			Chunk{ID: "x", Model: "m", Undated: true, Choices: []Choice{{Delta: Piece{Content: "a\nü😀"}}}}},
		{"escaped names", `{"\u0069d":"x","choices":[{"d\u0065lta":{"content":"y"}}]}`, Chunk{ID: "x", Choices: []Choice{{Delta: Piece{Content: "y"}}}}},
		{"completion", `{"choices":[{"index":1,"message":{"content":null,"refusal":"no","reasoning":"hm"},"finish_reason":"stop"}],"usage":{ "prompt_tokens":1 }}`,
			Chunk{Choices: []Choice{{Index: 1, Message: Piece{Refusal: "no", Reasoning: "hm"}, FinishReason: "stop"}}, Usage: []byte(`{ "prompt_tokens":1 }`)}},
		{"both names of reasoning", `{"choices":[{"delta":{"reasoning_content":"hm","reasoning":null}}]}`, Chunk{Choices: []Choice{{Delta: Piece{Reasoning: "hm"}}}}},
		{"content parts", `{"choices":[{"message":{"content":[{"type":"thinking","text":"no"},{"text":"a","type":"text"},7,{"type":"output_text","text":"b"}]}}]}`,
			Chunk{Choices: []Choice{{Message: Piece{Content: "ab"}}}}},
		{"tool calls", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"},"extra_content":{}},{"function":{"arguments":{"b": 2}}}]}}]}`,
			Chunk{Choices: []Choice{{Delta: Piece{ToolCalls: []Call{call, second}}}}}},
		{"error", `{"error":{"message":"no","type":"t","param":"messages","code":"c","inner":[]}}`, Chunk{Error: &Error{Message: "no", Type: "t", Param: &param, Code: "c"}}},
		{"error with a number", `{"error":{"message":"no","code":429}}`, Chunk{Error: &Error{Message: "no", Code: 429.0}}},
		{"error as text", `{"error":"no"}`, Chunk{Error: &Error{Message: "no"}}},
		{"no error", `{"error":null,"id":"x"}`, Chunk{ID: "x"}},
		{"unexpected types", `{"id":7,"model":[],"choices":{"a":1},"usage":"x","error":false}`, Chunk{Usage: []byte(`"x"`)}},
		{"unexpected types within", `{"choices":[7,{"index":"x","delta":[],"finish_reason":{}},{"delta":{"content":7,"tool_calls":{}}}]}`, Chunk{Choices: []Choice{{}, {}, {}}}},
		{"not UTF-8", "{\"id\":\"a\xffb\"}", Chunk{ID: "a\uFFFDb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseChunk([]byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Choices) == 0 {
				got.Choices = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("chunk (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseChunkRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth)
	for _, raw := range []string{
		``, `null`, `[]`, `7`, `"x"`, `{`, `{"id"}`, `{"id":}`, `{"id":"x",}`, `{,}`, `{"id":"x"}}`, `{"id":"x"} {}`, `{id:1}`,
		`{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":+1}`, `{"a":-}`, `{"a":1e}`, `{"a":tru}`, `{"a":True}`, `{"a":nul`, `{"a":"\x"}`, `{"a":"\u12g4"}`, `{"a":"\u12`,
		"{\"a\":\"\n\"}", `{"a":"b}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a" "b"}`, `{"a":` + deep + `}`, "\xef\xbb\xbf{}",
	} {
		if _, err := ParseChunk([]byte(raw)); err == nil {
			t.Errorf("%s was read", raw)
		}
	}
}

func TestChunkReadForgetsTheLast(t *testing.T) {
	t.Parallel()
	var c Chunk
	for _, raw := range []string{`{"id":"a","model":"m","choices":[{"delta":{"content":"x","tool_calls":[{}]},"finish_reason":"stop"}],"usage":{},"error":{}}`, `{"choices":[{}]}`, `{`} {
		err := c.Read([]byte(raw))
		fresh, freshErr := ParseChunk([]byte(raw))
		if (err == nil) != (freshErr == nil) {
			t.Errorf("%s: got %v, want %v", raw, err, freshErr)
		}
		if diff := cmp.Diff(fresh.Choices, c.Choices); err == nil && (diff != "" || c.ID != fresh.ID || c.Model != fresh.Model || c.Usage == nil != (fresh.Usage == nil)) {
			t.Errorf("%s: got %+v, want %+v", raw, c, fresh)
		}
	}
}

func TestParseUsage(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Usage{
		`{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"x":1,"reasoning_tokens":1},"x":{"prompt_tokens":9}}`: {3, 4, 7, 2, 1},
		`{"prompt_tokens":null,"completion_tokens":1.5}`: {},
		`null`: {}, `[]`: {}, ``: {}, `{"prompt_tokens":`: {}, `{}`: {}, `{"total_tokens":7}`: {}, `{"prompt_tokens":null}`: {},
		`{"prompt_tokens":-5,"completion_tokens":1}`: {}, `{"prompt_tokens":1,"completion_tokens":9223372036854775807}`: {}, `{"prompt_tokens":"7"}`: {}, `{"prompt_tokens":1e400}`: {},
		`{"prompt_tokens":3.0,"completion_tokens":1e2,"total_tokens":null,"prompt_tokens_details":null}`:                                             {3, 100, 0, 0, 0},
		`{"prompt_tokens":3,"completion_tokens":4,"cost":0.0025,"queue_time":0,"cost_details":{"x":1e-9},"service_tier":"default","iterations":[1]}`: {3, 4, 0, 0, 0},
		`{"prompt_tokens":3,"completion_tokens":4,"total_tokens":-1}`:                                                                                {}, `{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":-2}}`: {},
		`{"prompt_tokens":3,"completion_tokens_details":[]}`: {}, `{"prompt_tokens":3,"prompt_tokens_details":{"audio_tokens":1e400}}`: {},
		`{"prompt_tokens":3,"cost":1e400}`: {}, `{"prompt_tokens":3,"total_time":-1}`: {}, `{"prompt_tokens":3,"x":{"y":{"z_tokens":"3"}}}`: {}, `{"prompt_tokens":3} x`: {3, 0, 0, 0, 0},
	} {
		if got, believed := ParseUsage([]byte(raw)); got != want || believed != (want != Usage{}) {
			t.Errorf("%s: got %+v, %v, want %+v", raw, got, believed, want)
		}
	}
}

// FuzzParseChunk holds the scanner against the standard library: they agree on
// what is JSON, and on the text of strings.
func FuzzParseChunk(f *testing.F) {
	for _, seed := range []string{
		`{"id":"x","choices":[{"index":0,"delta":{"content":"a\ud83d"},"finish_reason":null}],"usage":{"prompt_tokens":-0.1e+9}}`,
		`{"id":"\ud83d\ude00\u0000","model":"\ude00x","error":{"code":1e2}}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}}]}`,
		"{\"id\":\"\xff\xc0\x80\",\"id\":\"b\"}", `{"":"","a":[[],{},"",0,true,false,null]}`, ` {"id" : "\/\b\f\n\r\t\"\\"} `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		chunk, err := ParseChunk(raw)
		trimmed := strings.TrimLeft(string(raw), " \t\r\n")
		valid := json.Valid(raw) && strings.HasPrefix(trimmed, "{")
		if valid && depth(raw) > maxDepth {
			return
		}
		if (err == nil) != valid {
			t.Fatalf("%q: got %v, valid JSON is %v", raw, err, valid)
		}
		if err != nil {
			return
		}
		var want map[string]any
		if json.Unmarshal(raw, &want) != nil {
			return // a number out of range
		}
		id, _ := want["id"].(string)
		model, _ := want["model"].(string)
		if chunk.ID != id || chunk.Model != model {
			t.Errorf("%q: got %q and %q, want %q and %q", raw, chunk.ID, chunk.Model, id, model)
		}
		if choices, ok := want["choices"].([]any); ok && len(choices) != len(chunk.Choices) && !strings.Contains(trimmed, "choices") {
			t.Errorf("%q: got %d choices, want %d", raw, len(chunk.Choices), len(choices))
		}
		if u, _ := ParseUsage(chunk.Usage); min(u.PromptTokens, u.CompletionTokens, u.TotalTokens, u.CachedTokens, u.ReasoningTokens) < 0 || u.PromptTokens+u.CompletionTokens > 2*bound.MaxTokens {
			t.Errorf("%q: got %+v", raw, u)
		}
	})
}
