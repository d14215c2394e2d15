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
	// Stream sends the prompt and returns once it was accepted, that is, once
	// the answer has begun or is certain to begin. A refusal (a wrong key, a
	// rate limit, a malformed body) is returned as a fault that carries the
	// upstream's status, code and retry delay. A server that could not be
	// reached at all is an Unavailable or Timeout fault.
	//
	// The sequence yields the answer piece by piece and stops at the first
	// error; it yields no error when the model ended by its own will. Leaving
	// the loop, or cancelling ctx, ends the call upstream. The sequence can be
	// ranged over once.
	Stream(ctx context.Context, p *Prompt) (iter.Seq2[Delta, error], error)
}

// Prompt is one call of a model.
type Prompt struct {
	// Model is the name for the upstream, "" for its default.
	Model string
	// Streaming asks for the answer in pieces. When false the model yields one
	// Delta that holds all of it.
	Streaming bool
	// Body is the client's request as it came, in JSON, so that parameters this
	// program does not know reach the upstream untouched. Only "messages",
	// "model" and, where this server has tools, "tools" are replaced. Nil for prompts that did not come over the wire.
	Body []byte
	// Messages is what the model is shown, in order.
	Messages []session.Message
	// Tools is the "tools" array to send instead of Body's own; nil leaves that.
	Tools []byte
	// NoCalls says that the model must answer now: it may call no tool.
	NoCalls bool
	// Raw says that Messages are to be ignored and Body's own be sent: a
	// stateless call is passed through as it is.
	Raw bool
	// Question is for the recall responder; models ignore it.
	Question *Question
}

// Delta is a piece of an answer. Fields that a piece does not carry are empty.
type Delta struct {
	// Raw is the piece exactly as the upstream sent it: the JSON of one chunk,
	// or of the whole completion when the prompt was not streaming. Nil when
	// the model does not speak this wire; the door then encodes the fields.
	Raw []byte

	Content   string
	Reasoning string // thinking text that some models show in addition to the answer
	ToolCalls []ToolCall
	// FinishReason is set on the piece that ends the answer (of choice 0).
	FinishReason string
	// Finishes says that the piece carries a finish reason of any choice.
	Finishes bool
	// NoChoices says that Raw is a chunk whose "choices" is empty: only clients
	// that asked for usage may see one.
	NoChoices bool
	Usage     *Usage
	// Model is the name the upstream answered under.
	Model string
	// Used are the facts the answer quotes, where the responder knows them.
	Used []memory.FactID
	// Result is set on the piece that finishes a stored turn.
	Result *Result
}

// ToolCall is a call the model asks for; in a streaming answer, a part of one.
type ToolCall struct {
	Index     int    // which call of the answer this part belongs to
	ID        string // on the first part
	Name      string // on the first part
	Arguments string // JSON text, in pieces
}

// Usage is what a call cost, in tokens.
type Usage struct {
	Input, Output int
	// Raw is the upstream's own usage object, passed on untouched.
	Raw []byte
}

// Question is what the recall responder works from: the turn's input and what
// memory holds about it.
type Question struct {
	// Input is what the turn asks or tells.
	Input []session.Message
	Now   time.Time
	// View is the memory of the scope; it already holds what Input tells.
	View *memory.View
	// Learned and Reversals are what Input brought.
	Learned   []memory.Fact
	Reversals []memory.Reversal
	// Own reports whether a message belongs to this turn: quoting it back would be
	// useless.
	Own func(root session.ID, seq int64) bool
	// Quotes reads messages of the scope.
	Quotes func(ctx context.Context, places []memory.Place) ([]ranking.Document, error)
}
