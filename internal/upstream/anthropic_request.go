package upstream

import (
	"encoding/json"
	"slices"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/run"
)

// defaultMaxTokens is the length limit of an answer when the client sets none: the API
// requires a number.
const defaultMaxTokens = 4096

// chatParams is what is read of a chat completion request.
type chatParams struct {
	Messages            []chatMessage   `json:"messages"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                *int            `json:"top_k"`
	Stop                json.RawMessage `json:"stop"`
	User                string          `json:"user"`
	N                   int             `json:"n"`
	Tools               []chatTool      `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
}

// messagesBody is a request of the Messages API.
type messagesBody struct {
	Model         string                `json:"model"`
	MaxTokens     int                   `json:"max_tokens"`
	System        any                   `json:"system,omitempty"` // a text, or blocks
	Messages      []turn                `json:"messages"`
	Stream        bool                  `json:"stream,omitempty"`
	Temperature   *float64              `json:"temperature,omitempty"`
	TopP          *float64              `json:"top_p,omitempty"`
	TopK          *int                  `json:"top_k,omitempty"`
	StopSequences []string              `json:"stop_sequences,omitempty"`
	Metadata      *metadata             `json:"metadata,omitempty"`
	Tools         []any                 `json:"tools,omitempty"`
	ToolChoice    *anthropic.ToolChoice `json:"tool_choice,omitempty"`

	Thinking     json.RawMessage `json:"thinking,omitempty"`
	OutputConfig json.RawMessage `json:"output_config,omitempty"`
	ServiceTier  string          `json:"service_tier,omitempty"`
	CacheControl json.RawMessage `json:"cache_control,omitempty"`
}

type metadata struct {
	UserID string `json:"user_id"`
}

// messagesRequest translates a prompt.
func messagesRequest(p *run.Prompt, model string) ([]byte, error) {
	in, err := paramsOf(p)
	if err != nil {
		return nil, unreadable(err)
	}
	if in.N > 1 {
		return nil, fault.New(fault.Invalid, "unsupported_parameter", "This model gives one answer: 'n' must be 1.").At("n")
	}
	system, turns, err := conversation(in.Messages)
	if err != nil {
		return nil, err
	}
	out := messagesBody{
		Model: model, Messages: turns, Stream: p.Streaming,
		MaxTokens: in.limit(), Temperature: in.Temperature, TopP: in.TopP, TopK: in.TopK,
		StopSequences: in.stops(),
	}
	if out.Temperature != nil && *out.Temperature > 1 {
		hottest := 1.0 // OpenAI's scale goes to 2, this one's to 1
		out.Temperature = &hottest
	}
	if in.User != "" {
		out.Metadata = &metadata{UserID: in.User}
	}
	out.Tools = tools(in.Tools)
	if len(out.Tools) > 0 {
		out.ToolChoice = choiceOf(in.ToolChoice, in.ParallelToolCalls)
	} else if out.Tools = toolsOfThePast(turns); len(out.Tools) > 0 {
		out.ToolChoice = &anthropic.ToolChoice{Type: "none"}
	}
	if err := out.add(p.Extras, system); err != nil {
		return nil, unreadable(err)
	}
	data, err := json.Marshal(&out)
	if err != nil {
		return nil, unreadable(err)
	}
	return data, nil
}

// add adds the settings that chat completions lack, and the system prompt with its marks.
func (b *messagesBody) add(extras []byte, system string) error {
	if system != "" {
		b.System = system
	}
	if extras == nil {
		return nil
	}
	var in anthropic.Extras
	if err := json.Unmarshal(extras, &in); err != nil {
		return err
	}
	b.OutputConfig, b.ServiceTier, b.CacheControl = in.OutputConfig, in.ServiceTier, in.CacheControl
	if in.Cache != nil {
		b.mark(in.Cache, system)
	}
	if in.TopK != nil {
		b.TopK = in.TopK
	}
	if !b.goesOn() {
		b.Thinking = in.Thinking
	}
	return nil
}

// goesOn reports whether the last turn holds results of tools. The answer then goes on
// with the answer that made the calls, and the API takes no thinking unless the thoughts of
// that answer are sent back. They are signed, and this server does not keep them.
func (b *messagesBody) goesOn() bool {
	last := &b.Messages[len(b.Messages)-1]
	return slices.ContainsFunc(last.Content, func(c block) bool { return c.Type == "tool_result" })
}

// paramsOf reads what a prompt asks for.
func paramsOf(p *run.Prompt) (in chatParams, err error) {
	if p.Body != nil {
		if err := json.Unmarshal(p.Body, &in); err != nil {
			return in, err
		}
	}
	if p.Tools != nil {
		in.Tools = nil
		if err := json.Unmarshal(p.Tools, &in.Tools); err != nil {
			return in, err
		}
	}
	if p.NoCalls {
		in.ToolChoice = json.RawMessage(`"none"`)
	}
	if p.Raw && p.Body != nil {
		return in, nil
	}
	in.Messages = make([]chatMessage, len(p.Messages))
	for i := range p.Messages {
		if err := in.Messages[i].from(&p.Messages[i]); err != nil {
			return in, err
		}
	}
	return in, nil
}

func unreadable(err error) error {
	return fault.Wrap(fault.Invalid, "", "The request cannot be translated for the upstream model server: a parameter is of the wrong type.", err)
}

func (p *chatParams) limit() int {
	for _, n := range []int{p.MaxCompletionTokens, p.MaxTokens} {
		if n > 0 {
			return n
		}
	}
	return defaultMaxTokens
}

// stops reads stop sequences: one text, or several. The API refuses those that
// are only white space.
func (p *chatParams) stops() []string {
	var one string
	var several []string
	if json.Unmarshal(p.Stop, &one) == nil {
		several = []string{one}
	} else {
		_ = json.Unmarshal(p.Stop, &several) // of another type: none
	}
	var out []string
	for _, s := range several {
		if !blank(s) {
			out = append(out, s)
		}
	}
	return out
}
