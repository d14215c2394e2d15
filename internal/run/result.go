package run

import (
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// Responder says who answered.
type Responder string

// The two responders.
const (
	ByUpstream Responder = "upstream"
	ByRecall   Responder = "recall"
)

// Result is what a finished turn reports. It is also what an idempotency key
// keeps, so that a repeated request gets the same answer.
type Result struct {
	SessionID  session.ID `json:"session_id"`
	RootID     session.ID `json:"lineage_root_id"`
	Created    bool       `json:"created,omitempty"`
	Compressed bool       `json:"compressed"`
	Stored     bool       `json:"stored"`
	Responder  Responder  `json:"responder"`
	Model      string     `json:"model"`
	ReceiptID  string     `json:"receipt_id,omitempty"`

	Used      []memory.FactID `json:"used"`
	Learned   []Learned       `json:"learned"`
	Reversals []Reversal      `json:"reversals"`
	Context   Context         `json:"context"`

	// UsageEstimated says that the upstream reported no usage.
	UsageEstimated bool `json:"usage_estimated"`
	InputTokens    int  `json:"input_tokens"`
	OutputTokens   int  `json:"output_tokens"`
	// CachedTokens are those of the input that the upstream had at hand,
	// ReasoningTokens those of the output that it did not show.
	CachedTokens    int `json:"cached_tokens,omitempty"`
	ReasoningTokens int `json:"reasoning_tokens,omitempty"`

	// Tools are the tools of this server that were run, in order.
	Tools []ToolUse `json:"tools,omitempty"`

	// From and To bound the messages of the turn, its input among them, in the
	// lineage: To is the Seq behind the last. Both are 0 when nothing is kept.
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

// Context is what was sent to the model, in tokens, beside what would have been
// sent without memory.
type Context struct {
	Sent   int `json:"sent_tokens"`
	Budget int `json:"budget_tokens"`
	// Naive is the whole transcript plus the input: what a client that resends
	// its history pays for.
	Naive  int `json:"naive_tokens"`
	System int `json:"system"`
	Memory int `json:"memory"`
	Tail   int `json:"tail"`
	Input  int `json:"input"`
	// Tools are calls of this server's tools and their results.
	Tools int `json:"tools,omitempty"`
}

// Receipt says what a reply was given: enough to rebuild the prompt from the
// transcript and the facts.
type Receipt struct {
	ID        string          `json:"id"`
	SessionID session.ID      `json:"session_id"`
	RootID    session.ID      `json:"lineage_root_id"`
	Seq       int64           `json:"seq"` // of the answer
	At        time.Time       `json:"at"`
	Model     string          `json:"model"`
	Responder Responder       `json:"responder"`
	Facts     []memory.FactID `json:"facts"`
	// TailFrom and InputTo bound the messages that were sent verbatim.
	TailFrom int64 `json:"tail_from"`
	InputTo  int64 `json:"input_to"`
	// Recalled are the older messages quoted beside the tail.
	Recalled []memory.Place `json:"recalled"`
	// Tools are the tools of this server that were run for it.
	Tools   []ToolUse `json:"tools,omitempty"`
	Context Context   `json:"context"`
}
