package upstream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// canned is a transport that answers every call with the same bytes.
type canned struct{ kind, body string }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}},
		Body: io.NopCloser(strings.NewReader(c.body)), ContentLength: -1, Request: r,
	}, nil
}

// checkAnswer holds what an answer must always be: pieces that end, or pieces
// and then a fault that shows nothing.
func checkAnswer(t *testing.T, m run.Model, streaming bool) {
	t.Helper()
	p := streamed()
	p.Streaming = streaming
	deltas, err := m.Stream(context.Background(), p)
	finishes := false
	if err == nil {
		for d, e := range deltas {
			if err != nil {
				t.Fatal("a piece came after the fault")
			}
			err = e
			finishes = finishes || d.Finishes
		}
	}
	switch kind := fault.KindOf(err); {
	case err == nil && !finishes:
		t.Error("the answer ended without a finish")
	case err != nil && kind != fault.Upstream:
		t.Errorf("got a fault of kind %q: %v", kind, err)
	}
}

// FuzzOpenAIAnswer: no answer of a server, however strange, brings this client
// to panic, to hang, or to end without either a finish or a fault.
func FuzzOpenAIAnswer(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n",
		`{"choices":[{"message":{"content":"hi","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		"data: {\"error\":{\"message\":\"no\",\"code\":500}}\n\n", "data: [DONE]\n\n", "data: {\"choices\":[{\"index\":-9}]}\n\ndata: [DONE]\n\n",
		"event: error\ndata: \"x\"\n\n", "<html>", "",
	} {
		f.Add(seed, true, 0)
		f.Add(seed, false, 1)
		f.Add(seed, true, 2)
	}
	f.Fuzz(func(t *testing.T, body string, streaming bool, kind int) {
		kinds := []string{"text/event-stream", "application/json", ""}
		checkAnswer(t, New(Options{BaseURL: "http://model", Model: "m", Transport: canned{kinds[uint(kind)%3], body}}), streaming)
	})
}

// FuzzAnthropicAnswer is the same for the other wire.
func FuzzAnthropicAnswer(f *testing.F) {
	for _, seed := range []string{
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{}}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
		`{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`, "data: {\"type\":\"error\"}\n\n", "data: {\"type\":\"message_stop\"}\n\n", "data: 7\n\n", "",
	} {
		f.Add(seed, true, 0)
		f.Add(seed, false, 1)
		f.Add(seed, true, 2)
	}
	f.Fuzz(func(t *testing.T, body string, streaming bool, kind int) {
		kinds := []string{"text/event-stream", "application/json", ""}
		checkAnswer(t, NewAnthropic(Options{BaseURL: "http://model", Model: "m", Transport: canned{kinds[uint(kind)%3], body}}), streaming)
	})
}

// FuzzAnthropicRequest: every request that can be read is translated to turns
// the API takes: alternating, the user first, none empty.
func FuzzAnthropicRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"assistant","content":" "},{"role":"tool","content":[{"type":"image_url","image_url":"data:image/png;base64,AA"}]},{"role":"assistant","content":"x","tool_calls":[{"function":{"arguments":"{"}}]}]}`))
	f.Add([]byte(`{"messages":[{"role":"system"},{"role":"user","name":"a","content":[{"type":"file","file":{"file_data":"data:,"}},{"type":"text"}]}],"tools":[{"type":"function","function":{"parameters":[]}}],"tool_choice":{"name":1},"stop":7}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		data, err := messagesRequest(&run.Prompt{Raw: true, Body: body}, "m")
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: got %v, want an invalid fault", body, err)
			}
			return
		}
		checkTurns(t, data)
	})
}

// TestManyCallsAtOnce: a thousand answers at a time share the pool, and none
// hears another's.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	s := upstreamtest.New(t, upstreamtest.Options{Quiet: true, Default: func(r *upstreamtest.Request) upstreamtest.Step {
		return upstreamtest.Step{Chunks: []string{"you are ", r.Model}}
	}})
	m := New(Options{BaseURL: s.URL, Transport: pool(t)})
	var callers sync.WaitGroup
	for i := range 1000 {
		callers.Go(func() {
			p := streamed()
			p.Model = fmt.Sprintf("m%d", i)
			got, err := listen(m.Stream(t.Context(), p))
			if want := "you are " + p.Model; err != nil || got.Content != want {
				t.Errorf("got %q, %v, want %q", got.Content, err, want)
			}
		})
	}
	callers.Wait()
}
