package anthropic

import "encoding/json"

// Event is an event of a stream.
type Event struct {
	Type string
	Data []byte // JSON
}

// Stream builds an answer from pieces, and the events that tell it.
type Stream struct {
	head   message
	blocks []*answerBlock
	open   int // the index of the open block; -1 for none
}

// NewStream begins an answer.
func NewStream(id, model string) *Stream {
	return &Stream{head: message{ID: id, Type: "message", Role: "assistant", Model: model, Content: []*answerBlock{}}, open: -1}
}

// Begin returns the event that begins the answer.
func (s *Stream) Begin() []Event {
	return []Event{event("message_start", struct {
		Type    string   `json:"type"`
		Message *message `json:"message"`
	}{"message_start", &s.head})}
}

// Ping returns the event that keeps an idle stream alive.
func Ping() Event {
	return event("ping", struct {
		Type string `json:"type"`
	}{"ping"})
}

// Add adds a piece and returns its events.
func (s *Stream) Add(p *Piece) (out []Event) {
	if p.Thinking != "" {
		out = append(out, s.write("thinking", p.Thinking)...)
	}
	if p.Text != "" {
		out = append(out, s.write("text", p.Text)...)
	}
	for i := range p.Calls {
		out = append(out, s.call(&p.Calls[i])...)
	}
	return out
}

// write adds a text to the open block, or to a new one if the open block is of another
// kind.
func (s *Stream) write(kind, text string) (out []Event) {
	if s.open < 0 || s.blocks[s.open].kind != kind {
		out = s.start(&answerBlock{kind: kind})
	}
	return append(out, s.grow(s.open, text))
}

// call adds a part of a call. The parts of several calls may alternate.
func (s *Stream) call(p *CallPart) (out []Event) {
	at := s.find(p.Index)
	if at < 0 {
		out = s.start(&answerBlock{kind: "tool_use", id: p.ID, name: p.Name, call: p.Index})
		at = s.open
	}
	if p.Arguments == "" {
		return out
	}
	return append(out, s.grow(at, p.Arguments))
}

// find is the index of the block of a call; -1 for none.
func (s *Stream) find(call int) int {
	for i, b := range s.blocks {
		if b.kind == "tool_use" && b.call == call {
			return i
		}
	}
	return -1
}

// start ends the open block and opens another one.
func (s *Stream) start(b *answerBlock) []Event {
	out := s.stop()
	s.open = len(s.blocks)
	s.blocks = append(s.blocks, b)
	return append(out, event("content_block_start", struct {
		Type  string       `json:"type"`
		Index int          `json:"index"`
		Block *answerBlock `json:"content_block"`
	}{"content_block_start", s.open, b}))
}

// stop ends the open block.
func (s *Stream) stop() []Event {
	if s.open < 0 {
		return nil
	}
	at := s.open
	s.open = -1
	return []Event{event("content_block_stop", struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
	}{"content_block_stop", at})}
}

// delta is a piece of a block. One of the texts is set.
type delta struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	JSON     string `json:"partial_json,omitempty"`
}

// grow adds a text to a block.
func (s *Stream) grow(at int, text string) Event {
	b := s.blocks[at]
	b.text.WriteString(text)
	d := delta{Type: "text_delta", Text: text}
	switch b.kind {
	case "thinking":
		d = delta{Type: "thinking_delta", Thinking: text}
	case "tool_use":
		d = delta{Type: "input_json_delta", JSON: text}
	}
	return event("content_block_delta", struct {
		Type  string `json:"type"`
		Index int    `json:"index"`
		Delta delta  `json:"delta"`
	}{"content_block_delta", at, d})
}

// End returns the events that end the answer.
func (s *Stream) End(end *End) []Event {
	type outcome struct {
		StopReason   string  `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	return append(s.stop(), event("message_delta", struct {
		Type   string   `json:"type"`
		Delta  outcome  `json:"delta"`
		Usage  Usage    `json:"usage"`
		Hermes rawValue `json:"hermes,omitempty"`
	}{"message_delta", outcome{end.StopReason, textOrNull(end.StopSequence)}, end.Usage, end.Hermes}),
		event("message_stop", struct {
			Type string `json:"type"`
		}{"message_stop"}))
}

// Message is the whole answer as JSON.
func (s *Stream) Message(end *End) []byte {
	m := s.head
	m.Content = append(m.Content, s.blocks...)
	if end.Model != "" {
		m.Model = end.Model
	}
	m.StopReason, m.StopSequence = &end.StopReason, textOrNull(end.StopSequence)
	m.Usage, m.Hermes = end.Usage, end.Hermes
	out, _ := json.Marshal(&m) // texts, numbers and valid JSON only: cannot fail
	return out
}

// event makes an event of a value.
func event(kind string, v any) Event {
	data, _ := json.Marshal(v) // texts, numbers and valid JSON only: cannot fail
	return Event{Type: kind, Data: data}
}
