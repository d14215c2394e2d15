package compat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// setup returns a client of a fresh server, and the model behind that.
func setup(t *testing.T) (openai.Client, *upstreamtest.Server) {
	t.Helper()
	model := upstreamtest.New(t, upstreamtest.Options{})
	url := serve(t, "HERMES_UPSTREAM_URL="+model.URL+"/v1", "HERMES_MODEL=scripted-model")
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("hermes"), option.WithMaxRetries(0)), model
}

func chat(messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "hermes", Messages: messages}
}

func session(id string) option.RequestOption { return option.WithHeader("X-Hermes-Session-Id", id) }

// sent is the conversation of the newest request, as role and text.
func sent(t *testing.T, model *upstreamtest.Server) (out []struct{ Role, Content string }) {
	t.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(model.Last().Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, m := range body.Messages {
		if m.Role != "system" {
			out = append(out, m)
		}
	}
	return out
}

func TestChatContinuesASession(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Text: "Hello, Alex.", Usage: &upstreamtest.Usage{Input: 11, Output: 4}})
	var resp *http.Response
	answer, err := client.Chat.Completions.New(t.Context(), chat(openai.UserMessage("I am Alex.")), session("user:alex"), option.WithResponseInto(&resp))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; got != "Hello, Alex." {
		t.Errorf("got %q", got)
	}
	if got := answer.Usage.TotalTokens; got != 15 {
		t.Errorf("got %d tokens, want 15", got)
	}
	if got := resp.Header.Get("X-Hermes-Session-Id"); got != "user:alex" {
		t.Errorf("got session %q", got)
	}
	if _, err := client.Chat.Completions.New(t.Context(), chat(openai.UserMessage("Who am I?")), session("user:alex")); err != nil {
		t.Fatal(err)
	}
	if got := sent(t, model); len(got) != 3 || got[0].Content != "I am Alex." || got[1].Content != "Hello, Alex." {
		t.Errorf("the second turn sent %v", got)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Chunks: []string{"One", ", two", ", three."}, Usage: &upstreamtest.Usage{Input: 9, Output: 5}})
	params := chat(openai.UserMessage("Count."))
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params, session("stream"))
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			t.Errorf("chunk %s does not fit those before it", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if c := whole.Choices[0]; c.Message.Content != "One, two, three." || c.FinishReason != "stop" {
		t.Errorf("got %q, finish %q", c.Message.Content, c.FinishReason)
	}
	if got := whole.Usage.TotalTokens; got != 14 {
		t.Errorf("got %d tokens, want 14", got)
	}
}

func TestStreamWithoutUsageHasAChoiceInEveryChunk(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Chunks: []string{"a", "b"}, Usage: &upstreamtest.Usage{Input: 9, Output: 5}})
	stream := client.Chat.Completions.NewStreaming(t.Context(), chat(openai.UserMessage("Hello.")), session("plain"))
	for stream.Next() {
		if chunk := stream.Current(); len(chunk.Choices) != 1 {
			t.Errorf("got %s", chunk.RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
}

// question is a turn that a tool is to answer.
func question() openai.ChatCompletionNewParams {
	params := chat(openai.UserMessage("How is the weather in Oslo?"))
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name: "weather",
		Parameters: openai.FunctionParameters{
			"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}},
		},
	})}
	return params
}

var rain = upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Oslo"}`}}}

// answerTool sends the result alone and checks that the model got the pair.
func answerTool(t *testing.T, client openai.Client, model *upstreamtest.Server, calls []openai.ChatCompletionMessageToolCallUnion, id string) {
	t.Helper()
	if len(calls) != 1 || calls[0].Function.Name != "weather" || calls[0].Function.Arguments != `{"city":"Oslo"}` {
		t.Fatalf("got calls %+v", calls)
	}
	model.Queue(upstreamtest.Reply("It rains."))
	params := chat(openai.ToolMessage("rain, 8 °C", calls[0].ID))
	params.Tools = question().Tools
	answer, err := client.Chat.Completions.New(t.Context(), params, session(id))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; got != "It rains." {
		t.Errorf("got %q", got)
	}
	var roles []string
	for _, m := range sent(t, model) {
		roles = append(roles, m.Role)
	}
	if got := strings.Join(roles, " "); got != "user assistant tool" {
		t.Errorf("the model was sent %s", got)
	}
	if body := string(model.Last().Body); !strings.Contains(body, `"tool_call_id":"call_1"`) || strings.Count(body, `"id":"call_1"`) != 1 {
		t.Errorf("the model was sent %s", body)
	}
}

func TestToolCall(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(rain)
	answer, err := client.Chat.Completions.New(t.Context(), question(), session("tools"))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].FinishReason; got != "tool_calls" {
		t.Errorf("got finish reason %q", got)
	}
	answerTool(t, client, model, answer.Choices[0].Message.ToolCalls, "tools")
}

func TestStreamedToolCall(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(rain)
	stream := client.Chat.Completions.NewStreaming(t.Context(), question(), session("tools"))
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		whole.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	answerTool(t, client, model, whole.Choices[0].Message.ToolCalls, "tools")
}

// refusal is the API error in err.
func refusal(t *testing.T, err error) *openai.Error {
	t.Helper()
	var refused *openai.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an API error", err)
	}
	return refused
}

func TestErrors(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	hello := chat(openai.UserMessage("Hello."))
	t.Run("the upstream refuses", func(t *testing.T) {
		step := upstreamtest.Refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "Slow down.")
		step.Header = http.Header{"Retry-After": {"7"}}
		model.Queue(step)
		_, err := client.Chat.Completions.New(t.Context(), hello)
		got := refusal(t, err)
		if got.StatusCode != http.StatusTooManyRequests || got.Code != "rate_limit_exceeded" || got.Response.Header.Get("Retry-After") != "7" {
			t.Errorf("got %d %q, Retry-After %q", got.StatusCode, got.Code, got.Response.Header.Get("Retry-After"))
		}
	})
	t.Run("the upstream breaks in the middle of a stream", func(t *testing.T) {
		model.Queue(upstreamtest.Step{Text: "Half an ans", ErrorMidStream: `{"message":"The model fell over.","type":"server_error","code":"overloaded"}`})
		stream := client.Chat.Completions.NewStreaming(t.Context(), hello)
		text := ""
		for stream.Next() {
			text += stream.Current().Choices[0].Delta.Content
		}
		if stream.Err() == nil || text != "Half an ans" {
			t.Errorf("got %q and error %v", text, stream.Err())
		}
	})
	t.Run("the upstream's connection breaks in the middle of a stream", func(t *testing.T) {
		model.Queue(upstreamtest.Step{Chunks: []string{"Half", " an ans"}, Cut: true, CutAfter: 1})
		stream := client.Chat.Completions.NewStreaming(t.Context(), hello)
		for stream.Next() {
			if reason := stream.Current().Choices[0].FinishReason; reason != "" {
				t.Errorf("got finish reason %q", reason)
			}
		}
		if stream.Err() == nil {
			t.Error("got no error")
		}
	})
	t.Run("a wrong key", func(t *testing.T) {
		_, err := client.Chat.Completions.New(t.Context(), hello, option.WithAPIKey("wrong"))
		if got := refusal(t, err); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("got %d", got.StatusCode)
		}
	})
	t.Run("a wrong session id", func(t *testing.T) {
		_, err := client.Chat.Completions.New(t.Context(), hello, session(strings.Repeat("x", 257)))
		if got := refusal(t, err); got.StatusCode != http.StatusBadRequest || got.Code != "invalid_session_id" {
			t.Errorf("got %d %q", got.StatusCode, got.Code)
		}
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	client, _ := setup(t)
	found := map[string]bool{}
	pages := client.Models.ListAutoPaging(t.Context())
	for pages.Next() {
		found[pages.Current().ID] = true
	}
	if err := pages.Err(); err != nil {
		t.Fatal(err)
	}
	if !found["hermes"] || !found["scripted-model"] {
		t.Errorf("got %v", found)
	}
}

func TestCancelledStreamLeavesTheSessionUsable(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Chunks: []string{"A first piece", " and nothing more"}, Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	stream := client.Chat.Completions.NewStreaming(ctx, chat(openai.UserMessage("Tell me a story.")), session("left"))
	for stream.Next() && stream.Current().Choices[0].Delta.Content == "" {
	}
	cancel()
	<-model.Left() // the model is told at once
	answer, err := client.Chat.Completions.New(t.Context(), chat(openai.UserMessage("Are you there?")), session("left"))
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0].Message.Content; got != "ok" {
		t.Errorf("got %q", got)
	}
	if got := sent(t, model)[0].Content; got != "Tell me a story." {
		t.Errorf("the turn that was left is gone: the conversation begins with %q", got)
	}
}
