package openai

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// words is the text of a content part that is only text; nil for any other part.
func (p *wirePart) words() *string {
	switch p.Type {
	case "input_text", "output_text", "text":
		return p.Text
	case "refusal":
		return p.Refusal
	}
	return nil
}

// chat is a content part in the form of chat completions. Param of its problem starts
// with a dot.
func (p *wirePart) chat() ([]byte, *Problem) {
	if text := p.words(); text != nil {
		return append(appendString([]byte(`{"type":"text","text":`), *text), '}'), nil
	}
	switch p.Type {
	case "input_text", "output_text", "text":
		return nil, &Problem{Param: ".text", Msg: "a part of type '" + p.Type + "' needs a 'text'"}
	case "refusal":
		return nil, &Problem{Param: ".refusal", Msg: "a part of type 'refusal' needs a 'refusal'"}
	case "input_image":
		if p.ImageURL == nil {
			return nil, &Problem{Param: ".image_url", Msg: "an image needs an 'image_url'; uploaded files are not supported"}
		}
		b := appendString([]byte(`{"type":"image_url","image_url":{"url":`), *p.ImageURL)
		if p.Detail != nil {
			b = appendString(append(b, `,"detail":`...), *p.Detail)
		}
		return append(b, "}}"...), nil
	case "input_file":
		return p.chatFile()
	case "input_audio":
		if len(p.Audio) == 0 || p.Audio[0] != '{' {
			return nil, &Problem{Param: ".input_audio", Msg: "audio needs an 'input_audio' object"}
		}
		return append(append([]byte(`{"type":"input_audio","input_audio":`), p.Audio...), '}'), nil
	}
	return nil, &Problem{
		Param: ".type", Code: "invalid_content_part",
		Msg: "the type of a content part must be input_text, input_image, input_file, input_audio, output_text or refusal",
	}
}

func (p *wirePart) chatFile() ([]byte, *Problem) {
	if p.FileURL != nil || p.FileData == nil && p.FileID == nil {
		return nil, &Problem{Param: ".file_data", Msg: "a file needs its 'file_data' (or a 'file_id' the upstream knows); files by URL are not supported"}
	}
	b := []byte(`{"type":"file","file":{`)
	for _, m := range []struct {
		name  string
		value *string
	}{{"filename", p.Filename}, {"file_data", p.FileData}, {"file_id", p.FileID}} {
		if m.value == nil {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = appendString(append(appendString(b, m.name), ':'), *m.value)
	}
	return append(b, "}}"...), nil
}

// appendChatContent appends the content of an item in the form of chat completions.
func (it *Item) appendChatContent(b []byte) ([]byte, error) {
	if it.Parts == nil {
		return appendString(b, it.Text), nil
	}
	var parts []wirePart
	if err := json.Unmarshal(it.Parts, &parts); err != nil {
		return nil, fmt.Errorf("read content parts: %w", err)
	}
	b = append(b, '[')
	for i := range parts {
		part, problem := parts[i].chat()
		if problem != nil {
			return nil, problem
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, part...)
	}
	return append(b, ']'), nil
}

// ChatMessages converts items to chat messages. Consecutive calls and the answer before
// them become one message. Reasoning is left out. The caller resolves references.
func ChatMessages(items []Item) ([]Message, error) {
	c := &chatting{}
	for i := range items {
		it := &items[i]
		var err error
		switch it.Type {
		case MessageItem:
			err = c.message(it)
		case CallItem, CustomCallItem:
			c.call(it)
		case ResultItem, CustomResultItem:
			err = c.result(it)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.out, c.end()
}

// chatting converts items to chat messages.
type chatting struct {
	out []Message
	// open is an unfinished message; nil for none. Calls may join an assistant's
	// message.
	open   []byte
	from   *Item // the item of the open message; nil if it has only calls
	called bool  // the open message has calls
}

// begin begins a message with a text of an item. The text may be long.
func (c *chatting) begin(it *Item, head, value string) error {
	if err := c.end(); err != nil {
		return err
	}
	const slack = 64 // room for names and brackets
	b := make([]byte, 0, len(head)+len(value)+len(it.Text)+len(it.Parts)+slack)
	b = append(appendString(append(b, head...), value), `,"content":`...)
	b, err := it.appendChatContent(b)
	c.open, c.from = b, it
	return err
}

// message adds one message.
func (c *chatting) message(it *Item) error {
	if err := c.begin(it, `{"role":`, it.Role); err != nil || it.Role == "assistant" {
		return err
	}
	return c.end()
}

// call adds a call.
func (c *chatting) call(it *Item) {
	if c.open == nil {
		c.open = []byte(`{"role":"assistant","content":null`)
	}
	if c.called {
		c.open = append(c.open, ',')
	} else {
		c.open = append(c.open, `,"tool_calls":[`...)
	}
	c.called = true
	c.open = appendChatCall(c.open, it)
}

// result adds the result of a call.
func (c *chatting) result(it *Item) error {
	if err := c.begin(it, `{"role":"tool","tool_call_id":`, it.CallID); err != nil {
		return err
	}
	return c.end()
}

// end finishes the open message.
func (c *chatting) end() error {
	raw, from, called := c.open, c.from, c.called
	c.open, c.from, c.called = nil, nil, false
	if raw == nil {
		return nil
	}
	if called {
		raw = append(raw, ']')
	}
	raw = append(raw, '}')
	if !called && from.Type == MessageItem && from.Parts == nil && utf8.ValidString(from.Text) {
		c.out = append(c.out, Message{Role: from.Role, Text: from.Text, Raw: raw, Plain: true}) // the parsed form of raw, without a copy
		return nil
	}
	m, problem := ParseMessage(raw)
	if problem != nil {
		return problem
	}
	c.out = append(c.out, m)
	return nil
}

func appendChatCall(b []byte, it *Item) []byte {
	b = appendString(append(b, `{"id":`...), it.CallID)
	b = appendString(append(b, `,"type":"function","function":{"name":`...), chatName(it.Namespace, it.Name))
	b = appendString(append(b, `,"arguments":`...), it.Arguments)
	return append(b, "}}"...)
}
