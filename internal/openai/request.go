package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ChatRequest is the part of a chat completion request that this program uses.
// Everything else stays in Body and is forwarded unchanged.
type ChatRequest struct {
	Body     []byte
	Model    string
	Messages []Message
	Stream   bool
	// IncludeUsage is stream_options.include_usage.
	IncludeUsage bool
	// Tools is the raw value of "tools" (or of the older "functions"); nil if absent.
	// It counts against the context budget.
	Tools []byte
	// Names name the conversation and the person.
	Names Names
	// Shape is the form of the answer that the client asks for.
	Shape Shape
}

// Rest is the body with an empty list of messages, for callers that insert their own.
// It keeps no reference to the messages' texts.
func (r *ChatRequest) Rest() []byte {
	ms, _ := members(r.Body) // it was parsed before
	for _, m := range ms {
		if m.name == "messages" {
			return slices.Concat(r.Body[:m.start], []byte("[]"), r.Body[m.end:])
		}
	}
	return r.Body
}

// Message is one message of a request or an answer.
type Message struct {
	Role string
	Name string
	// Text is the content. If the content is a list of parts, it is their texts joined
	// by newlines.
	Text       string
	ToolCalls  []byte // raw JSON array, nil when absent or empty
	ToolCallID string
	// Raw is the unchanged message.
	Raw []byte
	// Plain says that the other fields hold all content of Raw.
	Plain bool
}

// Problem is an error in a request, in words for the sender.
type Problem struct {
	Param string // the wrong part, such as "messages[2].content"
	Code  string // stable name; "" for a plain invalid request
	Msg   string
}

// Error returns the message.
func (p *Problem) Error() string { return p.Msg }

// Limits of a request. OpenAI's own are not published. These bound memory and time, and
// no known client reaches them.
const (
	maxMessages = 10_000
	maxDepth    = 64
)

// bodyMembers are the members of a request's body. Its errors have type *Problem.
func bodyMembers(body []byte) ([]member, error) {
	if depth(body) > maxDepth {
		return nil, &Problem{Msg: fmt.Sprintf("The JSON body is nested deeper than %d levels.", maxDepth)}
	}
	ms, err := members(body)
	if err != nil {
		return nil, &Problem{Msg: "Could not read the request body as JSON: " + explain(err) + "."}
	}
	return ms, nil
}

// ParseChat reads a chat completion request. Its errors have type *Problem.
func ParseChat(body []byte) (*ChatRequest, error) {
	ms, err := bodyMembers(body)
	if err != nil {
		return nil, err
	}
	req := &ChatRequest{Body: body}
	found := false
	for _, m := range ms {
		value := body[m.start:m.end]
		switch m.name {
		case "model":
			err = text(value, "model", &req.Model)
		case "messages":
			found = true
			req.Messages, err = parseMessages(value)
		case "stream":
			err = boolean(value, "stream", &req.Stream)
		case "stream_options":
			var opt struct {
				IncludeUsage bool `json:"include_usage"`
			}
			if json.Unmarshal(value, &opt) != nil {
				err = &Problem{Param: "stream_options", Msg: "'stream_options' must be an object."}
			}
			req.IncludeUsage = opt.IncludeUsage
		case "tools", "functions":
			if value[0] == '[' && len(bytes.TrimSpace(value[1:])) > 1 {
				req.Tools = value
			}
		}
		req.Names.read(m.name, value)
		req.Shape.read(m.name, value)
		if err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, &Problem{Param: "messages", Msg: "Missing required parameter: 'messages'."}
	}
	return req, nil
}

func parseMessages(raw []byte) ([]Message, error) {
	items, err := Elements(raw)
	if err != nil || len(items) == 0 {
		return nil, &Problem{Param: "messages", Msg: "'messages' must be a non-empty array of messages."}
	}
	if len(items) > maxMessages {
		return nil, &Problem{Param: "messages", Msg: fmt.Sprintf("'messages' holds more than %d messages.", maxMessages)}
	}
	out := make([]Message, len(items))
	var s objectReader
	for i, item := range items {
		m, err := s.message(item)
		if err != nil {
			err.Param = fmt.Sprintf("messages[%d]%s", i, err.Param)
			err.Msg = fmt.Sprintf("messages[%d]: %s", i, err.Msg)
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

// ParseMessage reads one message. Param of its problem starts with a dot; it is empty
// if the message as a whole is wrong.
func ParseMessage(raw []byte) (Message, *Problem) { return new(objectReader).message(raw) }

func (s *objectReader) message(raw []byte) (Message, *Problem) {
	m := Message{Raw: raw, Plain: true}
	ms, err := s.members(raw)
	if err != nil {
		return m, &Problem{Msg: "a message must be a JSON object"}
	}
	said := false
	for _, f := range ms {
		value := raw[f.start:f.end]
		if string(value) == "null" {
			continue
		}
		said = said || f.name == "content" && !emptyList(value)
		var problem *Problem
		switch f.name {
		case "role":
			problem = field(value, ".role", &m.Role)
		case "name":
			problem = field(value, ".name", &m.Name)
		case "tool_call_id":
			problem = field(value, ".tool_call_id", &m.ToolCallID)
		case "content":
			m.Text, m.Plain, problem = parseContent(value, m.Plain)
		case "tool_calls":
			if value[0] != '[' {
				problem = &Problem{Param: ".tool_calls", Msg: "'tool_calls' must be an array"}
			} else if len(bytes.TrimSpace(value[1:])) > 1 {
				m.ToolCalls, problem = value, checkCalls(value)
			}
		default:
			m.Plain = false
		}
		if problem != nil {
			return m, problem
		}
	}
	if problem := checkRole(&m); problem != nil {
		return m, problem
	}
	return m, checkSaid(&m, said)
}

// emptyList reports whether a JSON value is an empty list.
func emptyList(value []byte) bool {
	return value[0] == '[' && len(bytes.TrimSpace(value[1:])) == 1
}

// checkSaid refuses a message without content, because no model would accept it. An
// answer may consist of calls, or of members in its raw form only, such as a refusal. A
// result of the older role "function" may be null.
func checkSaid(m *Message, said bool) *Problem {
	switch {
	case said, m.Role == "function", m.Role == "assistant" && (m.ToolCalls != nil || !m.Plain):
		return nil
	}
	return &Problem{Param: ".content", Msg: "a message of role '" + m.Role + "' needs 'content'"}
}

// ParseStored is ParseMessage for a message from another source than a request body:
// its nesting has not been checked yet.
func ParseStored(raw []byte) (Message, *Problem) {
	if depth(raw) > maxDepth {
		return Message{}, &Problem{Msg: fmt.Sprintf("a message is nested deeper than %d levels", maxDepth)}
	}
	return ParseMessage(raw)
}

// checkCalls refuses invalid tool calls.
func checkCalls(raw []byte) *Problem {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // known to be an array
	for _, item := range items {
		if item[0] != '{' {
			return &Problem{Param: ".tool_calls", Msg: "a tool call must be an object"}
		}
	}
	return nil
}

func checkRole(m *Message) *Problem {
	switch m.Role {
	case "system", "developer", "user", "assistant", "function":
		return nil
	case "tool":
		if m.ToolCallID == "" {
			return &Problem{Param: ".tool_call_id", Msg: "a message of role 'tool' needs a 'tool_call_id'"}
		}
		return nil
	case "":
		return &Problem{Param: ".role", Msg: "the message has no 'role'"}
	}
	return &Problem{Param: ".role", Msg: "'role' must be one of system, developer, user, assistant, tool, function"}
}

// parseContent reads a content value: a text, or the text of content parts.
func parseContent(value []byte, plain bool) (string, bool, *Problem) {
	if value[0] == '"' {
		s, err := unquoted(value)
		if err != nil {
			return "", false, &Problem{Param: ".content", Msg: "'content' is not a valid string"}
		}
		return s, plain, nil
	}
	parts, err := Elements(value)
	if err != nil {
		return "", false, &Problem{Param: ".content", Msg: "'content' must be a string or an array of content parts"}
	}
	var texts []string
	for _, raw := range parts {
		kind, text := readPart(raw)
		if kind == "" {
			return "", false, &Problem{Param: ".content", Code: "invalid_content_part", Msg: "a content part must be an object with a 'type'"}
		}
		if !isTextPart(kind) {
			continue
		}
		if text == nil {
			return "", false, &Problem{Param: ".content", Code: "invalid_content_part", Msg: "a content part of type '" + kind + "' needs a 'text'"}
		}
		if *text != "" {
			texts = append(texts, *text)
		}
	}
	return strings.Join(texts, "\n"), false, nil
}

// readPart reads a content part. Names are case-sensitive: to a model server "Text" is
// not "text". text is nil if the part has none.
func readPart(raw []byte) (kind string, text *string) {
	s := scanner{text: raw}
	if s.peek() != '{' {
		return "", nil
	}
	wrong := false
	str := func() string {
		wrong = wrong || s.peek() != '"' && s.peek() != 'n' // null counts as absent
		return s.str()
	}
	s.object(func(name []byte) {
		switch string(name) {
		case "type":
			kind = str()
		case "text":
			if text = nil; s.peek() == '"' {
				text = new(string)
				*text = s.str()
			} else {
				_ = str()
			}
		default:
			s.skip()
		}
	})
	if wrong {
		return "", nil
	}
	return kind, text
}

// unquoted is the text of a valid JSON string.
func unquoted(value []byte) (s string, err error) {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1]), nil // the usual case without escapes: one copy
	}
	err = json.Unmarshal(value, &s)
	return s, err
}

func field(value []byte, param string, into *string) *Problem {
	err := errSyntax
	if value[0] == '"' {
		*into, err = unquoted(value)
	}
	if err != nil {
		return &Problem{Param: param, Msg: fmt.Sprintf("'%s' must be a string", param[1:])}
	}
	return nil
}

func text(value []byte, param string, into *string) error {
	if json.Unmarshal(value, into) != nil {
		return &Problem{Param: param, Msg: fmt.Sprintf("'%s' must be a string.", param)}
	}
	return nil
}

func boolean(value []byte, param string, into *bool) error {
	if json.Unmarshal(value, into) != nil {
		return &Problem{Param: param, Msg: fmt.Sprintf("'%s' must be true or false.", param)}
	}
	return nil
}

// depth is the nesting depth of a JSON text, found without parsing.
func depth(body []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// explain shortens a syntax error for the sender.
func explain(err error) string {
	msg := strings.TrimPrefix(err.Error(), "jsontext: ")
	if msg == "EOF" || msg == "unexpected EOF" {
		return "it ends too early"
	}
	return msg
}
