package upstream

import "github.com/hermes-memory/hermes/internal/anthropic"

// mark puts the client's marks for the cache on what goes through unchanged: its tools, its
// instructions at the end of the system prompt, and its messages.
func (b *messagesBody) mark(c *anthropic.Cache, system string) {
	if c.System != nil {
		if blocks := markedSystem(c.System, system); blocks != nil {
			b.System = blocks
		}
	}
	for _, m := range c.Marks {
		if m.Type == "tool" {
			b.markTool(m)
		} else {
			b.markBlock(m)
		}
	}
}

func (b *messagesBody) markTool(m anthropic.Mark) {
	for i := range b.Tools {
		if t, ok := b.Tools[i].(tool); ok && t.Name == m.Key {
			t.CacheControl = m.Control
			b.Tools[i] = t
		}
	}
}

// markBlock marks the newest block that a mark is for.
func (b *messagesBody) markBlock(m anthropic.Mark) {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		content := b.Messages[i].Content
		for k := len(content) - 1; k >= 0; k-- {
			if at := &content[k]; at.Type == m.Type && at.key() == m.Key {
				at.CacheControl = m.Control
				return
			}
		}
	}
}

// key is what marks call a block by.
func (b *block) key() string {
	switch b.Type {
	case "tool_use":
		return b.ID
	case "tool_result":
		return b.ToolUseID
	}
	return anthropic.KeyOf(b.Text)
}

// markedSystem divides a system prompt at its marks; nil if the client's instructions are
// not the end of it.
func markedSystem(m *anthropic.SystemMarks, system string) (out []block) {
	begin := len(system) - m.Size
	if begin < 0 || anthropic.KeyOf(system[begin:]) != m.Key {
		return nil
	}
	from := 0
	for _, end := range m.Ends {
		to := begin + end.At
		if to <= from || to > len(system) {
			return nil
		}
		out = append(out, block{Type: "text", Text: system[from:to], CacheControl: end.Control})
		from = to
	}
	if rest := system[from:]; !blank(rest) {
		out = append(out, block{Type: "text", Text: rest})
	}
	return out
}
