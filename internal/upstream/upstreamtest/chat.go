package upstreamtest

import (
	"strconv"

	"github.com/hermes-memory/hermes/internal/openai"
)

// chatWire is OpenAI's chat completions.
type chatWire struct{ req *Request }

const created = 1700000000

func (c chatWire) head(s *Step) openai.Head {
	return openai.Head{ID: "chatcmpl-scripted", Created: created, Model: c.req.model(s)}
}

func (c chatWire) whole(s *Step) []byte {
	var calls []byte
	if len(s.ToolCalls) > 0 {
		calls = append(calls, '[')
		for i, call := range s.ToolCalls {
			if i > 0 {
				calls = append(calls, ',')
			}
			calls = appendCall(calls, -1, call, call.Arguments)
		}
		calls = append(calls, ']')
	}
	message := openai.AppendPiece(nil, "assistant", s.text(), calls, true)
	if s.Reasoning != "" {
		message = append(message[:len(message)-1], `,"reasoning_content":`...)
		message = append(append(message, quote(s.Reasoning)...), '}')
	}
	return c.head(s).AppendCompletion(nil, message, s.finish(), openai.Set{Name: "usage", Value: usage(s)})
}

func (c chatWire) stream(s *Step) (head []byte, pieces [][]byte, end []byte) {
	h := c.head(s)
	event := func(delta []byte, finish string) []byte {
		b := h.AppendChunk([]byte("data: "), delta, finish)
		return append(b, "\n\n"...)
	}
	head = event([]byte(`{"role":"assistant","content":""}`), "")
	if s.Reasoning != "" {
		delta := append([]byte(`{"reasoning_content":`), quote(s.Reasoning)...)
		pieces = append(pieces, event(append(delta, '}'), ""))
	}
	for _, text := range s.pieces() {
		pieces = append(pieces, event(openai.AppendPiece(nil, "", text, nil, false), ""))
	}
	for i, call := range s.ToolCalls {
		half := len(call.Arguments) / 2
		first := appendCall([]byte{'['}, i, call, call.Arguments[:half])
		rest := appendCall([]byte{'['}, i, ToolCall{}, call.Arguments[half:])
		pieces = append(pieces,
			event(openai.AppendPiece(nil, "", "", append(first, ']'), false), ""),
			event(openai.AppendPiece(nil, "", "", append(rest, ']'), false), ""))
	}
	end = event([]byte("{}"), s.finish())
	if s.Usage != nil {
		end = append(end, "data: "...)
		end = h.AppendUsageChunk(end, usage(s))
		end = append(end, "\n\n"...)
	}
	return head, pieces, append(end, "data: [DONE]\n\n"...)
}

func (c chatWire) failure(object string) []byte {
	return []byte(`data: {"error":` + object + "}\n\n")
}

// appendCall appends a tool call. The index -1 means a call of an answer that is not
// streamed.
func appendCall(b []byte, index int, call ToolCall, arguments string) []byte {
	b = append(b, '{')
	if index >= 0 {
		b = append(b, `"index":`...)
		b = strconv.AppendInt(b, int64(index), 10)
		b = append(b, ',')
	}
	if call.ID != "" {
		b = append(b, `"id":`...)
		b = append(b, quote(call.ID)...)
		b = append(b, `,"type":"function",`...)
	}
	b = append(b, `"function":{`...)
	if call.Name != "" {
		b = append(b, `"name":`...)
		b = append(b, quote(call.Name)...)
		b = append(b, ',')
	}
	b = append(b, `"arguments":`...)
	b = append(b, quote(arguments)...)
	return append(b, "}}"...)
}

// usage is the usage object; nil if the step has none.
func usage(s *Step) []byte {
	if s.Usage == nil {
		return nil
	}
	u := s.Usage
	b := []byte(`{"prompt_tokens":`)
	b = strconv.AppendInt(b, int64(u.Input), 10)
	b = append(b, `,"completion_tokens":`...)
	b = strconv.AppendInt(b, int64(u.Output), 10)
	b = append(b, `,"total_tokens":`...)
	b = strconv.AppendInt(b, int64(u.Input+u.Output), 10)
	if u.Cached > 0 {
		b = append(b, `,"prompt_tokens_details":{"cached_tokens":`...)
		b = strconv.AppendInt(b, int64(u.Cached), 10)
		b = append(b, '}')
	}
	return append(b, '}')
}
