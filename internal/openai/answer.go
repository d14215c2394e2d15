package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Head is the common part of all chunks of an answer and of its completion.
type Head struct {
	ID      string
	Created int64 // seconds since 1970
	Model   string
}

// AppendChunk appends the JSON of a chunk with one choice. delta is the raw
// JSON of the delta object; finish "" means null; extra are further top-level
// members as raw JSON.
func (h Head) AppendChunk(b []byte, delta []byte, finish string, extra ...Set) []byte {
	b = h.appendHead(b, "chat.completion.chunk")
	b = append(b, `,"choices":[{"index":0,"delta":`...)
	b = append(b, delta...)
	b = appendFinish(b, finish)
	b = append(b, `}]`...)
	return appendExtra(b, extra)
}

// AppendUsageChunk appends the JSON of the chunk without choices that closes a
// stream whose client asked for usage.
func (h Head) AppendUsageChunk(b []byte, usage []byte) []byte {
	b = h.appendHead(b, "chat.completion.chunk")
	b = append(b, `,"choices":[]`...)
	return appendExtra(b, []Set{{Name: "usage", Value: usage}})
}

// AppendCompletion appends the JSON of a whole completion; message is the raw
// JSON of its message.
func (h Head) AppendCompletion(b []byte, message []byte, finish string, extra ...Set) []byte {
	b = h.appendHead(b, "chat.completion")
	b = append(b, `,"choices":[{"index":0,"message":`...)
	b = append(b, message...)
	b = append(b, `,"logprobs":null`...)
	b = appendFinish(b, finish)
	b = append(b, `}]`...)
	return appendExtra(b, extra)
}

func (h Head) appendHead(b []byte, object string) []byte {
	b = append(b, `{"id":`...)
	b = appendString(b, h.ID)
	b = append(b, `,"object":"`...)
	b = append(b, object...)
	b = append(b, `","created":`...)
	b = strconv.AppendInt(b, h.Created, 10)
	b = append(b, `,"model":`...)
	return appendString(b, h.Model)
}

func appendFinish(b []byte, finish string) []byte {
	b = append(b, `,"finish_reason":`...)
	if finish == "" {
		return append(b, "null"...)
	}
	return appendString(b, finish)
}

func appendExtra(b []byte, extra []Set) []byte {
	for _, s := range extra {
		if s.Value == nil {
			continue
		}
		b = append(b, ',')
		b = appendString(b, s.Name)
		b = append(b, ':')
		b = append(b, s.Value...)
	}
	return append(b, '}')
}

// AppendPiece appends the JSON of a delta or of a message. role "" leaves the
// role out; in a message (whole) content is null when it is empty and there
// are tool calls.
func AppendPiece(b []byte, role, content string, calls []byte, whole bool) []byte {
	b = append(b, '{')
	comma := func() {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
	}
	if role != "" {
		b = append(b, `"role":`...)
		b = appendString(b, role)
	}
	if content != "" || whole || role != "" {
		comma()
		b = append(b, `"content":`...)
		if content == "" && whole && calls != nil {
			b = append(b, "null"...)
		} else {
			b = appendString(b, content)
		}
	}
	if whole {
		b = append(b, `,"refusal":null`...)
	}
	if calls != nil {
		comma()
		b = append(b, `"tool_calls":`...)
		b = append(b, calls...)
	}
	return append(b, '}')
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become the
// replacement character, because JSON must be UTF-8.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // reports invalid UTF-8 after replacing it
	return b
}
