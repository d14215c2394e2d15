package upstream

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/run"
)

// TestAnthropicThroughTheDoor: a request in Anthropic's format becomes a chat completion,
// and for an upstream of that format a request again. What a model must see survives.
func TestAnthropicThroughTheDoor(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"a":{"type":"integer"}}}}]`
	for _, tt := range []struct{ name, body, want string }{
		{
			"parameters and thinking", `{"model":"c1","max_tokens":5000,"system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"type":"text","text":"B"}],` +
				`"messages":[{"role":"user","content":"hi"}],"temperature":1,"top_p":0.9,"top_k":7,"stop_sequences":["END"],"metadata":{"user_id":"u1"},` +
				`"thinking":{"type":"enabled","budget_tokens":2000},"service_tier":"standard_only","output_config":{"effort":"low"},` + tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`,
			`{"model":"c1","max_tokens":5000,"system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"type":"text","text":"\n\nB"}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"temperature":1,"top_p":0.9,"top_k":7,"stop_sequences":["END"],` +
				`"metadata":{"user_id":"u1"},` + tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true},` +
				`"thinking":{"type":"enabled","budget_tokens":2000},"output_config":{"effort":"low"},"service_tier":"standard_only"}`,
		},
		{
			"marks for the cache", `{"model":"c1","max_tokens":9,"system":"A","cache_control":{"type":"ephemeral"},"tools":[{"name":"e","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[` +
				`{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x","cache_control":{"type":"ephemeral"}},{"type":"text","text":"and?","cache_control":null}]}]}`,
			`{"model":"c1","max_tokens":9,"system":"A","messages":[{"role":"user","content":[{"type":"text","text":"one\ntwo","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"x"}],"cache_control":{"type":"ephemeral"}},{"type":"text","text":"and?"}]}],` +
				`"tools":[{"name":"e","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}],"cache_control":{"type":"ephemeral"}}`,
		},
		{
			"media", `{"model":"c1","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},` +
				`{"type":"image","source":{"type":"url","url":"https://x.example/a.jpg"}},{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"}},` +
				`{"type":"document","title":"b.pdf","source":{"type":"url","url":"https://x.example/b.pdf"}}]}]}`,
			`{"model":"c1","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},` +
				`{"type":"image","source":{"type":"url","url":"https://x.example/a.jpg"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"},"title":"a.pdf"},` +
				`{"type":"document","source":{"type":"url","url":"https://x.example/b.pdf"},"title":"b.pdf"}]}]}`,
		},
		{
			"results with images, in the middle of an answer", `{"model":"c1","max_tokens":5000,"thinking":{"type":"enabled","budget_tokens":2000},` + tools + `,"tool_choice":{"type":"any"},"messages":[{"role":"user","content":"go"},` +
				`{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"tool_use","id":"1","name":"f","input":{"a":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":[{"type":"text","text":"bad"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}]}`,
			`{"model":"c1","max_tokens":5000,"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"Error: bad"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}],` +
				tools + `,"tool_choice":{"type":"any"}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, err := anthropic.Parse([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			body, err := in.ChatBody()
			if err != nil {
				t.Fatal(err)
			}
			s, m := claude(t)
			if _, err := listen(m.Stream(t.Context(), &run.Prompt{Raw: true, Body: body, Extras: in.Extras()})); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.Last().Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnthropicStopSequence: the text that ended an answer is told.
func TestAnthropicStopSequence(t *testing.T) {
	t.Parallel()
	_, m := claude(t)
	var s anthropicStream
	s.m = m
	d, err := s.read([]byte(`{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}`))
	if err != nil || d == nil || d.StopSequence != "END" || d.FinishReason != "stop" {
		t.Errorf("got %+v, %v", d, err)
	}
}
