package anthropic

import (
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/go-json-experiment/json/jsontext"
)

// chatBody is the body of a chat completion.
type chatBody struct {
	Model          string         `json:"model"`
	Messages       []chatMessage  `json:"messages"`
	Stream         bool           `json:"stream"`
	StreamOptions  *streamOptions `json:"stream_options,omitzero"`
	MaxTokens      int            `json:"max_completion_tokens,omitzero"`
	Temperature    *float64       `json:"temperature,omitzero"`
	TopP           *float64       `json:"top_p,omitzero"`
	Stop           []string       `json:"stop,omitempty"`
	User           string         `json:"user,omitempty"`
	Tools          []chatTool     `json:"tools,omitempty"`
	ToolChoice     any            `json:"tool_choice,omitzero"`
	Parallel       *bool          `json:"parallel_tool_calls,omitzero"`
	ResponseFormat *format        `json:"response_format,omitzero"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// format is the form that an answer must have.
type format struct {
	Type   string     `json:"type"`
	Schema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string         `json:"name"`
	Strict bool           `json:"strict"`
	Schema jsontext.Value `json:"schema"`
}

// ChatBody is the request as the body of a chat completion, for the model and with the
// limit of the fields of r. A limit of 0 leaves the length of the answer to the model.
func (r *Request) ChatBody() ([]byte, error) {
	in := &r.in
	out := chatBody{
		Model: r.Model, Messages: r.said.chat(), Stream: r.Stream, MaxTokens: r.MaxTokens,
		Temperature: in.Temperature, TopP: in.TopP, Stop: in.StopSequences,
		Tools: chatTools(in.Tools), ResponseFormat: r.format(),
	}
	if r.Stream {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if _, isSession := r.session(); !isSession {
		out.User = r.UserID
	}
	out.ToolChoice = chatChoice(in.ToolChoice, out.Tools)
	if in.ToolChoice != nil && in.ToolChoice.Disabled && out.Tools != nil {
		out.Parallel = new(bool)
	}
	return jsonv2.Marshal(&out, jsonv2.Deterministic(true))
}

// chat are the messages, with all instructions in one message at the beginning.
func (c *conversation) chat() []chatMessage {
	if c.system == nil {
		return c.messages
	}
	first := chatMessage{Role: "system", Content: joined(c.system)}
	return append([]chatMessage{first}, c.messages...)
}

// format is the form of the answer that output_config asks for; nil for none.
func (r *Request) format() *format {
	var in struct {
		Format struct {
			Type   string         `json:"type"`
			Schema jsontext.Value `json:"schema"`
		} `json:"format"`
	}
	if jsonv2.Unmarshal(r.in.OutputConfig, &in) != nil || in.Format.Type != "json_schema" || in.Format.Schema.Kind() != '{' {
		return nil
	}
	return &format{"json_schema", jsonSchema{Name: "answer", Strict: true, Schema: in.Format.Schema}}
}
