package openai

import (
	"encoding/json"
	"fmt"
)

// parseInput reads the input of a response: a text or a list of items.
func parseInput(raw []byte) ([]Item, error) {
	empty := &Problem{Param: "input", Msg: "'input' must be a text that is not empty, or an array with at least one item."}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil || s == "" {
			return nil, empty
		}
		return []Item{{Type: MessageItem, Role: "user", Text: s}}, nil
	}
	items, err := Elements(raw)
	if err != nil || len(items) == 0 {
		return nil, empty
	}
	if len(items) > maxMessages {
		return nil, &Problem{Param: "input", Msg: fmt.Sprintf("'input' holds more than %d items.", maxMessages)}
	}
	out := make([]Item, len(items))
	seen := make(map[string]bool)
	for i, item := range items {
		it, problem := parseItem(item)
		if problem == nil {
			problem = it.repeats(seen)
		}
		if problem != nil {
			problem.Param = fmt.Sprintf("input[%d]%s", i, problem.Param)
			problem.Msg = fmt.Sprintf("input[%d]: %s", i, problem.Msg)
			return nil, problem
		}
		out[i] = it
	}
	return out, nil
}

// repeats refuses duplicates: of an id, a call, or the result of a call.
func (it *Item) repeats(seen map[string]bool) *Problem {
	for _, mark := range []struct{ name, id, msg string }{
		{"id", it.ID, "an earlier item has this 'id', too"},
		{"call_id", it.CallID, "an earlier item of this type has this 'call_id', too"},
	} {
		if mark.id == "" {
			continue
		}
		key := mark.name + " " + mark.id
		if mark.name == "call_id" {
			key = string(it.Type) + " " + key
		}
		if seen[key] {
			return &Problem{Param: "." + mark.name, Code: "duplicate_item", Msg: mark.msg}
		}
		seen[key] = true
	}
	return nil
}

// wireItem is an item as a client sends it.
type wireItem struct {
	Type      string          `json:"type"`
	ID        *string         `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// parseItem reads one item. Param of its problem starts with a dot; it is empty if the
// item as a whole is wrong.
func parseItem(raw []byte) (Item, *Problem) {
	var in wireItem
	if raw[0] != '{' {
		return Item{}, &Problem{Msg: "an item must be a JSON object"}
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return Item{}, &Problem{Msg: "the item has a member of the wrong type"}
	}
	it := Item{Type: ItemType(in.Type), Status: StatusCompleted}
	if in.ID != nil {
		it.ID = *in.ID
	}
	switch it.Type {
	case "", MessageItem:
		it.Type = MessageItem
		return it, it.readMessage(&in)
	case CallItem:
		it.CallID, it.Name = in.CallID, in.Name
		if in.CallID == "" || in.Name == "" || in.Arguments == nil {
			return it, &Problem{Msg: "a function_call needs a 'call_id', a 'name' and 'arguments'"}
		}
		it.Arguments = *in.Arguments
		return it, nil
	case ResultItem:
		it.CallID = in.CallID
		if in.CallID == "" {
			return it, &Problem{Param: ".call_id", Msg: "a function_call_output needs the 'call_id' of its call"}
		}
		var problem *Problem
		it.Text, it.Parts, problem = itemContent(in.Output, ".output")
		return it, problem
	case ReasoningItem:
		return it, nil // no upstream accepts reasoning as input
	case ReferenceItem:
		if it.ID == "" {
			return it, &Problem{Param: ".id", Msg: "an item_reference needs the 'id' of an item"}
		}
		return it, nil
	}
	return it, &Problem{
		Param: ".type", Code: "unsupported_item",
		Msg: "'type' must be message, function_call, function_call_output, reasoning or item_reference",
	}
}

func (it *Item) readMessage(in *wireItem) *Problem {
	switch in.Role {
	case "user", "assistant", "system", "developer":
		it.Role = in.Role
	case "":
		return &Problem{Param: ".role", Msg: "the message has no 'role'"}
	case "tool", "function":
		return &Problem{Param: ".role", Msg: "the result of a tool is an item of type 'function_call_output'"}
	default:
		return &Problem{Param: ".role", Msg: "'role' must be one of user, assistant, system, developer"}
	}
	var problem *Problem
	it.Text, it.Parts, problem = itemContent(in.Content, ".content")
	return problem
}

// wirePart is a content part as a client sends it.
type wirePart struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text"`
	Refusal  *string         `json:"refusal"`
	ImageURL *string         `json:"image_url"`
	Detail   *string         `json:"detail"`
	FileID   *string         `json:"file_id"`
	FileData *string         `json:"file_data"`
	FileURL  *string         `json:"file_url"`
	Filename *string         `json:"filename"`
	Audio    json.RawMessage `json:"input_audio"`
}

// itemContent reads the content of an item. A single text, alone or as the only part,
// is returned as text. Any other content is returned as its checked parts.
func itemContent(raw []byte, param string) (string, []byte, *Problem) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, &Problem{Param: param, Msg: fmt.Sprintf("the item has no '%s'", param[1:])}
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s, nil, nil
	}
	parts, err := Elements(raw)
	if err != nil {
		return "", nil, &Problem{Param: param, Msg: fmt.Sprintf("'%s' must be a text or an array of content parts", param[1:])}
	}
	if len(parts) == 0 {
		return "", nil, &Problem{Param: param, Msg: fmt.Sprintf("'%s' holds no content part", param[1:])}
	}
	for i, raw := range parts {
		var p wirePart
		if raw[0] != '{' || json.Unmarshal(raw, &p) != nil {
			return "", nil, &Problem{Param: param, Code: "invalid_content_part", Msg: "a content part must be an object with a 'type'"}
		}
		if text := p.words(); len(parts) == 1 && text != nil {
			return *text, nil, nil
		}
		if _, problem := p.chat(); problem != nil {
			problem.Param = fmt.Sprintf("%s[%d]%s", param, i, problem.Param)
			return "", nil, problem
		}
	}
	return "", raw, nil
}
