package anthropic

import (
	"encoding/json"
	"strings"
)

// Usage counts the tokens of an answer. Input tokens that were read from a cache are not
// part of Input.
type Usage struct {
	Input        int `json:"input_tokens"`
	CacheWritten int `json:"cache_creation_input_tokens"`
	CacheRead    int `json:"cache_read_input_tokens"`
	Output       int `json:"output_tokens"`
}

// Piece is a piece of an answer. Absent parts are empty.
type Piece struct {
	Text     string
	Thinking string
	Calls    []CallPart
}

// CallPart is a part of a tool call.
type CallPart struct {
	Index     int    // the call of the answer that the part belongs to
	ID, Name  string // only on the first part
	Arguments string // JSON text, in pieces
}

// End is the outcome of an answer.
type End struct {
	// Model is the model that answered; "" for the one that the answer began with.
	Model string
	// StopReason is a stop reason of this format; StopSequence is the text that ended the
	// answer, for the reason of the same name.
	StopReason, StopSequence string
	Usage                    Usage
	// Hermes is the value of the member "hermes".
	Hermes []byte
}

// answerBlock is a content block of an answer while it is being built.
type answerBlock struct {
	kind     string // text, thinking or tool_use
	id, name string
	text     strings.Builder // of a tool_use: its input
	call     int             // the index of the call
}

// MarshalJSON implements json.Marshaler.
func (b *answerBlock) MarshalJSON() ([]byte, error) {
	switch text := b.text.String(); b.kind {
	case "thinking":
		return json.Marshal(thinkingBlock{b.kind, text, ""})
	case "tool_use":
		return json.Marshal(toolUse{b.kind, b.id, b.name, inputOf(text)})
	default:
		return json.Marshal(textBlock{b.kind, text})
	}
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

type toolUse struct {
	Type  string   `json:"type"`
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Input rawValue `json:"input"`
}

// inputOf is the input of a call; empty if the model wrote no JSON object.
func inputOf(arguments string) rawValue {
	if text := strings.TrimSpace(arguments); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return rawValue(text)
	}
	return rawValue("{}")
}

// message is an answer.
type message struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []*answerBlock `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        Usage          `json:"usage"`
	Hermes       rawValue       `json:"hermes,omitempty"`
}

// textOrNull is null for "".
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
