package run

import (
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// Result is the outcome of a finished turn. It is also stored under an idempotency key,
// so that a repeated request gets the same answer.
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
	// Recall is set if the recall responder answered a question.
	Recall *Recall `json:"recall,omitempty"`

	// UsageEstimated says that the upstream reported no usage.
	UsageEstimated bool `json:"usage_estimated"`
	InputTokens    int  `json:"input_tokens"`
	OutputTokens   int  `json:"output_tokens"`
	// CachedTokens are input tokens that the upstream read from its cache.
	// ReasoningTokens are output tokens that it did not show.
	CachedTokens    int `json:"cached_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`

	// Tools are the calls of this server's tools in order.
	Tools []lineage.ToolUse `json:"tools,omitempty"`

	// From and To bound the messages of the turn in the lineage, including its input.
	// To is the Seq after the last message. Both are 0 if nothing is stored.
	From int64 `json:"from_seq,omitempty"`
	To   int64 `json:"to_seq,omitempty"`

	// Answer is the message for the client.
	Answer Answer `json:"answer"`
	At     time.Time
}

// Answer is the text and the calls of a reply.
type Answer struct {
	Content      string `json:"content"`
	ToolCalls    []byte `json:"tool_calls,omitempty"`
	FinishReason string `json:"finish_reason"`
	// Raw is the upstream's whole completion, if it did not stream.
	Raw []byte `json:"raw,omitempty"`
}

// Learned is a fact that this turn added.
type Learned struct {
	ID        memory.FactID `json:"id"`
	Kind      memory.Kind   `json:"kind"`
	Statement string        `json:"statement"`
}

// Reversal is a contradiction that this turn caused.
type Reversal struct {
	Was string `json:"was"`
	Now string `json:"now"`
	Why string `json:"why,omitempty"`
	// TurnsAgo is the number of the user's messages between the two.
	TurnsAgo int `json:"turns_ago"`
}
