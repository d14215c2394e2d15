package openai

import (
	"bytes"
	"encoding/json"
	"slices"
)

// JoinCall adds a part of a streamed tool call to the calls gathered so far. All parts
// of a call share an index; only the first has an id and a name.
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

// UnmarshalCalls reads a "tool_calls" array; anything else has no calls.
func UnmarshalCalls(raw []byte) []Call {
	var calls []Call
	if len(raw) == 0 || json.Unmarshal(raw, &calls) != nil {
		return nil
	}
	return calls
}

// CallName identifies a call, so that it can be paired with its result.
type CallName struct {
	ID, Name string
	// Older says that the call is a "function_call", which has no id.
	Older bool
}

// CallNames reads the ids and names of a "tool_calls" array. An id or name that is not
// a string is left empty; anything but an array has no calls.
func CallNames(raw []byte) []CallName {
	if len(raw) == 0 {
		return nil
	}
	s := scanner{text: raw}
	var out []CallName
	s.array(func() {
		var c CallName
		s.object(func(name []byte) {
			switch string(name) {
			case "id":
				c.ID = s.str()
			case "function", "custom":
				s.object(func(name []byte) {
					if string(name) == "name" {
						c.Name = s.str()
					} else {
						s.skip()
					}
				})
			default:
				s.skip()
			}
		})
		out = append(out, c)
	})
	if s.end(); s.bad {
		return nil
	}
	return out
}

// RenameCalls returns the calls of a "tool_calls" array with the given ids, one for
// each call, and otherwise unchanged. A call whose id is "" is left out; without calls
// the result is nil.
func RenameCalls(raw []byte, ids []string) []byte {
	items, err := Elements(raw)
	if err != nil || len(items) != len(ids) {
		return nil
	}
	var out []byte
	for i, item := range items {
		if ids[i] == "" {
			continue
		}
		id, _ := json.Marshal(ids[i]) // a text: cannot fail
		if item, err = WithMember(item, "id", id); err != nil {
			return nil
		}
		out = append(append(out, ','), item...)
	}
	if out == nil {
		return nil
	}
	out[0] = '['
	return append(out, ']')
}

// HasFunctionCall reports whether a message makes a call in the older form
// "function_call".
func HasFunctionCall(message []byte) bool {
	if !bytes.Contains(message, []byte(`"function_call"`)) {
		return false
	}
	var m struct {
		Call *struct{} `json:"function_call"`
	}
	return json.Unmarshal(message, &m) == nil && m.Call != nil
}

// Respell is [Splice] for the raw form of a message, which may be nil. A form that
// cannot be spliced becomes nil.
func Respell(message []byte, sets ...Set) []byte {
	if len(message) == 0 {
		return nil
	}
	out, err := Splice(message, sets...)
	if err != nil {
		return nil
	}
	return out
}
