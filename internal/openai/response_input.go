package openai

import (
	"encoding/json"
	"fmt"
)

// parseInput reads the input of a response: a text or a list of items. omitted are the
// types of the items that were left out, each once.
func parseInput(raw []byte) (out []Item, omitted []string, err error) {
	empty := &Problem{Param: "input", Msg: "'input' must be a text that is not empty, or an array with at least one item."}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil || s == "" {
			return nil, nil, empty
		}
		return []Item{{Type: MessageItem, Role: "user", Text: s}}, nil, nil
	}
	items, err := Elements(raw)
	if err != nil || len(items) == 0 {
		return nil, nil, empty
	}
	return parseItems(items, "input")
}

// parseItems reads the items of the member with the given name.
func parseItems(items [][]byte, name string) (out []Item, omitted []string, err error) {
	out = make([]Item, 0, len(items))
	seen := make(map[string]bool)
	if len(items) > maxMessages {
		return nil, nil, &Problem{Param: name, Msg: fmt.Sprintf("'%s' holds more than %d items.", name, maxMessages)}
	}
	for i, item := range items {
		it, problem := parseItem(item)
		if problem == nil && it.isForeign() {
			omitted = appendOnce(omitted, string(it.Type))
			continue
		}
		if problem == nil {
			problem = it.repeats(seen)
		}
		if problem != nil {
			problem.Param = fmt.Sprintf("%s[%d]%s", name, i, problem.Param)
			problem.Msg = fmt.Sprintf("%s[%d]: %s", name, i, problem.Msg)
			return nil, nil, problem
		}
		out = append(out, it)
	}
	return out, omitted, nil
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
	Namespace string          `json:"namespace"`
	Arguments *string         `json:"arguments"`
	Input     *string         `json:"input"`
	Sealed    string          `json:"encrypted_content"`
	Output    json.RawMessage `json:"output"`
}

// readerOf is the function that reads the items of a type; nil for a type whose items are
// left out: calls of tools that another server ran, their results, and its own records.
// Only that server can read them.
func readerOf(t ItemType) func(*Item, *wireItem) *Problem {
	switch t {
	case MessageItem:
		return (*Item).readMessage
	case CallItem:
		return (*Item).readCall
	case CustomCallItem:
		return (*Item).readCustomCall
	case ResultItem, CustomResultItem:
		return (*Item).readResult
	case ReasoningItem: // no upstream accepts reasoning as input
		return func(*Item, *wireItem) *Problem { return nil }
	case ReferenceItem:
		return (*Item).readReference
	case CompactionItem:
		return (*Item).readCompaction
	}
	return nil
}

// parseItem reads one item. Of an item without a reader only the type is read. Param of
// its problem starts with a dot; it is empty if the item as a whole is wrong.
func parseItem(raw []byte) (Item, *Problem) {
	var in wireItem
	if raw[0] != '{' {
		return Item{}, &Problem{Msg: "an item must be a JSON object"}
	}
	err := json.Unmarshal(raw, &in) // after a member of the wrong type, it reads the others
	it := Item{Type: ItemType(in.Type), Status: StatusCompleted}
	if in.Type == "" {
		it.Type = MessageItem
	}
	read := readerOf(it.Type)
	switch {
	case read == nil:
		return it, nil
	case err != nil:
		return it, &Problem{Msg: "the item has a member of the wrong type"}
	}
	if in.ID != nil {
		it.ID = *in.ID
	}
	return it, read(&it, &in)
}

// isForeign reports whether only another server can read the item.
func (it *Item) isForeign() bool {
	return readerOf(it.Type) == nil || it.Type == CompactionItem && it.Compaction == nil
}

func (it *Item) readCompaction(in *wireItem) (problem *Problem) {
	it.Compaction, problem = readCompaction(in.Sealed)
	return problem
}

func (it *Item) readCall(in *wireItem) *Problem {
	if in.CallID == "" || in.Name == "" || in.Arguments == nil {
		return &Problem{Msg: "a function_call needs a 'call_id', a 'name' and 'arguments'"}
	}
	it.CallID, it.Name, it.Namespace, it.Arguments = in.CallID, in.Name, in.Namespace, *in.Arguments
	return nil
}

func (it *Item) readCustomCall(in *wireItem) *Problem {
	if in.CallID == "" || in.Name == "" || in.Input == nil {
		return &Problem{Msg: "a custom_tool_call needs a 'call_id', a 'name' and an 'input'"}
	}
	it.CallID, it.Name, it.Namespace, it.Arguments = in.CallID, in.Name, in.Namespace, customArguments(*in.Input)
	return nil
}

func (it *Item) readResult(in *wireItem) (problem *Problem) {
	it.CallID = in.CallID
	if in.CallID == "" {
		return &Problem{Param: ".call_id", Msg: fmt.Sprintf("a %s needs the 'call_id' of its call", it.Type)}
	}
	it.Text, it.Parts, problem = itemContent(in.Output, ".output")
	return problem
}

func (it *Item) readReference(*wireItem) *Problem {
	if it.ID == "" {
		return &Problem{Param: ".id", Msg: "an item_reference needs the 'id' of an item"}
	}
	return nil
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
