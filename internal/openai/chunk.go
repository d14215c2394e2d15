package openai

import (
	"encoding/json"
	"strconv"

	"github.com/hermes-memory/hermes/internal/bound"
)

// Chunk is the part of a streamed chunk, or of a whole completion, that this program
// reads. The other members pass through as bytes.
type Chunk struct {
	ID      string
	Model   string
	Choices []Choice
	Usage   json.RawMessage // the unchanged object; nil when absent or null
	// Undated says that the member "created" is no time.
	Undated bool
	Error   *Error
}

// Choice is one choice of a chunk (Delta) or of a completion (Message).
type Choice struct {
	Index        int
	Delta        Piece
	Message      Piece
	FinishReason string
}

// Piece is a part of an answer.
type Piece struct {
	// Content is the text. If the content is a list of parts, it is their texts joined.
	Content   string
	Refusal   string
	Reasoning string // "reasoning_content" or "reasoning", depending on the server
	ToolCalls []Call
}

// Call is a tool call, or a part of one in a stream.
type Call struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Error is the error object of OpenAI's API.
type Error struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    any     `json:"code"` // a string, a number or null, depending on the server
}

// CodeText is the code as text; "" for none.
func (e *Error) CodeText() string {
	switch c := e.Code.(type) {
	case string:
		return c
	case float64:
		return strconv.Itoa(int(c))
	}
	return ""
}

// ParseChunk reads a chunk or a completion.
func ParseChunk(raw []byte) (Chunk, error) {
	var c Chunk
	err := c.Read(raw)
	return c, err
}

// Read is [ParseChunk] into a reused chunk, so that values shared by all chunks of an
// answer are not allocated again. Usage is a part of raw.
func (c *Chunk) Read(raw []byte) error {
	*c = Chunk{ID: c.ID, Model: c.Model, Choices: c.Choices[:0]}
	s := scanner{text: raw}
	if s.peek() != '{' {
		return errSyntax
	}
	id, model := "", ""
	s.object(func(name []byte) {
		switch string(name) {
		case "id":
			id = s.same(c.ID)
		case "model":
			model = s.same(c.Model)
		case "choices":
			s.array(func() { c.Choices = append(c.Choices, readChoice(&s)) })
		case "usage":
			c.Usage = s.raw()
		case "created":
			_, ok := bound.Seconds(s.raw())
			c.Undated = !ok
		case "error":
			c.Error = readError(&s)
		default:
			s.skip()
		}
	})
	s.end()
	c.ID, c.Model = id, model
	if s.bad {
		return errSyntax
	}
	return nil
}

func readChoice(s *scanner) Choice {
	var c Choice
	s.object(func(name []byte) {
		switch string(name) {
		case "index":
			c.Index = s.integer(0)
		case "delta":
			readPiece(s, &c.Delta)
		case "message":
			readPiece(s, &c.Message)
		case "finish_reason":
			c.FinishReason = s.str()
		default:
			s.skip()
		}
	})
	return c
}

func readPiece(s *scanner, p *Piece) {
	s.object(func(name []byte) {
		switch string(name) {
		case "content":
			readContent(s, p)
		case "refusal":
			p.Refusal = s.str()
		case "reasoning_content", "reasoning":
			if text := s.str(); text != "" {
				p.Reasoning = text
			}
		case "tool_calls":
			s.array(func() { p.ToolCalls = append(p.ToolCalls, readCall(s, len(p.ToolCalls))) })
		default:
			s.skip()
		}
	})
}

// readContent reads text, or the content parts that some servers send instead.
func readContent(s *scanner, p *Piece) {
	if s.peek() != '[' {
		p.Content = s.str()
		return
	}
	s.array(func() {
		kind, text := "", ""
		s.object(func(name []byte) {
			switch string(name) {
			case "type":
				kind = s.str()
			case "text":
				text = s.str()
			default:
				s.skip()
			}
		})
		if kind == "text" || kind == "output_text" {
			p.Content += text
		}
	})
}

// readCall reads a tool call. If the server sends no index, the position in the list
// counts.
func readCall(s *scanner, place int) Call {
	c := Call{Index: place}
	s.object(func(name []byte) {
		switch string(name) {
		case "index":
			c.Index = s.integer(place)
		case "id":
			c.ID = s.str()
		case "type":
			c.Type = s.str()
		case "function":
			s.object(func(name []byte) {
				switch string(name) {
				case "name":
					c.Function.Name = s.str()
				case "arguments":
					if s.peek() == '"' {
						c.Function.Arguments = s.str()
					} else {
						c.Function.Arguments = string(s.raw())
					}
				default:
					s.skip()
				}
			})
		default:
			s.skip()
		}
	})
	return c
}

// readError reads an error: an object, or a text alone.
func readError(s *scanner) *Error {
	var e Error
	switch s.peek() {
	case '"':
		e.Message = s.str()
		return &e
	case '{':
	default:
		s.skip()
		return nil
	}
	s.object(func(name []byte) {
		switch string(name) {
		case "message":
			e.Message = s.str()
		case "type":
			e.Type = s.str()
		case "param":
			if param := s.str(); param != "" {
				e.Param = &param
			}
		case "code":
			if s.peek() == '"' {
				e.Code = s.str()
			} else if n := s.integer(0); n != 0 {
				e.Code = float64(n)
			}
		default:
			s.skip()
		}
	})
	return &e
}
