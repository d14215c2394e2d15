package openai

import (
	"encoding/json"
	"slices"
)

// JoinCall adds a part of a streamed tool call to the calls gathered so far.
// Parts of one call share an index; id and name come with the first.
func JoinCall(calls []Call, index int, id, name, arguments string) []Call {
	i := slices.IndexFunc(calls, func(c Call) bool { return c.Index == index })
	if i < 0 {
		i = len(calls)
		calls = append(calls, Call{Index: index, Type: "function"})
	}
	if id != "" {
		calls[i].ID = id
	}
	calls[i].Function.Name += name
	calls[i].Function.Arguments += arguments
	return calls
}

// MarshalCalls returns the "tool_calls" array of a whole message.
func MarshalCalls(calls []Call) []byte {
	type whole struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function any    `json:"function"`
	}
	out := make([]whole, len(calls))
	for i, c := range calls {
		out[i] = whole{ID: c.ID, Type: "function", Function: c.Function}
	}
	b, _ := json.Marshal(out) // strings only: cannot fail
	return b
}

// UnmarshalCalls reads a "tool_calls" array; what is none has no calls.
func UnmarshalCalls(raw []byte) []Call {
	var calls []Call
	if len(raw) == 0 || json.Unmarshal(raw, &calls) != nil {
		return nil
	}
	return calls
}
