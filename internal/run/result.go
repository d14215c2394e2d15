package run

import (
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// Result is what a finished turn reports. It is also what an idempotency key
// keeps, so that a repeated request gets the same answer.
type Result struct {
	SessionID  session.ID        `json:"session_id"`
	RootID     session.ID        `json:"lineage_root_id"`
	Created    bool              `json:"created,omitempty"`
	Compressed bool              `json:"compressed"`
	Stored     bool              `json:"stored"`
	Responder  lineage.Responder `json:"responder"`
	Model      string            `json:"model"`
	ReceiptID  string            `json:"receipt_id,omitempty"`

	Used      []memory.FactID `json:"used"`
	Learned   []Learned       `json:"learned"`
	Reversals []Reversal      `json:"reversals"`
	Context   lineage.Context `json:"context"`

	// UsageEstimated says that the upstream reported no usage.
	UsageEstimated bool `json:"usage_estimated"`
	InputTokens    int  `json:"input_tokens"`
	OutputTokens   int  `json:"output_tokens"`
	// CachedTokens are those of the input that the upstream had at hand,
	// ReasoningTokens those of the output that it did not show.
	CachedTokens    int `json:"cached_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`

	// Tools are the tools of this server that were run, in order.
	Tools []lineage.ToolUse `json:"tools,omitempty"`

	// From and To bound the messages of the turn in the lineage, its input included: To
	// is the Seq after the last. Both are 0 if nothing is stored.
	From int64 `json:"from_seq,omitempty"`
	To   int64 `json:"to_seq,omitempty"`

	// Answer is the message as the client gets it.
	Answer Answer `json:"answer"`
	At     time.Time
}

// Answer is the text and calls of a reply.
type Answer struct {
	Content      string `json:"content"`
	ToolCalls    []byte `json:"tool_calls,omitempty"`
	FinishReason string `json:"finish_reason"`
	// Raw is the upstream's whole completion, when it answered in one piece.
	Raw []byte `json:"raw,omitempty"`
}

// Learned is a fact this turn added.
type Learned struct {
	ID        memory.FactID `json:"id"`
	Kind      memory.Kind   `json:"kind"`
	Statement string        `json:"statement"`
}

// Reversal is a contradiction this turn brought.
type Reversal struct {
	Was string `json:"was"`
	Now string `json:"now"`
	Why string `json:"why,omitempty"`
	// TurnsAgo is how many of the user's messages lie between the two.
	TurnsAgo int `json:"turns_ago"`
}
