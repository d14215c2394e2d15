package upstreamtest

import (
	"cmp"
	"fmt"
)

// messagesWire is Anthropic's Messages API.
type messagesWire struct{ req *Request }

// stopReason is a finish reason in Anthropic's words. Unknown reasons pass unchanged,
// so that a script can send any.
func stopReason(s *Step) string {
	switch finish := s.finish(); finish {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	default:
		return finish
	}
}

func (m messagesWire) usage(s *Step) (start, whole string) {
	u := Usage{}
	if s.Usage != nil {
		u = *s.Usage
	}
	start = fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d}`,
		u.Input-u.Cached, u.Cached, min(u.Output, 1))
	whole = fmt.Sprintf(`{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d}`,
		u.Input-u.Cached, u.Cached, u.Output)
	return start, whole
}

func (m messagesWire) whole(s *Step) []byte {
	content := ""
	add := func(format string, args ...any) {
		if content != "" {
			content += ","
		}
		content += fmt.Sprintf(format, args...)
	}
	if s.Reasoning != "" {
		add(`{"type":"thinking","thinking":%s,"signature":"sig"}`, quote(s.Reasoning))
	}
	if text := s.text(); text != "" {
		add(`{"type":"text","text":%s}`, quote(text))
	}
	for _, c := range s.ToolCalls {
		add(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, quote(c.ID), quote(c.Name), cmp.Or(c.Arguments, "{}"))
	}
	_, usage := m.usage(s)
	return fmt.Appendf(nil, `{"id":"msg_scripted","type":"message","role":"assistant","model":%s,"content":[%s],"stop_reason":%s,"stop_sequence":null,"usage":%s}`,
		quote(m.req.model(s)), content, quote(stopReason(s)), usage)
}

func (m messagesWire) stream(s *Step) (head []byte, pieces [][]byte, end []byte) {
	event := func(name, format string, args ...any) []byte {
		return fmt.Appendf(nil, "event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, fmt.Sprintf(format, args...))
	}
	start, whole := m.usage(s)
	head = event("message_start", `"message":{"id":"msg_scripted","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"usage":%s}`,
		quote(m.req.model(s)), start)
	head = append(head, "event: ping\ndata: {\"type\": \"ping\"}\n\n"...)
	index := 0
	block := func(open string, deltas ...string) {
		piece := event("content_block_start", `"index":%d,"content_block":%s`, index, open)
		for _, d := range deltas {
			piece = append(piece, event("content_block_delta", `"index":%d,"delta":%s`, index, d)...)
			pieces = append(pieces, piece)
			piece = nil
		}
		pieces = append(pieces, append(piece, event("content_block_stop", `"index":%d`, index)...))
		index++
	}
	if s.Reasoning != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`,
			fmt.Sprintf(`{"type":"thinking_delta","thinking":%s}`, quote(s.Reasoning)), `{"type":"signature_delta","signature":"sig"}`)
	}
	var texts []string
	for _, text := range s.pieces() {
		texts = append(texts, fmt.Sprintf(`{"type":"text_delta","text":%s}`, quote(text)))
	}
	if texts != nil {
		block(`{"type":"text","text":""}`, texts...)
	}
	for _, c := range s.ToolCalls {
		half := len(c.Arguments) / 2
		block(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(c.ID), quote(c.Name)),
			fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quote(c.Arguments[:half])),
			fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quote(c.Arguments[half:])))
	}
	end = event("message_delta", `"delta":{"stop_reason":%s,"stop_sequence":null},"usage":%s`, quote(stopReason(s)), whole)
	return head, pieces, append(end, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

func (m messagesWire) failure(object string) []byte {
	return []byte("event: error\ndata: {\"type\":\"error\",\"error\":" + object + "}\n\n")
}
