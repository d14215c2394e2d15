package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ResponseRequest is a request of the Responses API. The members that chat completions
// also have are translated; see [ResponseRequest.ChatBody].
type ResponseRequest struct {
	Model string
	// Input is the validated input in order.
	Input []Item
	// Instructions are a system message for this request only; "" for none.
	Instructions string
	// Previous is the response to continue, Conversation the session. At most one of
	// them is set.
	Previous     string
	Conversation string
	// Store says that the response is stored; it is the default.
	Store      bool
	Stream     bool
	Background bool
	User       string
	// Tools are the tools in the form of chat completions; nil for none.
	Tools []byte
	// Settings are the members that the response repeats.
	Settings ResponseSettings

	chat []Set // the members of the chat request, without messages
}

// ResponseSettings are the members of a request that its response repeats, as
// JSON, with the defaults filled in.
type ResponseSettings struct {
	Instructions      json.RawMessage `json:"instructions"`
	MaxOutputTokens   json.RawMessage `json:"max_output_tokens"`
	MaxToolCalls      json.RawMessage `json:"max_tool_calls"`
	Metadata          json.RawMessage `json:"metadata"`
	ParallelToolCalls json.RawMessage `json:"parallel_tool_calls"`
	Reasoning         json.RawMessage `json:"reasoning"`
	ServiceTier       json.RawMessage `json:"service_tier,omitempty"`
	Store             bool            `json:"store"`
	Temperature       json.RawMessage `json:"temperature"`
	Text              json.RawMessage `json:"text"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	Tools             json.RawMessage `json:"tools"`
	TopP              json.RawMessage `json:"top_p"`
	Truncation        json.RawMessage `json:"truncation"`
	User              json.RawMessage `json:"user"`
}

func defaultSettings() ResponseSettings {
	null := json.RawMessage("null")
	return ResponseSettings{
		Instructions: null, MaxOutputTokens: null, MaxToolCalls: null, Metadata: json.RawMessage("{}"),
		ParallelToolCalls: json.RawMessage("true"), Reasoning: json.RawMessage(`{"effort":null,"summary":null}`), Store: true,
		Temperature: null, Text: json.RawMessage(`{"format":{"type":"text"}}`), ToolChoice: json.RawMessage(`"auto"`),
		Tools: json.RawMessage("[]"), TopP: null, Truncation: json.RawMessage(`"disabled"`), User: null,
	}
}

// ParseResponse reads a request of the Responses API. Its errors have type *Problem.
func ParseResponse(body []byte) (*ResponseRequest, error) {
	ms, err := bodyMembers(body)
	if err != nil {
		return nil, err
	}
	req := &ResponseRequest{Store: true, Settings: defaultSettings()}
	found := false
	for _, m := range ms {
		value := body[m.start:m.end]
		if m.name == "input" {
			found = true
		} else if string(value) == "null" {
			continue // absent
		}
		if err := req.member(m.name, value); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, &Problem{Param: "input", Msg: "Missing required parameter: 'input'."}
	}
	if req.Previous != "" && req.Conversation != "" {
		return nil, &Problem{
			Param: "previous_response_id", Code: "mutually_exclusive_parameters",
			Msg: "Send either 'previous_response_id' or 'conversation', not both.",
		}
	}
	if req.Background && !req.Store {
		return nil, &Problem{Param: "background", Msg: "A response in the background must be stored: leave 'store' out, or set it to true."}
	}
	req.Settings.Store = req.Store
	return req, nil
}

// member reads one member of the request.
func (r *ResponseRequest) member(name string, value []byte) (err error) {
	s := &r.Settings
	switch name {
	case "input":
		r.Input, err = parseInput(value)
	case "model":
		err = text(value, name, &r.Model)
		r.pass(name, value)
	case "instructions":
		err = text(value, name, &r.Instructions)
		s.Instructions = value
	case "previous_response_id":
		err = text(value, name, &r.Previous)
	case "conversation":
		r.Conversation, err = conversation(value)
	case "store":
		err = boolean(value, name, &r.Store)
	case "stream":
		err = boolean(value, name, &r.Stream)
	case "background":
		err = boolean(value, name, &r.Background)
	case "user":
		err = text(value, name, &r.User)
		s.User = value
		r.pass(name, value)
	default:
		return r.setting(name, value)
	}
	return err
}

// setting reads a member that controls the answer.
func (r *ResponseRequest) setting(name string, value []byte) (err error) {
	s := &r.Settings
	switch name {
	case "tools":
		r.Tools, err = chatTools(value)
		s.Tools = value
		if r.Tools != nil {
			r.pass(name, r.Tools)
		}
	case "tool_choice":
		var choice []byte
		choice, err = chatToolChoice(value)
		s.ToolChoice = value
		r.pass(name, choice)
	case "parallel_tool_calls":
		err = boolean(value, name, new(bool))
		s.ParallelToolCalls = value
		r.pass(name, value)
	case "temperature":
		err = number(value, name)
		s.Temperature = value
		r.pass(name, value)
	case "top_p":
		err = number(value, name)
		s.TopP = value
		r.pass(name, value)
	case "max_output_tokens":
		err = number(value, name)
		s.MaxOutputTokens = value
		r.pass("max_completion_tokens", value)
	case "service_tier":
		s.ServiceTier = value
		r.pass(name, value)
	default:
		return r.shape(name, value)
	}
	return err
}

// shape reads the members that are objects in this API, and those without a meaning
// here. Unknown members are passed on.
func (r *ResponseRequest) shape(name string, value []byte) error {
	s := &r.Settings
	switch name {
	case "text":
		return r.textFormat(value)
	case "reasoning":
		var in struct{ Effort, Summary *string }
		if json.Unmarshal(value, &in) != nil || value[0] != '{' {
			return &Problem{Param: name, Msg: "'reasoning' must be an object such as {\"effort\":\"low\"}."}
		}
		s.Reasoning = value
		if in.Effort != nil {
			r.pass("reasoning_effort", appendString(nil, *in.Effort))
		}
	case "metadata":
		var in map[string]string
		if json.Unmarshal(value, &in) != nil {
			return &Problem{Param: name, Msg: "'metadata' must be an object whose values are strings."}
		}
		s.Metadata = value
	case "truncation":
		if v := string(value); v != `"auto"` && v != `"disabled"` {
			return &Problem{Param: name, Msg: "'truncation' must be \"auto\" or \"disabled\"."}
		}
		s.Truncation = value
	case "max_tool_calls":
		s.MaxToolCalls = value
		return number(value, name)
	case "include":
		if json.Unmarshal(value, new([]string)) != nil {
			return &Problem{Param: name, Msg: "'include' must be an array of strings."}
		}
	case "prompt":
		return &Problem{Param: name, Code: "unsupported_parameter", Msg: "Stored prompts are not supported. Send the text in 'instructions' and 'input'."}
	case "context_management", "messages", "n", "stream_options", "top_logprobs":
		// they mean something else to chat completions, or nothing
	default:
		r.pass(name, value)
	}
	return nil
}

// textFormat reads the format of the text.
func (r *ResponseRequest) textFormat(value []byte) error {
	var in struct {
		Format    json.RawMessage `json:"format"`
		Verbosity *string         `json:"verbosity"`
	}
	bad := &Problem{Param: "text", Msg: "'text' must be an object such as {\"format\":{\"type\":\"text\"}}."}
	if json.Unmarshal(value, &in) != nil || value[0] != '{' {
		return bad
	}
	if in.Verbosity != nil {
		r.pass("verbosity", appendString(nil, *in.Verbosity))
	}
	r.Settings.Text = value
	if in.Format == nil || string(in.Format) == "null" {
		with, err := Splice(value, Set{Name: "format", Value: []byte(`{"type":"text"}`)})
		if err != nil {
			return bad
		}
		r.Settings.Text = with
		return nil
	}
	format, err := chatFormat(in.Format)
	if err != nil {
		return err
	}
	if format != nil {
		r.pass("response_format", format)
	}
	return nil
}

// conversation reads the session that a request names: an id, or an object with an id.
func conversation(value []byte) (string, error) {
	bad := &Problem{Param: "conversation", Msg: "'conversation' must be an id, or an object with an 'id'."}
	id := ""
	if value[0] == '{' {
		var in struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(value, &in) != nil {
			return "", bad
		}
		id = in.ID
	} else if json.Unmarshal(value, &id) != nil {
		return "", bad
	}
	if id == "" {
		return "", bad
	}
	return id, nil
}

func number(value []byte, param string) error {
	if c := value[0]; c != '-' && (c < '0' || c > '9') || bytes.ContainsAny(value, "\"[{") {
		return &Problem{Param: param, Msg: fmt.Sprintf("'%s' must be a number.", param)}
	}
	return nil
}
