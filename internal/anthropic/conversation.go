package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// conversation is the conversation of a request in the form of chat completions.
type conversation struct {
	// system are the instructions, each once, wherever they stand in the request: some
	// models take a system message at the beginning only.
	system   []string
	controls []rawValue      // the marks for the cache on the texts in system
	marks    []Mark          // those on messages
	told     map[string]bool // the texts in system
	messages []chatMessage
	omitted  []string // the types of the blocks left out, the first ones
	cached   bool     // some block is marked for the cache
	last     []block  // of the last message of the user
	notifies bool     // the client wrote all of the last message
}

// chatMessage is a message of a chat completion. Content is a text, parts, or nil.
type chatMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function calledByName `json:"function"`
}

type calledByName struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// read translates the system prompt and the messages of a request.
func (c *conversation) read(in *wireRequest) *Problem {
	if problem := c.instruct(in.System, "system"); problem != nil {
		return problem
	}
	newest := len(in.Messages) - 1
	for newest > 0 && in.Messages[newest].Role == "system" {
		newest--
	}
	for i := range in.Messages {
		m, path := &in.Messages[i], fmt.Sprintf("messages.%d", i)
		var problem *Problem
		switch m.Role {
		case "system":
			problem = c.instruct(m.Content, path+".content")
		case "user":
			problem = c.user(m.Content, path+".content", i == newest)
		case "assistant":
			problem = c.assistant(m.Content, path+".content")
		default:
			problem = at(path+".role", "must be user, assistant or system")
		}
		if problem != nil {
			return problem
		}
	}
	if len(c.messages) == 0 {
		return at("messages", "the messages hold nothing to answer")
	}
	return nil
}

// instruct adds instructions.
func (c *conversation) instruct(raw jsontext.Value, path string) *Problem {
	blocks, problem := c.blocks(raw, path)
	for i := range blocks {
		if b := &blocks[i]; b.Type == "text" && !isBilling(b.Text) {
			c.addSystem(b)
		}
	}
	return problem
}

func (c *conversation) addSystem(b *block) {
	text := b.Text
	if strings.TrimSpace(text) == "" || c.told[text] {
		return
	}
	if c.told == nil {
		c.told = make(map[string]bool)
	}
	c.told[text] = true
	c.system, c.controls = append(c.system, text), append(c.controls, rawValue(b.CacheControl))
}

// blocks reads content, and notes whether some of it is marked for the cache.
func (c *conversation) blocks(raw jsontext.Value, path string) ([]block, *Problem) {
	blocks, problem := blocksOf(raw, path)
	c.cached = c.cached || slices.ContainsFunc(blocks, func(b block) bool { return b.CacheControl.Kind() == '{' })
	return blocks, problem
}

// user adds a message of the user. The results of tools come first and become messages of
// their own. Blocks that the client itself wrote are instructions, unless they are all that
// there is to answer.
func (c *conversation) user(raw jsontext.Value, path string, newest bool) *Problem {
	blocks, problem := c.blocks(raw, path)
	if problem != nil {
		return problem
	}
	c.last = blocks
	c.notifies = newest && isNotification(blocks)
	var said []part
	var control rawValue // of the last block
	for i := range blocks {
		b, place := &blocks[i], fmt.Sprintf("%s.%d", path, i)
		if isReminder(b) && !c.notifies {
			c.addSystem(b)
			continue
		}
		if b.Type == "tool_result" {
			if problem := c.result(b, place); problem != nil {
				return problem
			}
			continue
		}
		ps, problem := c.parts(b, place)
		if problem != nil {
			return problem
		}
		said, control = append(said, ps...), rawValue(b.CacheControl)
	}
	if len(said) > 0 {
		content := contentOf(said)
		c.messages = append(c.messages, chatMessage{Role: "user", Content: content})
		c.markText(content, control)
	}
	return nil
}

// parts are the parts of a block, which is noted as omitted if it has none.
func (c *conversation) parts(b *block, path string) ([]part, *Problem) {
	ps, known, problem := b.parts(path)
	if !known {
		c.omitted = appendOnce(c.omitted, b.Type)
	}
	return ps, problem
}

// result adds the result of a tool.
func (c *conversation) result(b *block, path string) *Problem {
	if b.ToolUseID == "" {
		return at(path+".tool_use_id", "Field required")
	}
	blocks, problem := c.blocks(b.Content, path+".content")
	if problem != nil {
		return problem
	}
	var shown []part
	for i := range blocks {
		ps, problem := c.parts(&blocks[i], fmt.Sprintf("%s.content.%d", path, i))
		if problem != nil {
			return problem
		}
		shown = append(shown, ps...)
	}
	if b.IsError {
		shown = asError(shown)
	}
	c.messages = append(c.messages, chatMessage{Role: "tool", Content: contentOf(shown), ToolCallID: b.ToolUseID})
	c.mark("tool_result", b.ToolUseID, rawValue(b.CacheControl))
	return nil
}

// asError says at the beginning of a result that it is an error.
func asError(ps []part) []part {
	const mark = "Error: "
	if len(ps) == 0 || ps[0].Text == nil {
		return append([]part{textPart(mark)}, ps...)
	}
	if text := *ps[0].Text; !beginsWithError(text) {
		ps[0] = textPart(mark + text)
	}
	return ps
}

// beginsWithError reports whether a result says itself that it is an error.
func beginsWithError(text string) bool {
	const word = "error"
	text = strings.TrimLeft(text, "<[( \n")
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

// assistant adds an answer. Thoughts are left out: they are signed for one model, and no
// chat completion holds them.
func (c *conversation) assistant(raw jsontext.Value, path string) *Problem {
	blocks, problem := c.blocks(raw, path)
	if problem != nil {
		return problem
	}
	m := chatMessage{Role: "assistant"}
	text := ""
	var control rawValue // of the last text
	for i := range blocks {
		b := &blocks[i]
		switch {
		case b.Type == "text":
			text += b.Text
			control = rawValue(b.CacheControl)
		case b.Type == "tool_use":
			if b.ID == "" || b.Name == "" {
				return at(fmt.Sprintf("%s.%d", path, i), "a tool_use block needs an id and a name")
			}
			m.ToolCalls = append(m.ToolCalls, chatCall{b.ID, "function", calledByName{b.Name, argumentsOf(b.Input)}})
			c.mark("tool_use", b.ID, rawValue(b.CacheControl))
		case b.Type == "thinking" || b.Type == "redacted_thinking":
		default:
			c.omitted = appendOnce(c.omitted, b.Type)
		}
	}
	if text != "" {
		m.Content = text
		c.markText(text, control)
	}
	if m.Content != nil || m.ToolCalls != nil {
		c.messages = append(c.messages, m)
	}
	return nil
}

// argumentsOf are the arguments of a call as text.
func argumentsOf(input jsontext.Value) string {
	if input.Kind() != '{' || input.Compact() != nil {
		return "{}"
	}
	return string(input)
}

// contentOf is the content of a message: one text, if it has no other parts.
func contentOf(ps []part) any {
	var texts []string
	for _, p := range ps {
		if p.Text == nil {
			return ps
		}
		texts = append(texts, *p.Text)
	}
	return strings.Join(texts, "\n")
}
