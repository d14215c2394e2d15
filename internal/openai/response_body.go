package openai

import (
	"encoding/json"
	"slices"
	"strconv"
)

// pass adds a member to the chat completion request.
func (r *ResponseRequest) pass(name string, value []byte) {
	if i := indexSet(r.chat, name); i >= 0 {
		r.chat[i].Value = value
		return
	}
	r.chat = append(r.chat, Set{Name: name, Value: value})
}

// ChatBody is the request as a chat completion, streaming or not, with the given
// messages. With nil it has no messages, and the caller inserts them.
func (r *ResponseRequest) ChatBody(messages []Message, stream bool) []byte {
	b := []byte(`{"stream":`)
	b = strconv.AppendBool(b, stream)
	if stream {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	for _, s := range r.chat {
		b = append(append(appendString(append(b, ','), s.Name), ':'), s.Value...)
	}
	if messages != nil {
		b = append(b, `,"messages":[`...)
		for i := range messages {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, messages[i].Raw...)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// chatFormat is a text format in the form of chat completions; nil for plain text.
func chatFormat(value []byte) ([]byte, error) {
	var in struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(value, &in) != nil {
		in.Type = ""
	}
	switch in.Type {
	case "text":
		return nil, nil
	case "json_object":
		return []byte(`{"type":"json_object"}`), nil
	case "json_schema":
		schema, err := Splice(value, Set{Name: "type"})
		if err != nil {
			return nil, &Problem{Param: "text.format", Msg: "'text.format' must be an object."}
		}
		return append(append([]byte(`{"type":"json_schema","json_schema":`), schema...), '}'), nil
	}
	return nil, &Problem{Param: "text.format", Msg: "'text.format' must be an object whose 'type' is text, json_object or json_schema."}
}

// formatDefaults are the members that a text format is shown with.
func formatDefaults(format []byte) []Set {
	var in struct{ Type string }
	if json.Unmarshal(format, &in) == nil && in.Type == "json_schema" {
		return []Set{{"description", []byte("null")}, {"strict", []byte("false")}}
	}
	return nil
}

// withDefaults adds the members that a JSON object lacks.
func withDefaults(object []byte, defaults ...Set) ([]byte, error) {
	ms, err := members(object)
	if err != nil {
		return nil, err
	}
	var missing []Set
	for _, d := range defaults {
		i := slices.IndexFunc(ms, func(m member) bool { return m.name == d.Name })
		if i < 0 || string(object[ms[i].start:ms[i].end]) == "null" {
			missing = append(missing, d)
		}
	}
	return Splice(object, missing...)
}
