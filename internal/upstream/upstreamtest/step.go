package upstreamtest

import (
	"net/http"
	"strings"
	"time"
)

// Step is one reply. The zero Step is an empty answer that ends properly.
type Step struct {
	// Text is the answer. Chunks is the same answer in the pieces of a stream.
	Text      string
	Chunks    []string
	Reasoning string
	ToolCalls []ToolCall
	Finish    string // finish reason in OpenAI's words; "" derives it from the step
	Usage     *Usage
	Model     string // "" repeats the requested model

	Before  time.Duration   // wait before the header
	Hold    <-chan struct{} // wait for it before the header; a close releases all
	Between time.Duration   // wait before each piece of a stream
	Next    <-chan struct{} // wait for one before each piece of a stream

	// Status other than 0 and 200 makes the reply a refusal with Body.
	Status int
	Body   string
	Header http.Header // added to the reply's

	// Raw is sent as the body, whatever the client asked for. Shape still applies.
	Raw   []byte
	Shape Shape

	// How a stream may end after its pieces. Cut breaks the connection after CutAfter
	// pieces; with Clean, the response ends there without an error. Garbage is sent as
	// the data of an event. ErrorMidStream is the JSON of an error object. Hang waits
	// until the client disconnects.
	Cut            bool
	CutAfter       int
	Clean          bool
	Garbage        string
	ErrorMidStream string
	Hang           bool
}

// ToolCall is a tool call of the scripted model.
type ToolCall struct{ ID, Name, Arguments string }

// Usage is the token count that the answer reports.
type Usage struct{ Input, Output, Cached int }

// Shape overrides the form that the client asked for, as some servers do.
type Shape string

// The shapes; "" follows the request.
const (
	AsAsked  Shape = ""
	AsJSON   Shape = "json"
	AsStream Shape = "stream"
)

// Reply is a Step that answers with a text.
func Reply(text string) Step { return Step{Text: text} }

// Refuse is a Step that answers with an error status and OpenAI's error object.
func Refuse(status int, code, message string) Step {
	body := append([]byte(`{"error":{"message":`), quote(message)...)
	body = append(body, `,"type":"invalid_request_error","param":null,"code":`...)
	body = append(append(body, quote(code)...), "}}"...)
	return Step{Status: status, Body: string(body)}
}

func (s *Step) pieces() []string {
	if s.Chunks == nil && s.Text != "" {
		return []string{s.Text}
	}
	return s.Chunks
}

func (s *Step) text() string {
	if s.Chunks == nil {
		return s.Text
	}
	return strings.Join(s.Chunks, "")
}

func (s *Step) finish() string {
	switch {
	case s.Finish != "":
		return s.Finish
	case len(s.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}
