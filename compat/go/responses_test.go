package compat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// ask is a request for a response to a text.
func ask(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "hermes", Input: responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(text)}}
}

// rich is an answer with everything that makes events.
func rich() upstreamtest.Step {
	return upstreamtest.Step{
		Reasoning: "Hm.", Chunks: []string{"It ", "rains", "."},
		ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Oslo"}`}, {ID: "call_2", Name: "weather", Arguments: `{"city":"Lima"}`}},
	}
}

// events reads at most n events of a stream, all of them for -1.
func events(t *testing.T, stream *ssestream.Stream[responses.ResponseStreamEventUnion], n int) (out []responses.ResponseStreamEventUnion) {
	t.Helper()
	defer stream.Close()
	for len(out) != n && stream.Next() {
		out = append(out, stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestResponse(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Text: "Hello, Alex.", Usage: &upstreamtest.Usage{Input: 11, Output: 4}}, upstreamtest.Reply("Alex."), upstreamtest.Reply("Alex, still."))
	first := ask("I am Alex.")
	first.Instructions = param.NewOpt("Be brief.")
	made, err := client.Responses.New(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if made.OutputText() != "Hello, Alex." || made.Status != "completed" || made.Usage.TotalTokens != 15 {
		t.Errorf("got %s", made.RawJSON())
	}
	second := ask("Who am I?")
	second.PreviousResponseID = param.NewOpt(made.ID)
	next, err := client.Responses.New(t.Context(), second)
	if err != nil || next.PreviousResponseID != made.ID || next.OutputText() != "Alex." {
		t.Errorf("got %v, %v", next, err)
	}
	if got := sent(t, model); len(got) != 3 || got[0].Content != "I am Alex." || got[1].Content != "Hello, Alex." {
		t.Errorf("the second turn sent %v", got)
	}
	third := ask("And now?")
	third.Conversation = responses.ResponseNewParamsConversationUnion{OfString: param.NewOpt("conv:go")}
	if got, err := client.Responses.New(t.Context(), third); err != nil || got.Conversation.ID != "conv:go" {
		t.Errorf("got %v, %v", got, err)
	}
	got, err := client.Responses.Get(t.Context(), made.ID, responses.ResponseGetParams{})
	if err != nil || got.RawJSON() != made.RawJSON() {
		t.Errorf("got %v, %v, want %s", got, err, made.RawJSON())
	}
	items := client.Responses.InputItems.ListAutoPaging(t.Context(), made.ID, responses.InputItemListParams{Limit: param.NewOpt[int64](1)})
	if !items.Next() || items.Current().Content.OfInputItemContentList[0].AsInputText().Text != "I am Alex." || items.Next() {
		t.Errorf("got %v, %v, want one input item", items.Current(), items.Err())
	}
	if err := client.Responses.Delete(t.Context(), made.ID); err != nil {
		t.Error(err)
	}
	var refused *openai.Error
	if _, err := client.Responses.Get(t.Context(), made.ID, responses.ResponseGetParams{}); !errors.As(err, &refused) || refused.StatusCode != 404 {
		t.Errorf("got %v, want that it is not found", err)
	}
}

func TestResponseTools(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Oslo"}`}}}, upstreamtest.Reply("It rains in Oslo."))
	params := ask("How is the weather in Oslo?")
	params.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("weather", map[string]any{"type": "object"}, false)}
	made, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(made.Output, func(o responses.ResponseOutputItemUnion) bool { return o.Type == "function_call" })
	if i < 0 || made.Output[i].Name != "weather" {
		t.Fatalf("got %s, want a call", made.RawJSON())
	}
	result := responses.ResponseInputItemParamOfFunctionCallOutput("rain")
	result.OfFunctionCallOutput.CallID = param.NewOpt(made.Output[i].CallID)
	answer := responses.ResponseNewParams{Model: "hermes", PreviousResponseID: param.NewOpt(made.ID), Input: responses.ResponseNewParamsInputUnion{
		OfInputItemList: responses.ResponseInputParam{result},
	}}
	got, err := client.Responses.New(t.Context(), answer)
	if err != nil || got.OutputText() != "It rains in Oslo." {
		t.Fatalf("got %v, %v", got, err)
	}
	var body struct {
		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(model.Last().Body, &body); err != nil {
		t.Fatal(err)
	}
	if n := len(body.Messages); n != 3 || body.Messages[2].Role != "tool" || body.Messages[2].ToolCallID != "call_1" {
		t.Errorf("sent %s", model.Last().Body)
	}
}

// TestResponseCutAnywhere: a stream that is cut off behind any of its events and
// resumed misses none and repeats none.
func TestResponseCutAnywhere(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	cuts := 0
	for cut, total := 1, 2; cut < total; cut++ {
		model.Queue(rich())
		ctx, leave := context.WithCancel(t.Context())
		got := events(t, client.Responses.NewStreaming(ctx, ask("Weather?")), cut)
		leave()
		id, last := got[0].Response.ID, got[len(got)-1].SequenceNumber
		got = append(got, events(t, client.Responses.GetStreaming(t.Context(), id, responses.ResponseGetParams{StartingAfter: param.NewOpt(last)}), -1)...)
		whole := events(t, client.Responses.GetStreaming(t.Context(), id, responses.ResponseGetParams{}), -1)
		if len(got) != len(whole) {
			t.Fatalf("cut behind %d: got %d events, want %d", cut, len(got), len(whole))
		}
		for i := range whole {
			if got[i].RawJSON() != whole[i].RawJSON() || whole[i].SequenceNumber != int64(i) {
				t.Fatalf("cut behind %d: got %s at %d, want %s", cut, got[i].RawJSON(), i, whole[i].RawJSON())
			}
		}
		if end := whole[len(whole)-1]; end.Type != "response.completed" || end.Response.OutputText() != "It rains." || len(end.Response.Output) != 4 {
			t.Fatalf("got %s", end.RawJSON())
		}
		total = len(whole)
		cuts++
	}
	if cuts < 15 {
		t.Errorf("got only %d cuts", cuts)
	}
}

func TestResponseInTheBackground(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Chunks: []string{"Half "}, Hang: true})
	params := ask("Work.")
	params.Background = param.NewOpt(true)
	made, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := client.Responses.Cancel(t.Context(), made.ID); err != nil || got.Status != "cancelled" {
		t.Errorf("got %v, %v, want it cancelled", got, err)
	}
}

func TestResponseBreaksOff(t *testing.T) {
	t.Parallel()
	client, model := setup(t)
	model.Queue(upstreamtest.Step{Chunks: []string{"Half an ans"}, ErrorMidStream: `{"message":"The model fell over.","code":"overloaded"}`})
	stream := client.Responses.NewStreaming(t.Context(), ask("Hello."))
	defer stream.Close()
	var types []string
	for stream.Next() {
		types = append(types, stream.Current().Type)
	}
	if n := len(types); stream.Err() == nil && (n < 2 || types[n-1] != "response.failed") {
		t.Errorf("got %v and %v, want a failure", types, stream.Err())
	}
}
