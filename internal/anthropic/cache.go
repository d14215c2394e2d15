package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
)

// Cache are the marks by which a client says how much of its prompt is to be cached: each
// one ends a prefix. No chat completion holds them.
type Cache struct {
	// System are the marks in the instructions; nil for none.
	System *SystemMarks `json:"system,omitempty"`
	// Marks are those on tools and on blocks of messages.
	Marks []Mark `json:"marks,omitempty"`
}

// SystemMarks are marks in the instructions of a client, which are the end of all
// instructions that a model is sent.
type SystemMarks struct {
	// Size is the size of the client's instructions, in bytes, and Key their [KeyOf].
	Size int    `json:"size"`
	Key  string `json:"key"`
	// Ends are the marked places.
	Ends []MarkedEnd `json:"ends"`
}

// MarkedEnd is a marked place in a text, in bytes from its beginning.
type MarkedEnd struct {
	At      int      `json:"at"`
	Control rawValue `json:"control"`
}

// Mark is the mark on a block or a tool.
type Mark struct {
	// Type is tool, tool_use, tool_result or text.
	Type string `json:"type"`
	// Key is the tool's name, the id of a call, or the [KeyOf] a text.
	Key     string   `json:"key"`
	Control rawValue `json:"control"`
}

// KeyOf tells a text from others.
func KeyOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// mark notes a mark, if control is one.
func (c *conversation) mark(kind, key string, control rawValue) {
	if len(control) > 0 && control[0] == '{' {
		c.marks = append(c.marks, Mark{kind, key, control})
	}
}

// markText notes the mark on the last block of what a message says. Blocks of text become one
// text.
func (c *conversation) markText(content any, control rawValue) {
	switch said := content.(type) {
	case string:
		c.mark("text", KeyOf(said), control)
	case []part:
		if last := said[len(said)-1]; last.Text != nil {
			c.mark("text", KeyOf(*last.Text), control)
		}
	}
}

// cache are the marks of a request; nil for none.
func (r *Request) cache() *Cache {
	c := &Cache{System: r.said.systemMarks(), Marks: r.said.marks}
	for i := range r.in.Tools {
		if t := &r.in.Tools[i]; t.hosted() == "" && t.CacheControl.Kind() == '{' {
			c.Marks = append(c.Marks, Mark{"tool", t.Name, rawValue(t.CacheControl)})
		}
	}
	if c.System == nil && c.Marks == nil {
		return nil
	}
	return c
}

// systemMarks are the marks in the instructions; nil for none.
func (c *conversation) systemMarks() *SystemMarks {
	whole := joined(c.system)
	m := &SystemMarks{Size: len(whole), Key: KeyOf(whole)}
	for i := range c.system {
		if control := c.controls[i]; len(control) > 0 && control[0] == '{' {
			m.Ends = append(m.Ends, MarkedEnd{len(joined(c.system[:i+1])), control})
		}
	}
	if m.Ends == nil {
		return nil
	}
	return m
}
