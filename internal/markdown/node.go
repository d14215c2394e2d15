package markdown

import "encoding/json"

// BlockType is the kind of a block.
type BlockType string

// The kinds of blocks.
const (
	Paragraph BlockType = "paragraph"
	Heading   BlockType = "heading"
	List      BlockType = "list"
	Item      BlockType = "item"
	Quote     BlockType = "quote"
	Code      BlockType = "code"
	Table     BlockType = "table"
	Rule      BlockType = "rule"
)

// Block is a block of a text. Raw HTML is text, as everything else that has no other
// meaning here.
type Block struct {
	Type BlockType `json:"type"`
	// Level of a heading, 1 to 6.
	Level int `json:"level,omitempty"`
	// Ordered lists are numbered, from Start on; absent is 0.
	Ordered bool `json:"ordered,omitempty"`
	Start   int  `json:"start,omitempty"`
	// Tight lists have no blank lines between their items.
	Tight bool `json:"tight,omitempty"`
	// Checked is the state of an item that is a task; nil for other items.
	Checked *bool `json:"checked,omitempty"`
	// Language of a code block; "" if it names none. Text is the code.
	Language string `json:"language,omitempty"`
	Text     string `json:"text,omitempty"`
	// Inlines are the content of a paragraph or heading.
	Inlines []Inline `json:"inlines,omitempty"`
	// Blocks are the items of a list, and the content of an item or a quote.
	Blocks []Block `json:"blocks,omitempty"`
	// Align has a word for each column of a table: "", "left", "center" or "right".
	Align  []string `json:"align,omitempty"`
	Header []Cell   `json:"header,omitempty"`
	Rows   [][]Cell `json:"rows,omitempty"`
}

// Cell is a cell of a table.
type Cell []Inline

// MarshalJSON writes an empty cell as an empty list.
func (c Cell) MarshalJSON() ([]byte, error) {
	if len(c) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]Inline(c))
}

// InlineType is the kind of an inline node.
type InlineType string

// The kinds of inline nodes.
const (
	Text          InlineType = "text"
	Strong        InlineType = "strong"
	Emphasis      InlineType = "emphasis"
	Strikethrough InlineType = "strikethrough"
	CodeSpan      InlineType = "code"
	Link          InlineType = "link"
	Break         InlineType = "break"
)

// Inline is a part of a line. An image is a link with its description: nothing loads it,
// because a model can be made to write an address that carries secrets.
type Inline struct {
	Type InlineType `json:"type"`
	// Text of a text or a code span. A line feed in it is a soft line break.
	Text string `json:"text,omitempty"`
	// Href is the address of a link: http, https or mailto.
	Href string `json:"href,omitempty"`
	// Inlines are the content of the other kinds.
	Inlines []Inline `json:"inlines,omitempty"`
}
