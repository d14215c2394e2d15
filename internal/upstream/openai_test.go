package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

func TestOpenAIAnswers(t *testing.T) {
	t.Parallel()
	usage := &upstreamtest.Usage{Input: 12, Output: 3}
	rawUsage := []byte(`{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}`)
	call := upstreamtest.ToolCall{ID: "call_1", Name: "weather", Arguments: `{"city":"Köln"}`}
	for _, tt := range []struct {
		name      string
		step      upstreamtest.Step
		streaming bool
		want      heard
	}{
		{
			name: "stream", streaming: true,
			step: upstreamtest.Step{Chunks: []string{"one ", "\"two\"\n", "drei ü😀"}, Usage: usage, Reasoning: "hm"},
			want: heard{Content: "one \"two\"\ndrei ü😀", Reasoning: "hm", Finish: "stop", Model: "m1", Usage: &run.Usage{Input: 12, Output: 3, Raw: rawUsage}, Deltas: 7},
		},
		{
			name: "whole",
			step: upstreamtest.Step{Text: "all", Usage: usage, Reasoning: "hm"},
			want: heard{Content: "all", Reasoning: "hm", Finish: "stop", Model: "m1", Usage: &run.Usage{Input: 12, Output: 3, Raw: rawUsage}, Deltas: 1},
		},
		{
			name: "tool calls in a stream", streaming: true,
			step: upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{call, {ID: "call_2", Name: "time", Arguments: "{}"}}},
			want: heard{Finish: "tool_calls", Model: "m1", Deltas: 6, Calls: []run.ToolCall{
				{ID: "call_1", Name: "weather", Arguments: `{"city":"Köln"}`}, {Index: 1, ID: "call_2", Name: "time", Arguments: "{}"},
			}},
		},
		{
			name: "tool calls whole",
			step: upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{call, {ID: "call_2", Name: "time", Arguments: "{}"}}},
			want: heard{Finish: "tool_calls", Model: "m1", Deltas: 1, Calls: []run.ToolCall{
				{ID: "call_1", Name: "weather", Arguments: `{"city":"Köln"}`}, {Index: 1, ID: "call_2", Name: "time", Arguments: "{}"},
			}},
		},
		{
			name: "JSON where a stream was asked for", streaming: true,
			step: upstreamtest.Step{Text: "all", Usage: usage, Shape: upstreamtest.AsJSON},
			want: heard{Content: "all", Finish: "stop", Model: "m1", Usage: &run.Usage{Input: 12, Output: 3, Raw: rawUsage}, Deltas: 2},
		},
		{
			name: "a stream where none was asked for",
			step: upstreamtest.Step{Chunks: []string{"a", "b"}, ToolCalls: []upstreamtest.ToolCall{call}, Usage: usage, Shape: upstreamtest.AsStream},
			want: heard{
				Content: "ab", Finish: "tool_calls", Model: "m1", Usage: &run.Usage{Input: 12, Output: 3, Raw: rawUsage}, Deltas: 1,
				Calls: []run.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Köln"}`}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m := scripted(t, tt.step)
			p := unstreamed()
			p.Streaming = tt.streaming
			got, err := listen(m.Stream(t.Context(), p))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// serve answers every call with the given body.
func serve(t *testing.T, contentType, body string) *OpenAI {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = []string{contentType}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return New(Options{BaseURL: s.URL, Key: testKey, Model: "m1", Transport: pool(t), MaxEvent: 1 << 10, MaxBody: 4 << 10})
}

func TestOpenAIStreamShapes(t *testing.T) {
	t.Parallel()
	const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	const hi = `data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}` + "\n\n"
	for _, tt := range []struct {
		name, kind, body, content, finish string
		code                              string // of the fault, "" for none
	}{
		{"done", "text/event-stream", hi + stop + "data: [DONE]\n\n", "hi", "stop", ""},
		{"no done", "text/event-stream; charset=utf-8", hi + stop, "hi", "stop", ""},
		{"done without a reason", "text/event-stream", hi + "data: [DONE]\n\n", "hi", "stop", ""},
		{"done at once", "text/event-stream", "data: [DONE]\n\n", "", "", codeBroken},
		{"no end", "text/event-stream", hi, "hi", "", codeBroken},
		{"nothing", "text/event-stream", "", "", "", codeBroken},
		{"cut in an event", "text/event-stream", hi + "data: {\"choi", "hi", "", codeBroken},
		{"cut after the end", "text/event-stream", hi + stop + "data: {\"usa", "hi", "stop", ""},
		{"comments and CRLF", "text/event-stream", ": PROCESSING\r\n\r\n" + strings.ReplaceAll(hi+stop, "\n", "\r\n"), "hi", "stop", ""},
		{"garbage", "text/event-stream", hi + "data: {oops\n\n", "hi", "", codeGarbled},
		{"a number", "text/event-stream", hi + "data: 7\n\n", "hi", "", codeGarbled},
		{"too long", "text/event-stream", hi + "data: " + strings.Repeat("x", 2<<10) + "\n\n", "hi", "", codeTooLarge},
		{"endless", "text/event-stream", hi + strings.Repeat(": ping\n\n", 1<<10), "hi", "", codeTooLarge},
		{"error object", "text/event-stream", hi + `data: {"error":{"message":"no","code":"boom"}}` + "\n\n", "hi", "", "boom"},
		{"named error", "text/event-stream", hi + "event: error\ndata: " + `{"message":"no","code":"boom"}` + "\n\n", "hi", "", "boom"},
		{"error text", "text/event-stream", hi + `data: {"error":"no"}` + "\n\n", "hi", "", codeError},
		{"null error", "text/event-stream", hi + `data: {"error":null,"choices":[{"finish_reason":"stop"}]}` + "\n\n", "hi", "stop", ""},
		{"no content type", "", hi + stop, "hi", "stop", ""},
		{"wrong content type", "text/plain", hi + stop, "hi", "stop", ""},
		{"JSON without content type", "", ` {"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, "hi", "stop", ""},
		{"content parts", "application/json", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"hi"}]},"finish_reason":"stop"}]}`, "hi", "stop", ""},
		{"refusal", "application/json", `{"choices":[{"message":{"content":null,"refusal":"I may not"},"finish_reason":"stop"}]}`, "I may not", "stop", ""},
		{"a page", "text/html", "<html>welcome</html>", "", "", codeGarbled},
		{"no choices", "application/json", `{"ok":true}`, "", "", codeGarbled},
		{"error with status 200", "application/json", `{"error":{"message":"quota","code":500}}`, "", "", codeError},
		{"too large", "application/json", `{"x":"` + strings.Repeat("x", 5<<10) + `"}`, "", "", codeTooLarge},
		{"second choice cut off", "text/event-stream", hi + `data: {"choices":[{"index":1,"delta":{"content":"yo"}}]}` + "\n\n" + stop, "hi", "stop", codeBroken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := listen(serve(t, tt.kind, tt.body).Stream(t.Context(), streamed()))
			if fault.CodeOf(err) != tt.code {
				t.Errorf("got fault %v, want code %q", err, tt.code)
			}
			if err != nil && fault.KindOf(err) != fault.Upstream {
				t.Errorf("got kind %q, want %q", fault.KindOf(err), fault.Upstream)
			}
			if got.Content != tt.content || got.Finish != tt.finish {
				t.Errorf("got %q ending %q, want %q ending %q", got.Content, got.Finish, tt.content, tt.finish)
			}
		})
	}
}

func TestOpenAIRawIsTheChunk(t *testing.T) {
	t.Parallel()
	chunks := []string{
		`{"id":"x",  "choices":[{"index":0,"delta":{"content":"a","new_field":[1,2]},"logprobs":{"z":1}}],"system_fingerprint":"fp"}`,
		`{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"length"}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"x":{}}}`,
	}
	m := serve(t, "text/event-stream", "data: "+strings.Join(chunks, "\n\ndata: ")+"\n\ndata: [DONE]\n\n")
	deltas, err := m.Stream(t.Context(), streamed())
	if err != nil {
		t.Fatal(err)
	}
	var got []run.Delta
	for d, err := range deltas {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
	}
	want := []run.Delta{
		{Raw: []byte(chunks[0]), Content: "a"},
		{Raw: []byte(chunks[1]), Finishes: true},
		{Raw: []byte(chunks[2]), Finishes: true, FinishReason: "stop"},
		{Raw: []byte(chunks[3]), NoChoices: true, Usage: &run.Usage{Input: 1, Output: 2, Raw: []byte(`{"prompt_tokens":1,"completion_tokens":2,"x":{}}`)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
	for range deltas {
		t.Error("the sequence was ranged over twice")
	}
}

func TestOpenAIRequest(t *testing.T) {
	t.Parallel()
	messages := []session.Message{
		{Role: session.System, Content: "be \"brief\""},
		{Role: session.User, Content: "look", Wire: []byte(`{"role":"user","content":[{"type":"image_url"}]}`)},
		{Role: session.User, Name: "ann", Content: "bad \xff byte"},
		{Role: session.Assistant, ToolCalls: []byte(`[{"id":"c1"}]`)},
		{Role: session.Tool, ToolCallID: "c1", ToolName: "weather", Content: "sunny"},
		{Role: session.Assistant},
	}
	const wire = `[{"role":"system","content":"be \"brief\""},{"role":"user","content":[{"type":"image_url"}]},` +
		`{"role":"user","content":"bad ` + "\uFFFD" + ` byte","name":"ann"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1"}]},` +
		`{"role":"tool","content":"sunny","tool_call_id":"c1"},{"role":"assistant","content":""}]`
	const (
		pair       = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1"},{"id":"c2"}]}`
		first      = `{"role":"tool","tool_call_id":"c1","content":[{"type":"image_url","image_url":{"url":"a"}}]}`
		second     = `{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"b"},{"type":"file","file":{"file_id":"c"}}]}`
		withImage  = pair + "," + first + "," + second
		imageAfter = pair + `,{"role":"tool","tool_call_id":"c1","content":"[The tool's images and files follow.]"},` +
			`{"role":"tool","tool_call_id":"c2","content":"b\n[The tool's images and files follow.]"},` +
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"a"}},{"type":"file","file":{"file_id":"c"}}]}`
	)
	shown := []session.Message{
		{Role: session.Assistant, ToolCalls: []byte(`[{"id":"c1"},{"id":"c2"}]`)},
		{Role: session.Tool, Wire: []byte(first)}, {Role: session.Tool, Wire: []byte(second)}, {Role: session.User, Content: "go on"},
	}
	for _, tt := range []struct {
		name   string
		prompt run.Prompt
		want   string
	}{
		{"replaced in place", run.Prompt{Body: []byte(`{"seed": 1e0, "model":"hermes","x":{"a": [1]},"messages":[],"stream":false}`), Messages: messages},
			`{"seed": 1e0,"model":"m1","x":{"a": [1]},"messages":` + wire + `,"stream":false}`},
		{"named model", run.Prompt{Model: "m2", Body: []byte(`{"messages":[{"role":"user"}]}`), Messages: messages[:1]},
			`{"messages":[{"role":"system","content":"be \"brief\""}],"model":"m2"}`},
		{"raw", run.Prompt{Raw: true, Body: []byte(`{"messages": [ 1 ],"model":"hermes"}`), Messages: messages}, `{"messages": [ 1 ],"model":"m1"}`},
		{"raw results with images", run.Prompt{Raw: true, Body: []byte(`{"messages":[` + withImage + `],"model":"hermes"}`)}, `{"messages":[` + imageAfter + `],"model":"m1"}`},
		{"results with images, and a message after them", run.Prompt{Messages: shown}, `{"model":"m1","messages":[` + imageAfter + `,{"role":"user","content":"go on"}],"stream":false}`},
		{"no body", run.Prompt{Messages: messages[:1]}, `{"model":"m1","messages":[{"role":"system","content":"be \"brief\""}],"stream":false}`},
		{"no body, streaming", run.Prompt{Streaming: true}, `{"model":"m1","messages":[],"stream":true,"stream_options":{"include_usage":true}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m := scripted(t)
			if _, err := listen(m.Stream(t.Context(), &tt.prompt)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.Last().Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if !json.Valid(s.Last().Body) {
				t.Error("the body is not JSON")
			}
			if s.Last().Path != "/v1/chat/completions" || s.Last().Header.Get("Authorization") != "Bearer "+testKey.Reveal() {
				t.Errorf("got path %q with %v", s.Last().Path, s.Last().Header)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("got %d calls, want 1", n)
			}
		})
	}
	t.Run("not an object", func(t *testing.T) {
		t.Parallel()
		_, m := scripted(t)
		_, err := m.Stream(t.Context(), &run.Prompt{Body: []byte(`[]`)})
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v, want an invalid fault", err)
		}
	})
}

func TestOpenAIBaseURL(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{})
	for _, base := range []string{"", "/", "/v1", "/v1/", "/deep/api/v3//"} {
		m := New(Options{BaseURL: s.URL + base, Model: "m", Transport: pool(t)})
		if _, err := listen(m.Stream(t.Context(), unstreamed())); err != nil {
			t.Fatal(err)
		}
		if got, want := s.Last().Path, strings.TrimRight(base, "/")+"/chat/completions"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if auth, given := s.Last().Header["Authorization"]; given {
			t.Errorf("got authorization %q without a key", auth)
		}
	}
	query := New(Options{BaseURL: strings.Replace(s.URL, "://", "://ann:pass@", 1) + "/v1?api-version=2", Model: "m", Transport: pool(t)})
	if _, err := listen(query.Stream(t.Context(), unstreamed())); err != nil {
		t.Fatal(err)
	}
	if last := s.Last(); last.Query != "api-version=2" || last.Header.Get("Authorization") != "Basic YW5uOnBhc3M=" {
		t.Errorf("got query %q with %v", last.Query, last.Header)
	}
	for _, base := range []string{"", "localhost:1", "ftp://x", "http://", "http://%zz"} {
		_, err := New(Options{BaseURL: base, Model: "m", Transport: pool(t)}).Stream(t.Context(), unstreamed())
		if fault.CodeOf(err) != codeUnreachable {
			t.Errorf("base %q: got %v", base, err)
		}
	}
}

func TestOpenAIDefaultModelIsTheFirstListed(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{Models: []string{"newest", "older"}})
	m := New(Options{BaseURL: s.URL + "/v1", Transport: pool(t)})
	for range 2 {
		got, err := listen(m.Stream(t.Context(), streamed()))
		if err != nil || got.Model != "newest" {
			t.Errorf("got model %q, %v, want newest", got.Model, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("got %d requests, want 3: the list is asked for once", n)
	}
}

func TestOpenAICancel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		step upstreamtest.Step
	}{
		{"before the header", upstreamtest.Step{Hold: make(chan struct{})}},
		{"in the stream", upstreamtest.Step{Text: "some", Hang: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, m := scripted(t, tt.step)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := listen(m.Stream(ctx, streamed()))
				done <- err
			}()
			<-s.Arrivals()
			start := time.Now()
			cancel()
			if err := <-done; fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want a canceled fault", err)
			}
			<-s.Left()
			if took := time.Since(start); took > time.Second {
				t.Errorf("the upstream was left after %v, want within a second", took)
			}
		})
	}
}

func TestOpenAILeavingTheLoopEndsTheCall(t *testing.T) {
	t.Parallel()
	s, m := scripted(t, upstreamtest.Step{Chunks: []string{"a", "b"}, Hang: true})
	deltas, err := m.Stream(t.Context(), streamed())
	if err != nil {
		t.Fatal(err)
	}
	for range deltas {
		break
	}
	<-s.Left()
}

func TestOpenAITimeouts(t *testing.T) {
	t.Parallel()
	const short = 30 * time.Millisecond
	never := make(chan struct{})
	for _, tt := range []struct {
		name    string
		step    upstreamtest.Step
		options Options
		content string
	}{
		{"no header", upstreamtest.Step{Hold: never}, Options{FirstByte: short}, ""},
		{"silence", upstreamtest.Step{Text: "some", Hang: true}, Options{Between: 10 * short}, "some"},
		{"whole", upstreamtest.Step{Hold: never}, Options{Whole: short}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := upstreamtest.New(t, upstreamtest.Options{})
			s.Queue(tt.step)
			tt.options.BaseURL, tt.options.Model, tt.options.Transport = s.URL, "m", pool(t)
			p := streamed()
			p.Streaming = tt.options.Whole == 0
			got, err := listen(New(tt.options).Stream(t.Context(), p))
			if fault.KindOf(err) != fault.Timeout || fault.CodeOf(err) != codeTimeout {
				t.Errorf("got %v, want a timeout", err)
			}
			if got.Content != tt.content {
				t.Errorf("got %q, want %q", got.Content, tt.content)
			}
			<-s.Left()
		})
	}
	t.Run("silence after the end is none", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		t.Cleanup(s.Close)
		m := New(Options{BaseURL: s.URL, Model: "m", Between: short, Transport: pool(t)})
		got, err := listen(m.Stream(t.Context(), streamed()))
		if err != nil || got.Content != "hi" || got.Finish != "stop" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("a stream that never ends", func(t *testing.T) {
		t.Parallel()
		s := upstreamtest.New(t, upstreamtest.Options{})
		s.Queue(upstreamtest.Step{Chunks: slices.Repeat([]string{"on and "}, 10_000), Between: time.Millisecond})
		m := New(Options{BaseURL: s.URL, Model: "m", Between: time.Minute, Stream: 20 * short, Transport: pool(t)})
		got, err := listen(m.Stream(t.Context(), streamed()))
		if fault.KindOf(err) != fault.Timeout || fault.CodeOf(err) != codeTimeout || got.Content == "" {
			t.Errorf("got %q, %v, want a beginning and a timeout", got.Content, err)
		}
		<-s.Left()
	})
	t.Run("the caller's deadline", func(t *testing.T) {
		t.Parallel()
		_, m := scripted(t, upstreamtest.Step{Hold: never})
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		if _, err := m.Stream(ctx, streamed()); fault.KindOf(err) != fault.Timeout {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}

// TestOpenAIKeepsConnections: an answer read to its end leaves its connection
// to the next call.
func TestOpenAIKeepsConnections(t *testing.T) {
	t.Parallel()
	conns := map[string]bool{}
	s := upstreamtest.New(t, upstreamtest.Options{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conns[r.RemoteAddr] = true
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	m := New(Options{BaseURL: front.URL, Model: "m", Transport: pool(t)})
	for i := range 40 {
		p := streamed()
		p.Streaming = i%2 == 0
		if _, err := listen(m.Stream(t.Context(), p)); err != nil {
			t.Fatal(err)
		}
	}
	if len(conns) != 1 {
		t.Errorf("got %d connections for 40 calls one after the other, want 1", len(conns))
	}
}

func TestOpenAIModelAsksInOrder(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	_, m := scripted(t, upstreamtest.Step{Chunks: []string{"a", "b"}, Next: next})
	deltas, err := m.Stream(t.Context(), streamed())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for d, err := range deltas {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d.Content)
		if len(got) <= 2 {
			next <- struct{}{} // the piece before it has arrived: nothing is held back
		}
	}
	if diff := cmp.Diff([]string{"", "a", "b", ""}, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}
