package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Tools are what this server runs for a model in the middle of its answer. The
// client never sees their calls.
type Tools interface {
	// Offer lists the tools a turn may be offered, the most useful first. It
	// waits for nothing slow: a tool that cannot be had is not in the list.
	Offer(ctx context.Context, g *Grant) []ToolDefinition
	// Call runs one of them and ends with ctx. What goes wrong is told in the
	// result, in words for the model. It checks the grant itself.
	Call(ctx context.Context, g *Grant, c ToolRequest) ToolResult
}

// ToolDefinition is a tool as it is offered.
type ToolDefinition struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, an object.
	Parameters json.RawMessage
	// Advice tells the model when to use it; it joins the system prompt.
	Advice string
	// Parallel says that the tool changes nothing, so that its calls may run
	// concurrently.
	Parallel bool
	// Approval says that a person has to agree before it is run.
	Approval bool
}

// Grant is what a turn lets its tools see and do. It is made with the turn, and
// nothing a model says can widen it.
type Grant struct {
	Owner   owner.Owner
	Session session.ID
	Root    session.ID
	Key     session.Key
	// Asked is when the turn began: earlier messages are the past.
	Asked time.Time
	// AsOf is the time the turn looks from; zero is now.
	AsOf time.Time
	// ReadOnly says why nothing may be changed; "" when it may.
	ReadOnly string
	// Outside says that the model has text of other programs before it: results
	// of the client's tools, or of MCP servers, in this turn or recalled, and what a
	// search has brought. Such text may be written to make it do things.
	Outside bool
	// Memory is that of the turn's scope.
	Memory ToolMemory
}

// ToolMemory is the memory of one scope, as tools may use it.
type ToolMemory interface {
	// Match returns the facts that bear on a question, the best first.
	Match(question string, limit int) []memory.Fact
	// Outside reports whether a fact stands by words of another program.
	Outside(id memory.FactID) bool
	// Fact returns one fact. NotFound if the scope holds none of this id.
	Fact(id memory.FactID) (memory.Fact, error)
	// Forget erases one fact with its words in the transcript.
	Forget(ctx context.Context, id memory.FactID) error
}

// ToolRequest is one call.
type ToolRequest struct {
	ID        string
	Name      string
	Arguments json.RawMessage // an object
	// Room is about how many bytes of the result the model will be shown.
	Room int
}

// ToolResult is what a call brought.
type ToolResult struct {
	Text   string
	Failed bool
	// Note says what memory makes of the text (session.Message.Note): with
	// [memory.FormatNote] it is remembered word for word, with [memory.EchoNote]
	// not at all, and with "" it is read as what a tool prints. [memory.FoundNote]
	// is an echo that counts as text of other programs all the same.
	Note string
}

// ToolLimits bound what the tools of one turn may take.
type ToolLimits struct {
	Rounds int           // how often the model may call tools before it has to answer
	Calls  int           // calls in one round
	Each   time.Duration // one call
	Total  time.Duration // all calls of a turn
	Bytes  int           // of one result, before it is cut to fit the context
}

// withDefaults fills in the zero fields.
func (l ToolLimits) withDefaults() ToolLimits {
	d := ToolLimits{Rounds: 8, Calls: 16, Each: 30 * time.Second, Total: 2 * time.Minute, Bytes: 256 << 10}
	if l.Rounds > 0 {
		d.Rounds = l.Rounds
	}
	if l.Calls > 0 {
		d.Calls = l.Calls
	}
	if l.Each > 0 {
		d.Each = l.Each
	}
	if l.Total > 0 {
		d.Total = l.Total
	}
	if l.Bytes > 0 {
		d.Bytes = l.Bytes
	}
	return d
}
