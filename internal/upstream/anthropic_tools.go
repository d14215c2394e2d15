package upstream

import (
	"cmp"
	"encoding/json"

	"github.com/hermes-memory/hermes/internal/anthropic"
)

// chatTool is a tool that a client offers. A tool of an unknown type is passed on
// unchanged: it may be one of Anthropic's own.
type chatTool struct {
	raw      json.RawMessage
	Type     string `json:"type"`
	Function *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// UnmarshalJSON decodes a tool and keeps its bytes.
func (t *chatTool) UnmarshalJSON(raw []byte) error {
	type plain chatTool
	if err := json.Unmarshal(raw, (*plain)(t)); err != nil {
		return err
	}
	t.raw = append(json.RawMessage(nil), raw...)
	return nil
}

// tool is a tool of the Messages API.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	// CacheControl marks the end of a prefix that the client wants cached.
	CacheControl json.RawMessage `json:"cache_control,omitempty"`
}

func tools(in []chatTool) []any {
	var out []any
	for _, t := range in {
		if t.Function == nil {
			out = append(out, t.raw)
			continue
		}
		schema := t.Function.Parameters
		if len(schema) == 0 || schema[0] != '{' || string(schema) == "{}" {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, tool{Name: t.Function.Name, Description: t.Function.Description, InputSchema: schema})
	}
	return out
}

// toolsOfThePast are the tools that earlier turns have called. The API refuses a
// conversation with calls unless some tools are defined, even if the client no longer
// offers any.
func toolsOfThePast(turns []turn) []any {
	var out []any
	seen := make(map[string]bool)
	for i := range turns {
		for _, b := range turns[i].Content {
			if b.Type == "tool_use" && !seen[b.Name] {
				seen[b.Name] = true
				out = append(out, tool{Name: b.Name, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
			}
		}
	}
	return out
}

// choiceOf translates tool_choice and parallel_tool_calls; nil is the default
// of both APIs: the model decides, and may call several at once.
func choiceOf(raw json.RawMessage, parallel *bool) *anthropic.ToolChoice {
	var word string
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw, &word)  // either of the two,
	_ = json.Unmarshal(raw, &named) // or neither
	name := cmp.Or(named.Function.Name, named.Name)
	var c *anthropic.ToolChoice
	if name != "" {
		c = &anthropic.ToolChoice{Type: "tool", Name: name}
	} else if kind := anthropic.ChoiceOf(word); kind != "" {
		c = &anthropic.ToolChoice{Type: kind}
	}
	if word == "none" {
		return c
	}
	if parallel != nil && !*parallel {
		if c == nil {
			c = &anthropic.ToolChoice{Type: "auto"}
		}
		c.Disabled = true
	}
	return c
}
