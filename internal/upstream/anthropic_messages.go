package upstream

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hermes-memory/hermes/internal/anthropic"
	"github.com/hermes-memory/hermes/internal/cite"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// chatMessage is a message of the chat completions wire.
type chatMessage struct {
	Role       string          `json:"role"`
	Name       string          `json:"name"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	// FunctionCall is the older name of a call. It has no id; the next message of
	// role "function" is its result.
	FunctionCall *chatFunction `json:"function_call"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// nameFunctions gives ids to function calls and to the results that follow them.
func nameFunctions(ms []chatMessage) {
	for i := range ms {
		m := &ms[i]
		if m.FunctionCall == nil || len(m.ToolCalls) > 0 || i+1 == len(ms) || ms[i+1].Role != "function" {
			continue
		}
		id := fmt.Sprintf("function_%d", i)
		m.ToolCalls = []chatCall{{ID: id, Function: *m.FunctionCall}}
		ms[i+1].ToolCallID = id
	}
}

// from reads a stored message.
func (c *chatMessage) from(m *session.Message) error {
	if err := json.Unmarshal(appendMessage(nil, m), c); err != nil {
		return fmt.Errorf("read a message of role %s: %w", m.Role, err)
	}
	return nil
}

// turn is a message of the Messages API, where user and assistant alternate.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a part of a turn. Which fields it has depends on its type.
type block struct {
	Type      string            `json:"type"`
	Text      string            `json:"text,omitempty"`
	Source    *anthropic.Source `json:"source,omitempty"`
	Title     string            `json:"title,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Input     json.RawMessage   `json:"input,omitempty"`
	ToolUseID string            `json:"tool_use_id,omitempty"`
	Content   []block           `json:"content,omitempty"`
	// CacheControl marks the end of a prefix that the client wants cached.
	CacheControl json.RawMessage `json:"cache_control,omitempty"`
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// conversation translates messages. System messages are taken out and joined into one
// text. Neighbours of one role become one turn. An answer may neither come first nor
// end in white space.
func conversation(ms []chatMessage) (system string, turns []turn, err error) {
	var rules []string
	nameFunctions(ms)
	for i := range ms {
		m := &ms[i]
		blocks, err := blocksOf(m)
		if err != nil {
			err.Param = fmt.Sprintf("messages[%d].content", i)
			return "", nil, err
		}
		role := roleUser
		switch m.Role {
		case "system", "developer":
			for _, b := range blocks {
				rules = append(rules, b.Text)
			}
			continue
		case roleAssistant:
			role = roleAssistant
		}
		if len(blocks) == 0 {
			continue
		}
		if last := len(turns) - 1; last >= 0 && turns[last].Role == role {
			turns[last].Content = append(turns[last].Content, blocks...)
		} else {
			turns = append(turns, turn{Role: role, Content: blocks})
		}
	}
	if len(turns) == 0 || turns[0].Role != roleUser {
		first := turn{Role: roleUser, Content: []block{{Type: "text", Text: "(The beginning of this conversation is not shown.)"}}}
		turns = append([]turn{first}, turns...)
	}
	if last := &turns[len(turns)-1]; last.Role == roleAssistant {
		end := &last.Content[len(last.Content)-1]
		end.Text = strings.TrimRight(end.Text, " \t\r\n")
	}
	return strings.Join(rules, "\n\n"), turns, nil
}

// blocksOf translates one message. Blank text is left out: the API refuses it.
func blocksOf(m *chatMessage) ([]block, *fault.Error) {
	blocks, err := contentBlocks(m.Content)
	if err != nil {
		return nil, err
	}
	switch m.Role {
	case "tool", "function":
		return []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: blocks}}, nil
	case roleUser:
		// Several people may speak in a session, and this wire has no field for names.
		if m.Name != "" && len(blocks) > 0 && blocks[0].Type == "text" {
			blocks[0].Text = cite.Name(m.Name) + ": " + blocks[0].Text
		}
	}
	for _, c := range m.ToolCalls {
		input := json.RawMessage(c.Function.Arguments)
		if trimmed := strings.TrimSpace(c.Function.Arguments); !strings.HasPrefix(trimmed, "{") || !json.Valid(input) {
			input = json.RawMessage("{}")
		}
		blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: input})
	}
	return blocks, nil
}

// contentBlocks translates content: text, parts, or null.
func contentBlocks(raw json.RawMessage) ([]block, *fault.Error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if blank(text) {
			return nil, nil
		}
		return []block{{Type: "text", Text: text}}, nil
	}
	var parts []contentPart
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, fault.Wrap(fault.Invalid, "invalid_content_part", "The content is neither text nor a list of parts.", err)
	}
	var out []block
	for i := range parts {
		if b := parts[i].block(); b.Type != "text" || !blank(b.Text) {
			out = append(out, b)
		}
	}
	return out, nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
