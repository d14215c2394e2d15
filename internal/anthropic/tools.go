package anthropic

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// wireTool is a tool as a client sends it. A tool without a type, or of type "custom", is
// the client's own. Tools of other types are hosted: they run at the provider, or need a
// model that was made for them.
type wireTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema jsontext.Value `json:"input_schema"`
	// CacheControl marks the end of a prefix that the client wants cached.
	CacheControl jsontext.Value `json:"cache_control"`
}

// hosted is the type of a hosted tool; "" for a tool of the client.
func (t *wireTool) hosted() string {
	if t.Type == "custom" {
		return ""
	}
	return t.Type
}

func (t *wireTool) check(i int) *Problem {
	switch {
	case t.hosted() != "":
		return nil
	case t.Name == "":
		return at(fmt.Sprintf("tools.%d.name", i), "Field required")
	case len(t.InputSchema) == 0 || t.InputSchema.Kind() != '{':
		return at(fmt.Sprintf("tools.%d.input_schema", i), "an object is required")
	}
	return nil
}

// chatTool is a tool in the form of chat completions.
type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
}

// chatTools are the client's own tools.
func chatTools(in []wireTool) (out []chatTool) {
	for i := range in {
		if t := &in[i]; t.hosted() == "" {
			out = append(out, chatTool{"function", chatFunction{t.Name, t.Description, t.InputSchema}})
		}
	}
	return out
}

// chatChoice is a tool choice in the form of chat completions; nil for none. A choice of
// a tool that is left out means "auto".
func chatChoice(c *ToolChoice, offered []chatTool) any {
	if c == nil || len(offered) == 0 {
		return nil
	}
	for _, known := range choices {
		if c.Type == known.ours {
			return known.chat
		}
	}
	for i := range offered {
		if offered[i].Function.Name == c.Name && c.Type == "tool" {
			return chatTool{"function", chatFunction{Name: c.Name}}
		}
	}
	return "auto"
}
