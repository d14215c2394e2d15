package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Tools are the tools that this server runs while a model answers. The client never
// sees their calls.
type Tools interface {
	// Offer lists the tools for a turn, most useful first. It must not wait: a tool
	// that is not available at once is left out.
	Offer(ctx context.Context, g *Grant) []ToolDefinition
	// Call runs a tool and ends with ctx. Failures are reported in the result, in words
	// for the model. Call checks the grant itself.
	Call(ctx context.Context, g *Grant, c ToolRequest) ToolResult
	// Check refuses a choice of tools that the server cannot offer: an unknown tool, or
	// an action that the tool does not have.
	Check(choice []ToolChoice) error
}

// ToolDefinition is a tool as offered to a model.
type ToolDefinition struct {
	Name        string
	Description string
	// Parameters is the JSON schema of the arguments, an object.
	Parameters json.RawMessage
	// Advice tells the model when to use the tool. It is added to the system prompt.
	Advice string
	// Parallel says that the tool changes nothing, so that its calls may run
	// concurrently.
	Parallel bool
	// Approval says that a person must approve each call.
	Approval bool
}

// Grant is what the tools of a turn may read and do. It is made with the turn, and no
// output of a model can widen it.
type Grant struct {
	Owner   owner.Owner
	Session session.ID
	Root    session.ID
	Key     session.Key
	// Asked is the time when the turn began. Older messages are the past.
	Asked time.Time
	// AsOf is the time at which memory is read; zero means now.
	AsOf time.Time
	// ReadOnly is why nothing may be changed; "" if changes are allowed.
	ReadOnly string
	// Outside says that the prompt has text of other programs: results of the client's
	// tools or of MCP servers, in this turn or recalled, and results of a search. Such
	// text may be written to manipulate the model.
	Outside bool
	// Only are the tools chosen for the turn; nil means those that the server has enabled.
	Only []ToolChoice
	// Memory is the memory of the turn's scope.
	Memory ToolMemory
}

// ToolMemory is the memory of one scope, for tools.
type ToolMemory interface {
	// Match returns the facts that answer a question, best first.
	Match(question string, limit int) []memory.Fact
	// Outside reports whether a fact rests on text of another program.
	Outside(id memory.FactID) bool
	// Fact returns one fact. NotFound if the scope has none of this id.
	Fact(id memory.FactID) (memory.Fact, error)
	// Forget erases one fact and its words in the transcript.
	Forget(ctx context.Context, id memory.FactID) error
}

// ToolRequest is one call.
type ToolRequest struct {
	ID        string
	Name      string
	Arguments json.RawMessage // an object
	// Room is the approximate size of the result that the model will be shown, in
	// bytes.
	Room int
	// Asking is how many calls of the same answer of the model need an approval, if this one does.
	Asking int
}

// ToolResult is the result of a call.
type ToolResult struct {
	Text   string
	Failed bool
	// Note says how memory treats the text (session.Message.Note). With
	// [memory.FormatNote] it is remembered word for word, with [memory.EchoNote] not at
	// all, and with "" it is read as the output of a tool. [memory.FoundNote] is an
	// echo that also counts as text of other programs.
	Note string
}

// ToolLimits bound the tools of one turn.
type ToolLimits struct {
	Rounds int           // how often the model may call tools before it must answer
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
