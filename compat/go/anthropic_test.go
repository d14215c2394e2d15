package compat

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/hermes-memory/hermes/internal/upstream/upstreamtest"
)

// claudes runs a test with a client of a fresh server: one whose upstream speaks OpenAI's
// format, and one whose upstream speaks Anthropic's.
func claudes(t *testing.T, test func(t *testing.T, client anthropic.Client, model *upstreamtest.Server)) {
	t.Helper()
	for name, env := range map[string]func(url string) []string{
		"OpenAI": func(url string) []string {
			return []string{"HERMES_UPSTREAM_URL=" + url + "/v1", "HERMES_MODEL=scripted-model"}
		},
		"Anthropic": func(url string) []string {
			return []string{"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=" + url, "HERMES_MODEL=scripted-model"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := upstreamtest.New(t, upstreamtest.Options{})
			url := serve(t, env(model.URL)...)
			test(t, anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("hermes"), option.WithMaxRetries(0)), model)
		})
	}
}

func inSession(id string) option.RequestOption { return option.WithHeader("X-Hermes-Session-Id", id) }

func asking(messages ...anthropic.MessageParam) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: "hermes", MaxTokens: 100, Messages: messages}
}

func userText(text string) anthropic.MessageParam {
	return anthropic.NewUserMessage(anthropic.NewTextBlock(text))
}

// accumulate reads a stream to its end.
func accumulate(t *testing.T, client *anthropic.Client, params anthropic.MessageNewParams, opts ...option.RequestOption) (m anthropic.Message, err error) {
	t.Helper()
	stream := client.Messages.NewStreaming(t.Context(), params, opts...)
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	return m, stream.Err()
}

func TestMessageAnswers(t *testing.T) {
	t.Parallel()
	claudes(t, func(t *testing.T, client anthropic.Client, model *upstreamtest.Server) {
		model.Queue(upstreamtest.Step{Text: "Hello, Alex.", Usage: &upstreamtest.Usage{Input: 11, Output: 4}})
		var resp *http.Response
		m, err := client.Messages.New(t.Context(), asking(userText("I am Alex.")), inSession("user:alex"), option.WithResponseInto(&resp))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Content) != 1 || m.Content[0].Text != "Hello, Alex." || m.StopReason != anthropic.StopReasonEndTurn || m.Usage.InputTokens != 11 {
			t.Errorf("got %s", m.RawJSON())
		}
		if id := resp.Header.Get("X-Hermes-Session-Id"); id != "user:alex" {
			t.Errorf("got the session %q", id)
		}
		if m.JSON.ExtraFields["hermes"].Raw() == "" {
			t.Errorf("got no hermes in %s", m.RawJSON())
		}
	})
}

func TestMessageToolsOverThreeRounds(t *testing.T) {
	t.Parallel()
	claudes(t, func(t *testing.T, client anthropic.Client, model *upstreamtest.Server) {
		model.Queue(
			upstreamtest.Step{Chunks: []string{"First ", "Oslo."}, ToolCalls: []upstreamtest.ToolCall{{ID: "call_1", Name: "weather", Arguments: `{"city":"Oslo"}`}}},
			upstreamtest.Step{ToolCalls: []upstreamtest.ToolCall{{ID: "call_2", Name: "weather", Arguments: `{"city":"Rome"}`}, {ID: "call_3", Name: "weather", Arguments: `{}`}}},
			upstreamtest.Reply("In Rome."),
		)
		params := asking(userText("Where is it warmer?"))
		params.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "weather", InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{"city": map[string]any{"type": "string"}}}}}}
		var rounds []string
		for range 3 {
			m, err := accumulate(t, &client, params, inSession("trip"))
			if err != nil {
				t.Fatal(err)
			}
			params.Messages = append(params.Messages, m.ToParam())
			var results []anthropic.ContentBlockParamUnion
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					results = append(results, anthropic.NewToolResultBlock(b.ID, "5 degrees in "+string(b.Input), false))
				}
				rounds = append(rounds, b.Type+" "+b.Text+string(b.Input))
			}
			if len(results) > 0 {
				params.Messages = append(params.Messages, anthropic.NewUserMessage(results...))
			}
		}
		want := `text First Oslo.,tool_use {"city":"Oslo"},tool_use {"city":"Rome"},tool_use {},text In Rome.`
		if got := strings.Join(rounds, ","); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if sent := string(model.Last().Body); !strings.Contains(sent, "First Oslo.") || strings.Count(sent, "5 degrees in") != 3 {
			t.Errorf("got %s", sent)
		}
	})
}

func TestMessageImagesAndCount(t *testing.T) {
	t.Parallel()
	claudes(t, func(t *testing.T, client anthropic.Client, model *upstreamtest.Server) {
		look := anthropic.NewUserMessage(anthropic.NewTextBlock("Look."), anthropic.NewImageBlockBase64("image/png", "iVBORw0KGgo="))
		if _, err := client.Messages.New(t.Context(), asking(look)); err != nil {
			t.Fatal(err)
		}
		if sent := string(model.Last().Body); !strings.Contains(sent, "iVBORw0KGgo=") {
			t.Errorf("got %s", sent)
		}
		calls := len(model.Requests())
		n, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: "hermes", Messages: []anthropic.MessageParam{userText("Hello there.")}})
		if err != nil || n.InputTokens < 3 {
			t.Errorf("got %v, %v", n, err)
		}
		if got := len(model.Requests()); got != calls {
			t.Errorf("got %d calls of the model to count tokens", got-calls)
		}
	})
}

func TestMessageErrors(t *testing.T) {
	t.Parallel()
	claudes(t, func(t *testing.T, client anthropic.Client, model *upstreamtest.Server) {
		_, err := client.Messages.New(t.Context(), asking(), inSession("s"))
		failed := &anthropic.Error{}
		if !errors.As(err, &failed) || failed.StatusCode != http.StatusBadRequest || !strings.Contains(failed.RawJSON(), "invalid_request_error") {
			t.Errorf("got %v", err)
		}
		_, err = client.Messages.New(t.Context(), asking(userText("hi")), option.WithAPIKey("wrong"))
		if !errors.As(err, &failed) || failed.StatusCode != http.StatusUnauthorized || failed.RequestID == "" {
			t.Errorf("got %v", err)
		}
		model.Queue(upstreamtest.Step{Text: "half", ErrorMidStream: `{"type":"overloaded_error","message":"Overloaded"}`})
		if m, err := accumulate(t, &client, asking(userText("hi")), inSession("t")); err == nil || len(m.Content) != 1 || m.Content[0].Text != "half" {
			t.Errorf("got %s, %v, want half an answer and an error", m.RawJSON(), err)
		}
	})
}
