package lineage

import (
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// Responder says which responder answered.
type Responder string

// The two responders.
const (
	ByUpstream Responder = "upstream"
	ByRecall   Responder = "recall"
)

// Context is the cost of a prompt, in tokens, and the cost without memory.
type Context struct {
	Sent   int `json:"sent_tokens"`
	Budget int `json:"budget_tokens"`
	// Naive is the whole transcript plus the input: the cost for a client that resends
	// its history.
	Naive int `json:"naive_tokens"`
	// Client is the client's own part: its system prompts, tools and input. Sent without
	// it is what memory added.
	Client int `json:"client_tokens"`
	System int `json:"system"`
	Memory int `json:"memory"`
	Tail   int `json:"tail"`
	Input  int `json:"input"`
	// Tools are calls of this server's tools, and their results.
	Tools int `json:"tools,omitempty"`
}

// ToolUse is one call of a finished turn, as it is shown to the client.
type ToolUse struct {
	Name   string `json:"name"`
	CallID string `json:"call_id"`
	OK     bool   `json:"ok"`
	MS     int64  `json:"ms"`
}

// Receipt records the context of a reply. With the transcript and the facts, it is
// enough to rebuild the prompt.
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
	// Recalled are the older messages that were quoted.
	Recalled []memory.Place `json:"recalled"`
	// External is what an external memory provider added; nil for nothing.
	External *External `json:"external,omitempty"`
	// Tools are the tools of this server that were run for the answer.
	Tools   []ToolUse `json:"tools,omitempty"`
	Context Context   `json:"context"`
	// Frame is stored with the receipt. Each text is stored once for all answers that
	// share it.
	Frame Frame `json:"-"`
}

// External is what an external memory provider added to a prompt.
type External struct {
	Provider string `json:"provider"`
	// Lines are the lines as they were sent.
	Lines  []string `json:"lines"`
	Tokens int      `json:"tokens"`
	// Late says that they answer an earlier question.
	Late bool `json:"late,omitempty"`
}

// Frame holds the unchanged texts that a model was sent besides the messages. A text is
// "" if it was not sent, or if its owner has erased it.
type Frame struct {
	System   string // the system prompts of the session and of the request
	Tools    string // the definitions of the tools offered, in JSON
	Settings string // the other parameters of the request, a JSON object
}

// Texts are the texts of a frame, in a fixed order.
func (f *Frame) Texts() [3]*string { return [3]*string{&f.System, &f.Tools, &f.Settings} }
