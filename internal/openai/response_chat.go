package openai

import (
	"encoding/json"
	"fmt"
)

// chatPart is a content part in the shape of chat completions.
type chatPart struct {
	text *string // of a part that is only text
	raw  []byte
}

// chat translates a content part. Param of its problem starts with a dot.
func (p *wirePart) chat() (chatPart, *Problem) {
	switch p.Type {
	case "input_text", "output_text", "text":
		if p.Text == nil {
			return chatPart{}, &Problem{Param: ".text", Msg: "a part of type '" + p.Type + "' needs a 'text'"}
		}
		return chatPart{text: p.Text, raw: append(appendString([]byte(`{"type":"text","text":`), *p.Text), '}')}, nil
	case "refusal":
		if p.Refusal == nil {
			return chatPart{}, &Problem{Param: ".refusal", Msg: "a part of type 'refusal' needs a 'refusal'"}
		}
		return chatPart{text: p.Refusal, raw: append(appendString([]byte(`{"type":"text","text":`), *p.Refusal), '}')}, nil
	case "input_image":
		if p.ImageURL == nil {
			return chatPart{}, &Problem{Param: ".image_url", Msg: "an image needs an 'image_url'; uploaded files are not supported"}
		}
		b := appendString([]byte(`{"type":"image_url","image_url":{"url":`), *p.ImageURL)
		if p.Detail != nil {
			b = appendString(append(b, `,"detail":`...), *p.Detail)
		}
		return chatPart{raw: append(b, "}}"...)}, nil
	case "input_file":
		return p.chatFile()
	case "input_audio":
		if len(p.Audio) == 0 || p.Audio[0] != '{' {
			return chatPart{}, &Problem{Param: ".input_audio", Msg: "audio needs an 'input_audio' object"}
		}
		return chatPart{raw: append(append([]byte(`{"type":"input_audio","input_audio":`), p.Audio...), '}')}, nil
	}
	return chatPart{}, &Problem{
		Param: ".type", Code: "invalid_content_part",
		Msg: "the type of a content part must be input_text, input_image, input_file, input_audio, output_text or refusal",
	}
}

func (p *wirePart) chatFile() (chatPart, *Problem) {
	if p.FileURL != nil || p.FileData == nil && p.FileID == nil {
		return chatPart{}, &Problem{Param: ".file_data", Msg: "a file needs its 'file_data' (or a 'file_id' the upstream knows); files by URL are not supported"}
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
	return chatPart{raw: append(b, "}}"...)}, nil
}

// chatContent is what an item says as the content of a chat message.
func (it *Item) chatContent() ([]byte, error) {
	if it.Parts == nil {
		return appendString(nil, it.Text), nil
	}
	var parts []wirePart
	if err := json.Unmarshal(it.Parts, &parts); err != nil {
		return nil, fmt.Errorf("read content parts: %w", err)
	}
	out := []byte{'['}
	for i := range parts {
		part, problem := parts[i].chat()
		if problem != nil {
			return nil, problem
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part.raw...)
	}
	return append(out, ']'), nil
}

// ChatMessages are items as messages of a chat: calls that stand together, and
// the answer in front of them, are one message. Reasoning is left out; a
// reference is the caller's to resolve.
func ChatMessages(items []Item) ([]Message, error) {
	var raws [][]byte
	var open []byte // an assistant's message that more calls may join, unclosed
	called := false // it has calls
	end := func() {
		if open != nil {
			if called {
				open = append(open, ']')
			}
			raws = append(raws, append(open, '}'))
		}
		open, called = nil, false
	}
	for i := range items {
		it := &items[i]
		switch it.Type {
		case MessageItem:
			end()
			content, err := it.chatContent()
			if err != nil {
				return nil, err
			}
			raw := appendString([]byte(`{"role":`), it.Role)
			raw = append(append(raw, `,"content":`...), content...)
			open = raw
			if it.Role != "assistant" {
				end()
			}
		case CallItem:
			if open == nil {
				open = []byte(`{"role":"assistant","content":null`)
			}
			if called {
				open = append(open, ',')
			} else {
				open = append(open, `,"tool_calls":[`...)
			}
			called = true
			open = appendChatCall(open, it)
		case ResultItem:
			end()
			content, err := it.chatContent()
			if err != nil {
				return nil, err
			}
			raw := appendString([]byte(`{"role":"tool","tool_call_id":`), it.CallID)
			raws = append(raws, append(append(append(raw, `,"content":`...), content...), '}'))
		}
	}
	end()
	out := make([]Message, len(raws))
	for i, raw := range raws {
		m, problem := ParseMessage(raw)
		if problem != nil {
			return nil, problem
		}
		out[i] = m
	}
	return out, nil
}

func appendChatCall(b []byte, it *Item) []byte {
	b = appendString(append(b, `{"id":`...), it.CallID)
	b = appendString(append(b, `,"type":"function","function":{"name":`...), it.Name)
	b = appendString(append(b, `,"arguments":`...), it.Arguments)
	return append(b, "}}"...)
}
