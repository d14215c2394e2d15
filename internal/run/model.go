package run

import (
	"context"
	"iter"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Model answers a prompt: an upstream server, or the built-in recall responder.
type Model interface {
	// Stream sends the prompt and returns once it is accepted, that is, once the answer
	// has begun or is certain to begin. A refusal (a wrong key, a rate limit, a
	// malformed body) is a fault with the upstream's status, code and Retry-After. If
	// the server cannot be reached, the fault is Unavailable or Timeout.
	//
	// The sequence yields the answer piece by piece and stops at the first error.
	// Leaving the loop, or cancelling ctx, cancels the call. The sequence can be read
	// once.
	Stream(ctx context.Context, p *Prompt) (iter.Seq2[Delta, error], error)
}

// Prompt is one call of a model.
type Prompt struct {
	// Model is the model's name at the upstream; "" means the default.
	Model string
	// Streaming asks for the answer in pieces. Without it, the model yields one Delta
	// with the whole answer.
	Streaming bool
	// Body is the client's unchanged request in JSON, so that unknown parameters reach
	// the upstream. Only "messages" and "model" are replaced, and "tools" if this
	// server offers tools. It is nil for prompts that did not come over HTTP.
	Body []byte
	// Extras are the Extras of the request.
	Extras []byte
	// Messages are the messages for the model in order.
	Messages []session.Message
	// Tools replaces the "tools" array of Body; nil keeps it.
	Tools []byte
	// NoCalls forbids tool calls: the model must answer now.
	NoCalls bool
	// Raw sends the messages of Body instead of Messages, for stateless calls.
	Raw bool
	// Question is for the recall responder; models ignore it.
	Question *Question
}

// Delta is a piece of an answer. Absent parts are empty.
type Delta struct {
	// Raw is the piece as the upstream sent it: the JSON of one chunk, or of the whole
	// completion if the prompt was not streaming. It is nil if the model speaks another
	// protocol; the door then encodes the fields.
	Raw []byte

	Content   string
	Reasoning string // thinking text that some models show in addition to the answer
	ToolCalls []ToolCall
	// FinishReason is set on the piece that ends the answer (of choice 0).
	FinishReason string
	// StopSequence is the text of the client that ended the answer, if the model says so.
	StopSequence string
	// Finishes says that the piece has a finish reason of any choice.
	Finishes bool
	// NoChoices says that Raw is a chunk with empty "choices". Only clients that asked
	// for usage may be sent one.
	NoChoices bool
	Usage     *Usage
	// Model is the model that the upstream reports.
	Model string
	// Used are the facts that the answer quotes, if the responder knows them.
	Used []memory.FactID
	// Recall tells how sure the recall responder is; nil if nothing was asked or if a
	// model answers.
	Recall *Recall
	// Result is set on the last piece of a stored turn.
	Result *Result
}

// ToolCall is a tool call of a model; in a streamed answer, a part of one.
type ToolCall struct {
	Index     int    // the call of the answer that this part belongs to
	ID        string // only on the first part
	Name      string // only on the first part
	Arguments string // JSON text, in pieces
}

// Usage is the cost of a call, in tokens.
type Usage struct {
	Input, Output int
	// Raw is the upstream's unchanged usage object.
	Raw []byte
}

// Question is the material for the recall responder: the turn's input and the memory
// about it.
type Question struct {
	// Input are the messages to answer.
	Input []session.Message
	Now   time.Time
	// View is the memory of the scope. It includes Input already.
	View *memory.View
	// Learned and Reversals are the changes that Input caused in memory.
	Learned   []memory.Fact
	Reversals []memory.Reversal
	// Own reports whether a message belongs to this turn, so that the answer need not
	// quote it.
	Own func(root session.ID, seq int64) bool
	// Quotes reads messages of the scope.
	Quotes func(ctx context.Context, places []memory.Place) ([]ranking.Document, error)
}
