package lineage

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

// Context is what was sent to the model, in tokens, and what would have been
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

// ToolUse is one call of a finished turn, for the client to see.
type ToolUse struct {
	Name   string `json:"name"`
	CallID string `json:"call_id"`
	OK     bool   `json:"ok"`
	MS     int64  `json:"ms"`
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
	// Recalled are the older messages quoted next to the tail.
	Recalled []memory.Place `json:"recalled"`
	// Tools are the tools of this server that were run for it.
	Tools   []ToolUse `json:"tools,omitempty"`
	Context Context   `json:"context"`
	// Frame is stored with the receipt, each text once for all answers that share it.
	Frame Frame `json:"-"`
}

// Frame is what a model was sent with the messages, as it was sent. A text that was
// not sent is "", and so is one that its owner has had erased.
type Frame struct {
	System   string // the system prompt: the session's, and the request's own
	Tools    string // the definitions of the tools offered, in JSON
	Settings string // the other parameters of the request, a JSON object
}

// Texts are the texts of a frame, always in the same order.
func (f *Frame) Texts() [3]*string { return [3]*string{&f.System, &f.Tools, &f.Settings} }
