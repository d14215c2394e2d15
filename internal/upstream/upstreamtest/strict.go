package upstreamtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// CheckChat reports why OpenAI would refuse the messages of a chat completion: an
// error names the first call without its result, the first result without its call,
// the first pair whose order is wrong, or the first result that is not text. A body
// without tools passes at once.
func CheckChat(body []byte) error {
	if !bytes.Contains(body, []byte(`"tool`)) {
		return nil
	}
	var in struct {
		Messages []chatMessage `json:"messages"`
	}
	if !decodes(body, &in) {
		return nil
	}
	for i := 0; i < len(in.Messages); {
		m := &in.Messages[i]
		if m.Role == "tool" {
			return fmt.Errorf("messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'", i)
		}
		if m.ToolCalls == nil {
			i++
			continue
		}
		end, err := checkCalls(in.Messages, i)
		if err != nil {
			return err
		}
		i = end
	}
	return nil
}

// decodes reports whether a body has the form of a request. What has not is refused by
// the handler, and tested elsewhere.
func decodes(body []byte, into any) bool { return json.Unmarshal(body, into) == nil }

type chatMessage struct {
	Role       string `json:"role"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
	Content json.RawMessage `json:"content"`
}

// isText reports whether the content is a text, or parts that are text.
func (m *chatMessage) isText() bool {
	var parts []struct{ Type string }
	if json.Unmarshal(m.Content, &parts) != nil {
		return true
	}
	for _, p := range parts {
		if p.Type != "text" {
			return false
		}
	}
	return true
}

// checkCalls compares the results after the message at i with its calls, and returns
// the index of the message after the results.
func checkCalls(ms []chatMessage, i int) (int, error) {
	m := &ms[i]
	if m.Role != "assistant" || len(m.ToolCalls) == 0 {
		return 0, fmt.Errorf("messages[%d]: 'tool_calls' is empty, or its role %q may not call", i, m.Role)
	}
	open := make(map[string]bool)
	for _, c := range m.ToolCalls {
		if c.ID == "" || open[c.ID] {
			return 0, fmt.Errorf("messages[%d]: the id %q of a tool call is missing, or stands twice", i, c.ID)
		}
		open[c.ID] = true
	}
	end := i + 1
	for ; end < len(ms) && ms[end].Role == "tool"; end++ {
		id := ms[end].ToolCallID
		if !open[id] {
			return 0, fmt.Errorf("messages[%d]: 'tool_call_id' %q answers no open call of the previous message", end, id)
		}
		if !ms[end].isText() {
			return 0, fmt.Errorf("messages[%d]: a message with role 'tool' takes content parts of type 'text' only", end)
		}
		delete(open, id)
	}
	for _, c := range m.ToolCalls {
		if open[c.ID] {
			return 0, fmt.Errorf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages"+
				" responding to each 'tool_call_id'; no message responds to %q", i, c.ID)
		}
	}
	return end, nil
}

// CheckMessages reports why Anthropic would refuse the messages of a request.
func CheckMessages(body []byte) error {
	if !bytes.Contains(body, []byte(`"tool_`)) {
		return nil
	}
	var in struct {
		Messages []claudeMessage `json:"messages"`
	}
	if !decodes(body, &in) {
		return nil
	}
	seen := make(map[string]bool)
	var open []string // calls of the previous message
	for i := range in.Messages {
		m := &in.Messages[i]
		answered, err := m.results()
		if err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
		if !sameIDs(open, answered) {
			return fmt.Errorf("messages.%d: `tool_use` ids %q of the message before and `tool_result` ids %q do not match", i, open, answered)
		}
		if open, err = m.uses(seen); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s",
			len(in.Messages)-1, strings.Join(open, ", "))
	}
	return nil
}

type claudeMessage struct {
	Role    string      `json:"role"`
	Content claudeParts `json:"content"`
}

type claudeParts []struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	ToolUseID string `json:"tool_use_id"`
}

// UnmarshalJSON accepts a plain text as a message without tools.
func (p *claudeParts) UnmarshalJSON(raw []byte) error {
	type plain claudeParts
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	return json.Unmarshal(raw, (*plain)(p))
}

// results are the ids of the calls that the message answers. Results come before all
// other blocks.
func (m *claudeMessage) results() ([]string, error) {
	var ids []string
	for i := range m.Content {
		p := &m.Content[i]
		if p.Type != "tool_result" {
			continue
		}
		if m.Role != "user" || len(ids) < i {
			return nil, fmt.Errorf("a `tool_result` block must stand before all other blocks of a user message")
		}
		ids = append(ids, p.ToolUseID)
	}
	return ids, nil
}

// uses are the ids of the calls that the message makes.
func (m *claudeMessage) uses(seen map[string]bool) ([]string, error) {
	var ids []string
	for i := range m.Content {
		p := &m.Content[i]
		if p.Type != "tool_use" {
			continue
		}
		if m.Role != "assistant" || p.ID == "" || seen[p.ID] {
			return nil, fmt.Errorf("`tool_use` ids must be unique and of the assistant; got %q", p.ID)
		}
		seen[p.ID] = true
		ids = append(ids, p.ID)
	}
	return ids, nil
}

func sameIDs(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
