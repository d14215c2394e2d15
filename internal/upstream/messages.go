package upstream

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/language"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// appendMessages appends the messages as the JSON array of this wire. Images and files in
// the results of tools follow those results in a message of the user.
func appendMessages(b []byte, ms []session.Message) []byte {
	b = append(b, '[')
	var media []byte
	for i := range ms {
		if ms[i].Role != session.Tool {
			b, media = appendMedia(b, media), nil
		}
		if i > 0 {
			b = append(b, ',')
		}
		b, media = appendResult(b, &ms[i], media)
	}
	return append(appendMedia(b, media), ']')
}

// appendResult appends a message. If it is the result of a tool, its images and files are
// added to media instead.
func appendResult(b []byte, m *session.Message, media []byte) (body, withMedia []byte) {
	if m.Role != session.Tool || len(m.Wire) == 0 {
		return appendMessage(b, m), media
	}
	result, more := openai.ResultMedia(m.Wire)
	if media != nil && more != nil {
		media = append(media, ',')
	}
	return append(b, result...), append(media, more...)
}

// appendMedia appends a message of the user that shows the images and files of results.
func appendMedia(b, media []byte) []byte {
	if media == nil {
		return b
	}
	return append(append(append(b, `,{"role":"user","content":[`...), media...), "]}"...)
}

// appendMessage appends one message: in its original bytes, if they were kept.
func appendMessage(b []byte, m *session.Message) []byte {
	if len(m.Wire) > 0 {
		return append(b, m.Wire...)
	}
	b = append(b, `{"role":`...)
	b = quote(b, string(m.Role))
	b = append(b, `,"content":`...)
	if m.Content == "" && len(m.ToolCalls) > 0 {
		b = append(b, "null"...)
	} else {
		b = quote(b, m.Content)
	}
	if m.Name != "" {
		b = append(b, `,"name":`...)
		b = quote(b, m.Name)
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, `,"tool_calls":`...)
		b = append(b, m.ToolCalls...)
	}
	if m.ToolCallID != "" {
		b = append(b, `,"tool_call_id":`...)
		b = quote(b, m.ToolCallID)
	}
	return append(b, '}')
}

// quote appends s as a JSON string. Plain runs are copied, common escapes are written
// directly, and from the first other character on the library does the rest.
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		n := language.PlainPrefix(s)
		b = append(b, s[:n]...)
		if s = s[n:]; s == "" {
			return append(b, '"')
		}
		switch c := s[0]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		default:
			from := len(b)
			b, _ = jsontext.AppendQuote(b, s) // reports invalid UTF-8 after replacing it
			return append(b[:from], b[from+1:]...)
		}
		s = s[1:]
	}
}
