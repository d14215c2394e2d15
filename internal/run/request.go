package run

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Request is a request for one turn. Every door builds one.
type Request struct {
	Owner owner.Owner
	// Session is any id of the lineage; "" asks for a new one.
	Session session.ID
	// Nameless says that the client can name no session. If it sends a history, the turn
	// continues the session that the history came from.
	Nameless bool
	// Seen says, of a nameless client, which messages of the session the client may know:
	// those before this Seq. Later ones were stored after the request arrived.
	Seen int64
	// Key is the scope of long-term memory; "" means the key of the session, or its
	// lineage if the session has none.
	Key    session.Key
	Source session.Source
	UserID string
	// Fresh says that all messages are new, whatever they say. Otherwise messages that are
	// stored already are recognized, because most clients send their history again.
	Fresh bool
	// System are instructions for this turn only, in addition to the stored prompt.
	System []session.Message
	// News are the recent changes in memory that the turn is told; nil for none.
	News *News
	// After is the Seq of the message that this turn continues from. If the lineage has
	// later messages, the turn branches: it runs in a fork of the lineage at that
	// message. Nil continues from the newest message.
	After *int64
	// Messages are the other messages that the client sent: the newest message, tool
	// results, or a whole history with new messages at its end.
	Messages []session.Message
	// Model is the requested model.
	Model string
	// Streaming passes the answer on as it arrives. Without it, no piece of the answer
	// may be sent before [Stream.Deltas] has ended without an error.
	Streaming bool
	// Body is the unchanged request, forwarded with its unknown members.
	Body []byte
	// Extras are settings that Body cannot hold, in the form of package anthropic's Extras; nil for
	// none. Only models that speak that protocol take them.
	Extras []byte
	// Tools is the text of the tool definitions in Body.
	Tools string
	// Only are the tools of this server that the turn may use, enabled or not. Nil means
	// the enabled tools, and an empty list means none. See [ToolChoice].
	Only []ToolChoice
	// Budget bounds what memory adds to the prompt, in tokens; 0 means the configured
	// budget.
	Budget int
	// Stateless sends only the client's messages, unchanged.
	Stateless bool
	// AsOf answers from memory as it was at that time, and stores nothing; zero means
	// now.
	AsOf time.Time
	// OffRecord answers from memory and stores nothing.
	OffRecord bool
	// NoFallback makes the turn fail if the upstream cannot be reached, instead of
	// falling back to the recall responder: the caller will retry.
	NoFallback bool
	// Patient makes the turn wait for a permit for as long as its context allows, where
	// another turn would be refused after a timeout. It is for callers that have no
	// client to refuse and are bounded elsewhere.
	Patient bool
	// Later is the cause with which the context of the turn ends if the turn will be taken
	// again. The part of the answer that was received is not kept then. nil for none.
	Later error
	// Attendant follows the tool calls of the turn and is asked for approvals; if nil,
	// calls that need approval are refused.
	Attendant Attendant
	// Idempotency makes a repeated request return the first one's answer.
	Idempotency *Idempotency
}

// News are the recent changes in memory. Like all recalled content they are sent as
// data.
type News struct {
	// Text has one line per change, with quotations in quotation marks.
	Text string
	// Facts are the facts in Text.
	Facts []memory.FactID
}

// Idempotency identifies a request: equal keys mean the same request.
type Idempotency struct {
	Route    string
	Key      string
	BodyHash []byte
}

// Config are the settings of a Runner.
type Config struct {
	// Budgets bound what memory adds to prompts, in tokens.
	Budgets compression.Budgets
	// Window returns the window of a model by its name at the upstream. It must not wait.
	// Nil means that no window is known.
	Window func(ctx context.Context, model string) Window
	// Patience is how long a streaming caller waits for the upstream to accept before
	// its response begins. An earlier failure gets its own status; a later one is sent
	// inside the stream.
	Patience time.Duration
	// IdempotencyTTL is how long an answer is kept for repeated requests.
	IdempotencyTTL time.Duration
	// Tools bound the tools of a turn; zero fields mean the defaults.
	Tools ToolLimits
	// Now is the clock.
	Now func() time.Time
}

// minBudget is the smallest budget that can hold a turn.
const minBudget = 256

// budget is the token budget of one request.
func (c *Config) budget(req *Request, model string) (int, error) {
	b := c.Budgets.Of(model)
	if req.Budget != 0 {
		b = req.Budget
	}
	if b < minBudget {
		return 0, fault.New(fault.Invalid, "invalid_context_budget",
			"The context budget must be at least 256 tokens.").At("X-Hermes-Context-Budget")
	}
	return b, nil
}

// Models are the responders.
type Models struct {
	// Upstream answers if it can be reached; nil for none.
	Upstream Model
	// Recall answers from memory alone; nil if it is disabled.
	Recall Model
	// Fallback lets Recall answer if the upstream cannot be reached.
	Fallback bool
}

// RecallModel is the model name of the recall responder.
const RecallModel = "hermes-recall"

// Clock returns the time in the precision of the store, so that a message's time is the
// same before and after a restart.
func (c *Config) Clock() time.Time { return c.Now().UTC().Truncate(time.Millisecond) }
