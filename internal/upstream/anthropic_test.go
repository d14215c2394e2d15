package upstream

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// claude is a scripted server and an Anthropic model that calls it.
func claude(t testing.TB, steps ...upstreamtest.Step) (*upstreamtest.Server, *Anthropic) {
	t.Helper()
	s := upstreamtest.New(t, upstreamtest.Options{})
	s.Queue(steps...)
	return s, NewAnthropic(Options{BaseURL: s.URL, Key: testKey, Model: "c1", Transport: pool(t)})
}

func TestAnthropicAnswers(t *testing.T) {
	t.Parallel()
	step := upstreamtest.Step{
		Chunks: []string{"one ", "two"}, Reasoning: "hm", Usage: &upstreamtest.Usage{Input: 12, Output: 3, Cached: 4},
		ToolCalls: []upstreamtest.ToolCall{{ID: "t1", Name: "weather", Arguments: `{"city":"Köln"}`}, {ID: "t2", Name: "time"}},
	}
	want := heard{
		Content: "one two", Reasoning: "hm", Finish: "tool_calls", Model: "c1",
		Calls: []run.ToolCall{{ID: "t1", Name: "weather", Arguments: `{"city":"Köln"}`}, {Index: 1, ID: "t2", Name: "time", Arguments: "{}"}},
		Usage: &run.Usage{Input: 12, Output: 3, Raw: []byte(`{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}`)},
	}
	for _, tt := range []struct {
		name      string
		streaming bool
		shape     upstreamtest.Shape
		deltas    int
	}{
		{"stream", true, upstreamtest.AsAsked, 9},
		{"whole", false, upstreamtest.AsAsked, 1},
		{"JSON where a stream was asked for", true, upstreamtest.AsJSON, 2},
		{"a stream where none was asked for", false, upstreamtest.AsStream, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			step := step
			step.Shape = tt.shape
			s, m := claude(t, step)
			p := unstreamed()
			p.Streaming = tt.streaming
			got, err := listen(m.Stream(t.Context(), p))
			if err != nil {
				t.Fatal(err)
			}
			want := want
			want.Deltas = tt.deltas
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			last := s.Last()
			if last.Path != "/v1/messages" || last.Header.Get("X-Api-Key") != testKey.Reveal() ||
				last.Header.Get("Anthropic-Version") != anthropicVersion || last.Header.Get("Authorization") != "" {
				t.Errorf("got %s with %v", last.Path, last.Header)
			}
		})
	}
}

func TestAnthropicFinishReasons(t *testing.T) {
	t.Parallel()
	for stop, want := range map[string]string{
		"end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "max_tokens": "length",
		"model_context_window_exceeded": "length", "refusal": "content_filter", "tool_use": "tool_calls", "new_one": "stop",
	} {
		_, m := claude(t, upstreamtest.Step{Text: "x", Finish: stop})
		if got, err := listen(m.Stream(t.Context(), streamed())); err != nil || got.Finish != want {
			t.Errorf("%s: got %q, %v, want %q", stop, got.Finish, err, want)
		}
	}
}

func TestAnthropicRequest(t *testing.T) {
	t.Parallel()
	said := []session.Message{{Role: session.User, Content: "hi"}}
	const hi = `"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]`
	for _, tt := range []struct {
		name   string
		prompt run.Prompt
		want   string
	}{
		{"bare", run.Prompt{Messages: said}, `{"model":"c1","max_tokens":4096,` + hi + `}`},
		{"parameters", run.Prompt{Streaming: true, Model: "c2", Messages: said, Body: []byte(`{"model":"hermes","messages":[],"stream":true,` +
			`"max_tokens":7,"max_completion_tokens":9,"temperature":1.7,"top_p":0.5,"stop":["END"," "],"user":"u1","seed":4,"n":1,"logprobs":null}`)},
			`{"model":"c2","max_tokens":9,` + hi + `,"stream":true,"temperature":1,"top_p":0.5,"stop_sequences":["END"],"metadata":{"user_id":"u1"}}`},
		{"one stop", run.Prompt{Messages: said, Body: []byte(`{"stop":"X","max_tokens":7,"temperature":0}`)},
			`{"model":"c1","max_tokens":7,` + hi + `,"temperature":0,"stop_sequences":["X"]}`},
		{"raw", run.Prompt{Raw: true, Body: []byte(`{"messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi"}]}`), Messages: []session.Message{{Role: session.User, Content: "no"}}},
			`{"model":"c1","max_tokens":4096,"system":"be brief",` + hi + `}`},
		{"tools", run.Prompt{Messages: said, Body: []byte(`{"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}},` +
			`{"type":"function","function":{"name":"g"}},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":"required","parallel_tool_calls":false}`)},
			`{"model":"c1","max_tokens":4096,` + hi + `,"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}},` +
				`{"name":"g","input_schema":{"type":"object","properties":{}}},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m := claude(t)
			if _, err := listen(m.Stream(t.Context(), &tt.prompt)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.Last().Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
	for name, body := range map[string]string{"several answers": `{"n":2}`, "wrong type": `{"max_tokens":"many"}`, "no object": `[]`} {
		_, m := claude(t)
		if _, err := m.Stream(t.Context(), &run.Prompt{Body: []byte(body), Messages: said}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v, want an invalid fault", name, err)
		}
	}
}

func TestAnthropicToolChoice(t *testing.T) {
	t.Parallel()
	no := false
	for _, tt := range []struct {
		choice   string
		parallel *bool
		want     string
	}{
		{``, nil, `null`},
		{`null`, nil, `null`},
		{`"auto"`, nil, `{"type":"auto"}`},
		{`"none"`, &no, `{"type":"none"}`},
		{`"required"`, nil, `{"type":"any"}`},
		{``, &no, `{"type":"auto","disable_parallel_tool_use":true}`},
		{`{"type":"function","function":{"name":"f"}}`, nil, `{"type":"tool","name":"f"}`},
	} {
		got, err := json.Marshal(choiceOf(json.RawMessage(tt.choice), tt.parallel))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.choice, got, err, tt.want)
		}
	}
}

func TestAnthropicConversation(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, messages, system, want string
	}{
		{
			"tool loop", `[{"role":"system","content":"A"},{"role":"user","content":"weather?"},{"role":"system","content":[{"type":"text","text":"B"}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"2","function":{"name":"g","arguments":""}}]},
			{"role":"tool","tool_call_id":"1","content":"sun"},{"role":"tool","tool_call_id":"2","content":""},{"role":"user","content":"and?"}]`, "A\n\nB",
			`[{"role":"user","content":[{"type":"text","text":"weather?"}]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}},{"type":"tool_use","id":"2","name":"g","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"sun"}]},{"type":"tool_result","tool_use_id":"2"},{"type":"text","text":"and?"}]}]`,
		},
		{
			"neighbours merge, names are told, blanks go", `[{"role":"user","name":"Ann","content":"one"},{"role":"user","content":" "},{"role":"user","content":"two"},{"role":"assistant","content":"a"},{"role":"assistant","content":"b \n"}]`, "",
			`[{"role":"user","content":[{"type":"text","text":"Ann: one"},{"type":"text","text":"two"}]},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`,
		},
		{
			"the older name of a call", `[{"role":"user","content":"a"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"b"}]`, "",
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"function_1","name":"f","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"function_1","content":[{"type":"text","text":"b"}]}]}]`,
		},
		{
			"an answer first", `[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]`, "",
			`[{"role":"user","content":[{"type":"text","text":"(The beginning of this conversation is not shown.)"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
		{
			"images and files", `[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},{"type":"image_url","image_url":{"url":"https://x.example/a.jpg"}},
			{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,BBBB"}},{"type":"input_audio","input_audio":{}},{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]`, "",
			`[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://x.example/a.jpg"}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BBBB"},"title":"a.pdf"},` +
				`{"type":"text","text":"[a part of type \"input_audio\" cannot be shown to this model]"},{"type":"text","text":"[a part of type \"image_url\" cannot be shown to this model]"}]}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var in []chatMessage
			if err := json.Unmarshal([]byte(tt.messages), &in); err != nil {
				t.Fatal(err)
			}
			system, turns, err := conversation(in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(turns)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || system != tt.system {
				t.Errorf("system %q, turns (-want +got):\n%s", system, diff)
			}
		})
	}
}

func TestAnthropicFailures(t *testing.T) {
	t.Parallel()
	refuse := func(status int, kind, message string) upstreamtest.Step {
		return upstreamtest.Step{Status: status, Body: `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"r"}`, Header: http.Header{"Retry-After": {"2"}}}
	}
	for _, tt := range []struct {
		name    string
		step    upstreamtest.Step
		want    fault.Error
		content string
	}{
		{"rate limit", refuse(429, "rate_limit_error", "slow"), fault.Error{Kind: fault.RateLimited, Status: 429, Code: "rate_limit_error", Msg: "slow", Foreign: true, RetryAfter: 2 * time.Second}, ""},
		{"overloaded", refuse(529, "overloaded_error", "Overloaded"), fault.Error{Kind: fault.Unavailable, Status: 529, Code: "overloaded_error", Msg: "Overloaded", Foreign: true, RetryAfter: 2 * time.Second}, ""},
		{"key refused", refuse(401, "authentication_error", "invalid x-api-key"), fault.Error{Kind: fault.Upstream, Status: 401, Code: "authentication_error", Msg: "The upstream model server refused the API key that this server uses for it.", RetryAfter: 2 * time.Second}, ""},
		{"error in the stream", upstreamtest.Step{Text: "a", ErrorMidStream: `{"type":"overloaded_error","message":"Overloaded"}`}, fault.Error{Kind: fault.Upstream, Code: "overloaded_error", Msg: "Overloaded", Foreign: true}, "a"},
		{"cut", upstreamtest.Step{Text: "a", Cut: true, CutAfter: 1}, fault.Error{Kind: fault.Upstream, Code: codeBroken, Msg: "The upstream model server broke off its answer.", Err: io.ErrUnexpectedEOF}, "a"},
		{"ended early", upstreamtest.Step{Text: "a", Cut: true, CutAfter: 1, Clean: true}, fault.Error{Kind: fault.Upstream, Code: codeBroken, Msg: "The upstream's answer ended before it was complete."}, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m := claude(t, tt.step)
			got, err := listen(m.Stream(t.Context(), streamed()))
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || *f != tt.want {
				t.Errorf("got  %+v\nwant %+v", err, tt.want)
			}
			if got.Content != tt.content {
				t.Errorf("got %q, want %q", got.Content, tt.content)
			}
		})
	}
	for name, body := range map[string]string{
		"garbage": "oops", "another API": `{"choices":[]}`, "stopped without a reason": "data: {\"type\":\"message_stop\"}\n\n",
		"garbage event": "data: {\n\n", "error": `{"type":"error","error":{"type":"api_error"}}`, "error event": "data: {\"type\":\"error\"}\n\n",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, body)
		}))
		_, err := listen(NewAnthropic(Options{BaseURL: s.URL, Model: "c", Transport: pool(t)}).Stream(t.Context(), streamed()))
		if fault.KindOf(err) != fault.Upstream {
			t.Errorf("%s: got %v, want an upstream fault", name, err)
		}
		s.Close()
	}
}

func TestAnthropicModels(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{Models: []string{"c9", "c8"}})
	for _, base := range []string{"", "/", "/v1", "/v1/"} {
		m := NewAnthropic(Options{BaseURL: s.URL + base, Key: testKey, Transport: pool(t)})
		got, err := m.Models(t.Context())
		if err != nil || len(got) != 2 || got[0].ID != "c9" || got[0].Created.IsZero() {
			t.Errorf("got %+v, %v", got, err)
		}
		if last := s.Last(); last.Path != "/v1/models" || last.Query != "limit=1000" {
			t.Errorf("got %s?%s", last.Path, last.Query)
		}
		if answer, err := listen(m.Stream(t.Context(), streamed())); err != nil || answer.Model != "c9" {
			t.Errorf("got %q, %v, want c9", answer.Model, err)
		}
	}
}

func TestAnthropicLeavingTheLoopEndsTheCall(t *testing.T) {
	t.Parallel()
	s, m := claude(t, upstreamtest.Step{Text: strings.Repeat("a", 10), Hang: true})
	deltas, err := m.Stream(t.Context(), streamed())
	if err != nil {
		t.Fatal(err)
	}
	for range deltas {
		break
	}
	<-s.Left()
}

// checkTurns holds what the API asks of a conversation.
func checkTurns(t *testing.T, data []byte) {
	t.Helper()
	var got messagesBody
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	role := roleUser
	for i, turn := range got.Messages {
		if turn.Role != role || len(turn.Content) == 0 {
			t.Errorf("%s: turn %d is not a %s's, or is empty", data, i, role)
		}
		for _, b := range turn.Content {
			if b.Type == "text" && blank(b.Text) {
				t.Errorf("%s: turn %d holds a blank text", data, i)
			}
		}
		role = map[string]string{roleUser: roleAssistant, roleAssistant: roleUser}[role]
	}
	if len(got.Messages) == 0 || got.MaxTokens <= 0 {
		t.Errorf("%s: no turns, or no bound", data)
	}
}
