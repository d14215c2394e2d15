package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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
	// Names name the conversation and the person.
	Names Names
	// Shape is the form of the answer that the client asks for.
	Shape Shape
	// Tools are the tools in the form of chat completions; nil for none.
	Tools []byte
	// OmittedTools and OmittedItems are the types of the tools and of the input items
	// that have no meaning here and were left out, each once.
	OmittedTools, OmittedItems []string
	// Settings are the members that the response repeats.
	Settings ResponseSettings

	hasInput bool

	chat   []Set // the members of the chat request, without messages
	tools  *responseTools
	choice *toolChoice
}

// ParseResponse reads a request of the Responses API. Its errors have type *Problem.
func ParseResponse(body []byte) (*ResponseRequest, error) {
	req, err := parseResponse(body)
	if err == nil && !req.hasInput {
		return nil, errMissing("input")
	}
	return req, err
}

func errMissing(name string) *Problem {
	return &Problem{Param: name, Msg: "Missing required parameter: '" + name + "'."}
}

// parseResponse reads a request that need not have an input.
func parseResponse(body []byte) (*ResponseRequest, error) {
	ms, err := bodyMembers(body)
	if err != nil {
		return nil, err
	}
	req := &ResponseRequest{Store: true}
	for _, m := range ms {
		value := body[m.start:m.end]
		if string(value) == "null" {
			continue // absent
		}
		req.hasInput = req.hasInput || m.name == "input"
		req.Names.read(m.name, value)
		req.Shape.read(m.name, value)
		if err := req.member(m.name, value); err != nil {
			return nil, err
		}
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	req.settle()
	return req, nil
}

// check refuses members that contradict each other.
func (r *ResponseRequest) check() error {
	if r.Previous != "" && r.Conversation != "" {
		return &Problem{
			Param: "previous_response_id", Code: "mutually_exclusive_parameters",
			Msg: "Send either 'previous_response_id' or 'conversation', not both.",
		}
	}
	if r.Background && !r.Store {
		return &Problem{Param: "background", Msg: "A response in the background must be stored: leave 'store' out, or set it to true."}
	}
	return nil
}

// member reads one member of the request.
func (r *ResponseRequest) member(name string, value []byte) (err error) {
	s := &r.Settings
	switch name {
	case "input":
		r.Input, r.OmittedItems, err = parseInput(value)
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
func (r *ResponseRequest) setting(name string, value []byte) error {
	m, ok := settings[name]
	if !ok {
		return r.shape(name, value)
	}
	if err := m.check(value, name); err != nil {
		return err
	}
	*m.place(&r.Settings) = value
	if m.chat != "" {
		r.pass(m.chat, value)
	}
	return nil
}

// shape reads the members that have another form in chat completions, and those without
// a meaning there. Unknown members are passed on.
func (r *ResponseRequest) shape(name string, value []byte) (err error) {
	switch name {
	case "tools":
		r.tools, err = readTools(value)
	case "tool_choice":
		r.choice, err = readToolChoice(value)
	case "text":
		err = r.textFormat(value)
	case "reasoning":
		err = r.reasoning(value)
	case "include":
		if json.Unmarshal(value, new([]string)) != nil {
			err = &Problem{Param: name, Msg: "'include' must be an array of strings."}
		}
	case "prompt":
		err = &Problem{Param: name, Code: "unsupported_parameter", Msg: "Stored prompts are not supported. Send the text in 'instructions' and 'input'."}
	case "client_metadata", "context_management", "generate", "messages", "n", "stream_options", "type":
		// they mean something else to chat completions, or nothing
	default:
		r.pass(name, value)
	}
	return err
}

// settle passes the tools and the choice among them on, once both are known.
func (r *ResponseRequest) settle() {
	if t := r.tools; t != nil {
		r.Tools, r.Settings.Tools, r.OmittedTools = t.chat, t.shown, t.omitted
	}
	if r.Tools != nil {
		r.pass("tools", r.Tools)
	}
	if r.choice != nil {
		r.Settings.ToolChoice = r.choice.shown
		r.pass("tool_choice", r.choice.chat)
	}
	if r.Tools == nil { // upstreams refuse a choice among no tools
		if len(r.OmittedTools) > 0 {
			r.Settings.ToolChoice = nil
		}
		r.chat = slices.DeleteFunc(r.chat, func(s Set) bool { return s.Name == "tool_choice" || s.Name == "parallel_tool_calls" })
	}
	r.Settings.Store = r.Store
	r.Settings.Complete()
}

// reasoning reads how much the model is to reason.
func (r *ResponseRequest) reasoning(value []byte) error {
	var in struct{ Effort, Summary *string }
	bad := &Problem{Param: "reasoning", Msg: "'reasoning' must be an object such as {\"effort\":\"low\"}."}
	if json.Unmarshal(value, &in) != nil || value[0] != '{' {
		return bad
	}
	shown, err := withDefaults(value, Set{"effort", []byte("null")}, Set{"summary", []byte("null")})
	if err != nil {
		return bad
	}
	r.Settings.Reasoning = shown
	if in.Effort != nil {
		r.pass("reasoning_effort", appendString(nil, *in.Effort))
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
	if err != nil || format == nil {
		return err
	}
	r.pass("response_format", format)
	shown, err := withDefaults(in.Format, formatDefaults(in.Format)...)
	if err == nil {
		r.Settings.Text, err = Splice(value, Set{Name: "format", Value: shown})
	}
	if err != nil {
		return bad
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
