package openai

import (
	"bytes"
	"encoding/json"
)

// ToolRules are the tool parameters of a request.
type ToolRules struct {
	// Names are the tools the client offers.
	Names []string
	// Free says that the model may choose its tool calls: the client forces none,
	// forbids none, and does not use the older function parameters.
	Free bool
	// Several says that the client asks for more than one choice.
	Several bool
}

// ReadToolRules reads the tool parameters of a request body; nil means a request
// without any. If the parameters cannot be read, Free is false.
func ReadToolRules(body []byte) ToolRules {
	if body == nil {
		return ToolRules{Free: true}
	}
	var in struct {
		Tools []struct {
			Function struct{ Name string } `json:"function"`
			Custom   struct{ Name string } `json:"custom"`
			Name     string                `json:"name"`
		} `json:"tools"`
		Choice    json.RawMessage `json:"tool_choice"`
		Functions json.RawMessage `json:"functions"`
		N         int             `json:"n"`
	}
	if json.Unmarshal(body, &in) != nil {
		return ToolRules{}
	}
	var r ToolRules
	for _, t := range in.Tools {
		for _, name := range []string{t.Function.Name, t.Custom.Name, t.Name} {
			if name != "" {
				r.Names = append(r.Names, name)
			}
		}
	}
	choice := string(in.Choice)
	r.Free = (choice == "" || choice == "null" || choice == `"auto"`) && (in.Functions == nil || string(in.Functions) == "null")
	r.Several = in.N > 1
	return r
}

// Function is a tool as it is offered to a model.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema
}

// JoinTools returns a "tools" array: the client's tools unchanged, then more.
func JoinTools(client []byte, more []Function) ([]byte, error) {
	out := append([]byte(nil), bytes.TrimSpace(client)...)
	if len(out) < 2 || out[0] != '[' || out[len(out)-1] != ']' {
		out = []byte("[]")
	}
	out = bytes.TrimRight(out[:len(out)-1], " \t\r\n")
	for _, f := range more {
		raw, err := json.Marshal(struct {
			Type     string   `json:"type"`
			Function Function `json:"function"`
		}{"function", f})
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']'), nil
}

// KeepCalls returns the calls of a "tool_calls" array whose ids are wanted, each
// unchanged; nil if none is left.
func KeepCalls(raw []byte, wanted func(id string) bool) []byte {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil
	}
	kept := items[:0]
	for _, item := range items {
		var call struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(item, &call) == nil && wanted(call.ID) {
			kept = append(kept, item)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	out, _ := json.Marshal(kept) // was JSON before: cannot fail
	return out
}

// WithUsage returns a chunk with its usage replaced.
func WithUsage(chunk []byte, u Usage) ([]byte, error) {
	raw, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	return Splice(chunk, Set{Name: "usage", Value: raw})
}
