package run

import (
	"time"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Request is one turn, as every door asks for it.
type Request struct {
	Owner owner.Owner
	// Session is the id the client named, any id of the lineage; "" asks for a
	// fresh one.
	Session session.ID
	// Key is the scope of long-term memory; "" means the key of the session, and
	// its own lineage where it has none.
	Key    session.Key
	Source session.Source
	UserID string
	// System are instructions for this turn alone, on top of the stored prompt.
	System []session.Message
	// News is what the turn is told of memory with its input: nil for nothing.
	News *News
	// After is the Seq of the message this turn goes on from. If the lineage went
	// on from there already, the turn branches: it runs in a copy of the lineage
	// up to there. Nil goes on from the newest message.
	After *int64
	// Messages are the other messages that the client sent: the newest message, tool
	// results, or a whole history of which the end is new.
	Messages []session.Message
	// Model is the name asked for.
	Model string
	// Streaming passes the answer on as it arrives. Without it, no piece of the answer
	// may be sent before [Stream.Deltas] has ended well.
	Streaming bool
	// Body is the request as it came, forwarded with its unknown fields.
	Body []byte
	// Tools is the text of the tool definitions in Body; it takes up context.
	Tools string
	// Budget bounds the prompt, in tokens; 0 means the configured one.
	Budget int
	// Stateless sends the client's own messages as they are and nothing else.
	Stateless bool
	// AsOf answers from memory as it was then, and stores nothing; zero means now.
	AsOf time.Time
	// OffRecord answers from memory and keeps nothing.
	OffRecord bool
	// NoFallback lets the turn fail while the upstream cannot be reached, even
	// where the recall responder would answer: the caller will ask again.
	NoFallback bool
	// Patient makes the turn wait for a permit for as long as its context allows, where
	// another turn would be refused after a timeout. It is for callers that have no
	// client to refuse and are bounded elsewhere.
	Patient bool
	// Attendant follows the tool calls of the turn and is asked for approvals; if nil,
	// calls that need approval are refused.
	Attendant Attendant
	// Idempotency makes a repeated request return the first one's answer.
	Idempotency *Idempotency
}

// News are the recent changes in memory. Like all recalled content they are sent as
// data.
type News struct {
	// Text has a line for each change, its words in quotation marks.
	Text string
	// Facts are those it tells of.
	Facts []memory.FactID
}

// Idempotency is a client's promise that equal keys are the same request.
type Idempotency struct {
	Route    string
	Key      string
	BodyHash []byte
}

// Config is how turns are run.
type Config struct {
	// Budgets bound the contexts, in tokens.
	Budgets compression.Budgets
	// Patience is how long a streaming caller waits for the upstream to accept
	// before its stream is opened all the same. Failures within it are told as
	// an honest status, later ones inside the stream.
	Patience time.Duration
	// IdempotencyTTL is how long an answer is kept for repeated requests.
	IdempotencyTTL time.Duration
	// Tools bound what the tools of a turn may take; zero fields mean the usual.
	Tools ToolLimits
	// Now is the clock.
	Now func() time.Time
}

// minBudget is the smallest context that can hold a turn at all.
const minBudget = 256

// budget is the bound for one request.
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

// Models are the responders a turn can be given to.
type Models struct {
	// Upstream answers when it can; nil when there is none.
	Upstream Model
	// Recall answers from memory alone; nil when it is switched off.
	Recall Model
	// Fallback lets Recall answer when the upstream cannot be reached.
	Fallback bool
}

// RecallModel is the name the recall responder answers under.
const RecallModel = "hermes-recall"

// Clock returns the time in the precision of the store, so that a message's time is the
// same before and after a restart.
func (c *Config) Clock() time.Time { return c.Now().UTC().Truncate(time.Millisecond) }
