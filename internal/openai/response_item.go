package openai

import (
	"bytes"
	"encoding/json"
)

// ItemType is the type of an item of the Responses API.
type ItemType string

// The item types that this program reads and writes.
const (
	MessageItem   ItemType = "message"
	CallItem      ItemType = "function_call"
	ResultItem    ItemType = "function_call_output"
	ReasoningItem ItemType = "reasoning"
	// ReferenceItem names another item by its id. Only clients send it.
	ReferenceItem ItemType = "item_reference"
	// CompactionItem stands for a part of the conversation.
	CompactionItem ItemType = "compaction"
	// CustomCallItem is the call of a tool whose input is a text without a form, and
	// CustomResultItem its result. Models are offered such a tool as a function.
	CustomCallItem   ItemType = "custom_tool_call"
	CustomResultItem ItemType = "custom_tool_call_output"
)

// Item is one item of the input or the output of a response.
type Item struct {
	Type ItemType
	ID   string // "" if the client gave none
	// Status is completed, in_progress or incomplete.
	Status string
	Role   string // of a message
	// Text is the text of a message or a result, or the reasoning. If the content is
	// more than one text, Parts holds all of it instead, as an array of content parts
	// of this API.
	Text  string
	Parts []byte
	// CallID pairs a call with its result.
	CallID    string
	Name      string // the called function
	Namespace string // of the called function; "" for none
	// Arguments are JSON text. Those of a custom tool hold its input; see customInput.
	Arguments string
	// Compaction is what a compaction item stands for.
	Compaction *Compaction
}

// isCall reports whether the item is a call of a tool.
func (it *Item) isCall() bool { return it.Type == CallItem || it.Type == CustomCallItem }

// The states of items and responses.
const (
	StatusCompleted  = "completed"
	StatusInProgress = "in_progress"
	StatusIncomplete = "incomplete"
	StatusQueued     = "queued"
	StatusFailed     = "failed"
	StatusCancelled  = "cancelled"
)

// MarshalJSON writes the item with every member of its type.
func (it Item) MarshalJSON() ([]byte, error) { return it.append(nil), nil }

func (it *Item) append(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = appendString(b, it.ID)
	b = append(b, `,"type":"`...)
	b = append(b, it.Type...)
	if it.Type == CompactionItem {
		return append(appendString(append(b, `","encrypted_content":`...), it.Compaction.sealed()), '}')
	}
	b = append(b, `","status":`...)
	b = appendString(b, it.Status)
	switch it.Type {
	case CallItem, CustomCallItem:
		b = it.appendCall(b)
	case ResultItem, CustomResultItem:
		b = appendString(append(b, `,"call_id":`...), it.CallID)
		b = append(b, `,"output":`...)
		if it.Parts != nil {
			b = append(b, it.Parts...)
		} else {
			b = appendString(b, it.Text)
		}
	case ReasoningItem:
		b = append(b, `,"summary":[],"content":`...)
		b = it.appendContent(b)
	default:
		b = appendString(append(b, `,"role":`...), it.Role)
		b = append(b, `,"content":`...)
		b = it.appendContent(b)
	}
	return append(b, '}')
}

// appendCall appends the members of a call.
func (it *Item) appendCall(b []byte) []byte {
	b = appendString(append(b, `,"call_id":`...), it.CallID)
	b = appendString(append(b, `,"name":`...), it.Name)
	if it.Namespace != "" {
		b = appendString(append(b, `,"namespace":`...), it.Namespace)
	}
	if it.Type == CustomCallItem {
		return appendString(append(b, `,"input":`...), customInput(it.Arguments))
	}
	return appendString(append(b, `,"arguments":`...), it.Arguments)
}

// appendContent appends the content parts. An empty text gives no part.
func (it *Item) appendContent(b []byte) []byte {
	switch {
	case it.Parts != nil:
		return append(b, it.Parts...)
	case it.Text == "" && it.Status == StatusInProgress:
		return append(b, "[]"...)
	}
	b = append(b, '[')
	b = it.appendPart(b, it.Text)
	return append(b, ']')
}

// appendPart appends a part that holds a text.
func (it *Item) appendPart(b []byte, text string) []byte {
	switch {
	case it.Type == ReasoningItem:
		b = append(b, `{"type":"reasoning_text"`...)
	case it.Role == "assistant":
		b = append(b, `{"type":"output_text","annotations":[],"logprobs":[]`...)
	default:
		b = append(b, `{"type":"input_text"`...)
	}
	b = append(b, `,"text":`...)
	return append(appendString(b, text), '}')
}

// ItemsOf converts a chat message to items: one for its text and one for each call. ids
// makes the id of each item, names says which calls are those of other tools than
// functions.
func ItemsOf(m *Message, ids func(ItemType) string, names ToolNames) []Item {
	if m.Role == "tool" || m.Role == "function" {
		it := Item{Type: ResultItem, ID: ids(ResultItem), Status: StatusCompleted, CallID: m.ToolCallID, Text: m.Text}
		if parts := responseParts(m); parts != nil {
			it.Parts = parts
		}
		return []Item{it}
	}
	calls := UnmarshalCalls(m.ToolCalls)
	var out []Item
	if m.Text != "" || len(calls) == 0 {
		it := Item{Type: MessageItem, ID: ids(MessageItem), Status: StatusCompleted, Role: m.Role, Text: m.Text}
		if m.Role != "assistant" {
			it.Parts = responseParts(m)
		}
		out = append(out, it)
	}
	for _, c := range calls {
		it := Item{Type: CallItem, Status: StatusCompleted, CallID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}
		names.restore(&it)
		it.ID = ids(it.Type)
		out = append(out, it)
	}
	return out
}

// responseParts are the content parts of a chat message in the form of the Responses
// API; nil if the message is only text.
func responseParts(m *Message) []byte {
	if m.Plain || len(m.Raw) == 0 {
		return nil
	}
	var in struct {
		Content json.RawMessage `json:"content"`
	}
	var parts []json.RawMessage
	if json.Unmarshal(m.Raw, &in) != nil || json.Unmarshal(in.Content, &parts) != nil {
		return nil
	}
	out := []byte{'['}
	for i, raw := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, responsePart(raw)...)
	}
	return append(out, ']')
}

// responsePart translates a content part of a chat message. An unknown part is left
// unchanged.
func responsePart(raw []byte) []byte {
	var in struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL    string `json:"url"`
			Detail string `json:"detail"`
		} `json:"image_url"`
		File json.RawMessage `json:"file"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return raw
	}
	switch in.Type {
	case "text":
		return append(appendString([]byte(`{"type":"input_text","text":`), in.Text), '}')
	case "image_url":
		if in.ImageURL.Detail == "" {
			in.ImageURL.Detail = "auto"
		}
		b := appendString([]byte(`{"type":"input_image","image_url":`), in.ImageURL.URL)
		return append(appendString(append(b, `,"detail":`...), in.ImageURL.Detail), '}')
	case "file":
		if file := bytes.TrimSpace(in.File); len(file) > 2 && file[0] == '{' {
			return append([]byte(`{"type":"input_file",`), file[1:]...)
		}
	}
	return raw
}
