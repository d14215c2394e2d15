package openai

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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

// chatTools is a list of tools in the form of chat completions; nil for none.
func chatTools(value []byte) ([]byte, error) {
	var tools []json.RawMessage
	if json.Unmarshal(value, &tools) != nil {
		return nil, &Problem{Param: "tools", Msg: "'tools' must be an array of tools."}
	}
	if len(tools) == 0 {
		return nil, nil
	}
	out := []byte{'['}
	for i, raw := range tools {
		var in struct{ Type, Name string }
		param := fmt.Sprintf("tools[%d]", i)
		if json.Unmarshal(raw, &in) != nil || raw[0] != '{' {
			return nil, &Problem{Param: param, Msg: param + ": a tool must be an object."}
		}
		if in.Type != "function" {
			return nil, &Problem{
				Param: param + ".type", Code: "unsupported_tool",
				Msg: param + ": only tools of type 'function' are supported. They run in the client.",
			}
		}
		if in.Name == "" {
			return nil, &Problem{Param: param + ".name", Msg: param + ": a function needs a 'name'."}
		}
		function, err := Splice(raw, Set{Name: "type"})
		if err != nil {
			return nil, &Problem{Param: param, Msg: param + ": a tool must be an object."}
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, `{"type":"function","function":`...), function...), '}')
	}
	return append(out, ']'), nil
}

// chatToolChoice is a tool choice in the form of chat completions.
func chatToolChoice(value []byte) ([]byte, error) {
	switch v := string(value); v {
	case `"auto"`, `"none"`, `"required"`:
		return value, nil
	}
	var in struct {
		Type, Name, Mode string
		Tools            []struct{ Type, Name string }
	}
	if value[0] != '{' || json.Unmarshal(value, &in) != nil {
		in.Type = ""
	}
	switch {
	case in.Type == "function" && in.Name != "":
		return append(appendString([]byte(`{"type":"function","function":{"name":`), in.Name), "}}"...), nil
	case in.Type == "allowed_tools" && in.Mode != "":
		names := make([]string, len(in.Tools))
		for i, t := range in.Tools {
			names[i] = `{"type":"function","function":{"name":` + string(appendString(nil, t.Name)) + "}}"
		}
		return append(appendString([]byte(`{"type":"allowed_tools","allowed_tools":{"mode":`), in.Mode), `,"tools":[`+strings.Join(names, ",")+"]}}"...), nil
	}
	return nil, &Problem{
		Param: "tool_choice",
		Msg:   "'tool_choice' must be auto, none, required, a function such as {\"type\":\"function\",\"name\":\"f\"}, or allowed_tools.",
	}
}
