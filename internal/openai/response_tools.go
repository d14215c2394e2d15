package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Clients offer tools of several types. Chat completions know functions alone:
//
//	function   is passed on
//	namespace  its functions are passed on, under names that begin with its name
//	custom     becomes a function with one text, its input
//	others     run at a provider or need its model; they are left out

// responseTools are the tools of a request.
type responseTools struct {
	chat    []byte          // in the form of chat completions; nil for none
	shown   json.RawMessage // as the response repeats them, without those left out
	omitted []string        // the types of those left out, each once
}

// wireTool is a tool as a client sends it.
type wireTool struct {
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tools       []json.RawMessage `json:"tools"`
	Format      struct {
		Type       string `json:"type"`
		Syntax     string `json:"syntax"`
		Definition string `json:"definition"`
	} `json:"format"`
}

// readTools reads a list of tools.
func readTools(value []byte) (*responseTools, error) {
	var tools []json.RawMessage
	if json.Unmarshal(value, &tools) != nil {
		return nil, &Problem{Param: "tools", Msg: "'tools' must be an array of tools."}
	}
	t := &responseTools{}
	shown, err := t.readAll(tools, "tools", "")
	if err != nil {
		return nil, err
	}
	t.shown = shown
	if t.chat != nil {
		t.chat = append(t.chat, ']')
	}
	return t, nil
}

// readAll reads the tools of a list, and returns the list as it is shown.
func (t *responseTools) readAll(tools []json.RawMessage, param, namespace string) (json.RawMessage, error) {
	all := []byte{'['}
	for i, raw := range tools {
		shown, problem := t.read(raw, namespace)
		if problem != nil {
			problem.Param = fmt.Sprintf("%s[%d]%s", param, i, problem.Param)
			problem.Msg = fmt.Sprintf("%s[%d]: %s", param, i, problem.Msg)
			return nil, problem
		}
		if shown == nil {
			continue
		}
		if len(all) > 1 {
			all = append(all, ',')
		}
		all = append(all, shown...)
	}
	return append(all, ']'), nil
}

// read reads one tool. The tool as it is shown is nil if it is left out. Param of its
// problem starts with a dot.
func (t *responseTools) read(raw json.RawMessage, namespace string) (shown []byte, problem *Problem) {
	var in wireTool
	if raw[0] != '{' || json.Unmarshal(raw, &in) != nil {
		return nil, &Problem{Msg: "a tool must be an object with a 'type'."}
	}
	switch {
	case in.Type == "":
		return nil, &Problem{Param: ".type", Msg: "a tool needs a 'type'."}
	case in.Type != "function" && in.Type != "custom" && (in.Type != "namespace" || namespace != ""):
		t.omitted = appendOnce(t.omitted, in.Type)
		return nil, nil
	case in.Name == "":
		return nil, &Problem{Param: ".name", Msg: "a tool of type '" + in.Type + "' needs a 'name'."}
	}
	var err error
	switch in.Type {
	case "function":
		shown, err = t.function(raw, chatName(namespace, in.Name))
	case "custom":
		shown = raw
		t.offer(in.asFunction(chatName(namespace, in.Name)))
	default:
		var inner json.RawMessage
		if inner, err = t.readAll(in.Tools, ".tools", in.Name); err == nil {
			shown, err = Splice(raw, Set{"tools", inner})
		}
	}
	if inner, ok := errors.AsType[*Problem](err); ok {
		return nil, inner
	} else if err != nil {
		return nil, &Problem{Msg: "a tool must be an object with a 'type'."}
	}
	return shown, nil
}

// function offers a function under a name, and returns it as it is shown.
func (t *responseTools) function(raw []byte, name string) ([]byte, error) {
	function, err := Splice(raw, Set{Name: "type"}, Set{"name", appendString(nil, name)})
	if err != nil {
		return nil, err
	}
	t.offer(function)
	// Chat completions do not hold a function to its parameters unless they are told to.
	return withDefaults(raw, Set{"description", []byte("null")}, Set{"parameters", []byte("null")}, Set{"strict", []byte("false")})
}

// offer adds a function to the tools of the chat completion.
func (t *responseTools) offer(function []byte) {
	if t.chat == nil {
		t.chat = []byte{'['}
	} else {
		t.chat = append(t.chat, ',')
	}
	t.chat = append(append(append(t.chat, `{"type":"function","function":`...), function...), '}')
}

// asFunction is a custom tool as a function with one text.
func (in *wireTool) asFunction(name string) []byte {
	input := "The whole input of the tool, as plain text."
	if in.Format.Type == "grammar" {
		input += " It must follow this grammar (" + in.Format.Syntax + "):\n" + in.Format.Definition
	}
	b := appendString([]byte(`{"name":`), name)
	if in.Description != "" {
		b = appendString(append(b, `,"description":`...), in.Description)
	}
	b = append(b, `,"parameters":{"type":"object","properties":{"input":{"type":"string","description":`...)
	return append(appendString(b, input), `}},"required":["input"],"additionalProperties":false}}`...)
}

// customArguments are the arguments of the function that stands for a custom tool.
func customArguments(input string) string {
	return string(append(appendString([]byte(`{"input":`), input), '}'))
}

// customInput is the input of a custom tool. A model that wrote no JSON object has
// written the input itself.
func customInput(arguments string) string {
	var in struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &in) != nil || in.Input == nil {
		return arguments
	}
	return *in.Input
}

// maxName is the longest name of a function in a chat completion, in bytes.
const maxName = 64

// chatName is the name in a chat completion of a tool of a namespace; "" means none.
func chatName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	between := "__"
	if strings.HasSuffix(namespace, "_") {
		between = ""
	}
	whole := namespace + between + name
	if len(whole) <= maxName {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	mark := "_" + hex.EncodeToString(sum[:4])
	return strings.ToValidUTF8(whole[:maxName-len(mark)], "") + mark
}

// ToolNames are the tools of a request that are not plain functions, by their names in a
// chat completion.
type ToolNames map[string]toolName

type toolName struct {
	namespace, name string
	custom          bool
}

// NamesOf returns the names of the tools that a response shows.
func NamesOf(shown json.RawMessage) ToolNames {
	var tools []json.RawMessage
	if json.Unmarshal(shown, &tools) != nil {
		return nil
	}
	names := make(ToolNames)
	names.add(tools, "")
	return names
}

func (n ToolNames) add(tools []json.RawMessage, namespace string) {
	for _, raw := range tools {
		var in wireTool
		if json.Unmarshal(raw, &in) != nil {
			continue
		}
		if in.Type == "namespace" && namespace == "" {
			n.add(in.Tools, in.Name)
			continue
		}
		if custom := in.Type == "custom"; custom || namespace != "" {
			n[chatName(namespace, in.Name)] = toolName{namespace, in.Name, custom}
		}
	}
}

// restore turns the call of a function into the call of the tool that it stands for.
func (n ToolNames) restore(it *Item) {
	t, ok := n[it.Name]
	if !ok || it.Type != CallItem {
		return
	}
	it.Namespace, it.Name = t.namespace, t.name
	if t.custom {
		it.Type = CustomCallItem
	}
}

// toolChoice is the choice among the tools.
type toolChoice struct {
	chat  []byte // in the form of chat completions
	shown json.RawMessage
}

// wireChoice is a choice as a client sends it, or one of the tools that it allows.
type wireChoice struct {
	Type, Name, Namespace, Mode string
	Tools                       []json.RawMessage
}

// function is the function of a choice in the form of chat completions; nil if the
// choice is none.
func (in *wireChoice) function() []byte {
	if in.Name == "" || in.Type != "function" && in.Type != "custom" {
		return nil
	}
	return append(appendString([]byte(`{"type":"function","function":{"name":`), chatName(in.Namespace, in.Name)), "}}"...)
}

// readToolChoice reads a tool choice. A choice of a tool that is left out is "auto".
func readToolChoice(value []byte) (*toolChoice, error) {
	bad := &Problem{
		Param: "tool_choice",
		Msg:   "'tool_choice' must be auto, none, required, a tool such as {\"type\":\"function\",\"name\":\"f\"}, or allowed_tools.",
	}
	auto := &toolChoice{chat: []byte(`"auto"`), shown: json.RawMessage(`"auto"`)}
	switch v := string(value); v {
	case `"auto"`, `"none"`, `"required"`:
		return &toolChoice{chat: value, shown: value}, nil
	}
	var in wireChoice
	if value[0] != '{' || json.Unmarshal(value, &in) != nil || in.Type == "" {
		return nil, bad
	}
	function := in.function()
	switch {
	case function != nil:
		return &toolChoice{chat: function, shown: value}, nil
	case in.Type == "function" || in.Type == "custom" || in.Type == "allowed_tools" && in.Mode == "":
		return nil, bad
	case in.Type != "allowed_tools":
		return auto, nil
	}
	allowed, shown := allowedTools(in.Tools)
	if shown == nil {
		return auto, nil
	}
	chat := appendString([]byte(`{"type":"allowed_tools","allowed_tools":{"mode":`), in.Mode)
	chat = append(append(append(chat, `,"tools":[`...), allowed...), "]}}"...)
	whole, err := Splice(value, Set{"tools", append(append([]byte{'['}, shown...), ']')})
	if err != nil {
		return nil, bad
	}
	return &toolChoice{chat: chat, shown: whole}, nil
}

// allowedTools are the elements of a list of allowed tools, without those left out: in
// the form of chat completions, and as they are shown.
func allowedTools(tools []json.RawMessage) (chat, shown []byte) {
	for _, raw := range tools {
		var in wireChoice
		if json.Unmarshal(raw, &in) != nil {
			continue
		}
		function := in.function()
		if function == nil {
			continue
		}
		if shown != nil {
			chat, shown = append(chat, ','), append(shown, ',')
		}
		chat, shown = append(chat, function...), append(shown, raw...)
	}
	return chat, shown
}

// maxTypes bounds a list of types. Servers know fewer; a client can make up any number.
const maxTypes = 64

// appendOnce appends a type unless the list has it, or is full.
func appendOnce(list []string, name string) []string {
	if len(list) == maxTypes || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
