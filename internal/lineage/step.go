package lineage

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store writes lineages. Each method is one transaction and durable when it
// returns; a failed one has changed nothing.
type Store interface {
	// ReserveMessageIDs returns the first of n unique ids. The ids of an owner rise with
	// each call and do not depend on other owners. Unused ids do no harm.
	ReserveMessageIDs(ctx context.Context, o owner.Owner, n int) (int64, error)
	// AppendTurn stores a step of a turn: its input or its answer. It fails with
	// Conflict if another writer has used one of the messages' places. Steps are
	// committed in the order in which they are queued; the store calls [Step.Queued].
	AppendTurn(ctx context.Context, o owner.Owner, step Step) error
}

// Step is what one transaction of a turn stores.
type Step struct {
	// Ended is the session that compression or a reset closed; nil in most turns. After
	// a compression, Session replaces it as the tip. After a reset, Session begins a
	// new lineage, and Ended stays the tip of the old one.
	Ended *session.Session
	// Session is the session that the messages belong to, with its counters after the
	// step.
	Session session.Session
	// Opened says that Session is new. A taken title gets the next free number.
	Opened bool
	// Title is given to Session as a derived title if it has none, numbered if it is
	// taken; "" leaves the title.
	Title string
	// Messages are appended. Their ids, places and hashes are set. Copies and imports
	// keep their times and receipts.
	Messages []session.Message
	// Version is the version of the messages' scope that the step was made from. AppendTurn
	// fails with Conflict if the scope has another one. 0 disables the check.
	Version memory.Version
	// Changes is what memory learnt from the messages.
	Changes []memory.Change
	// Unlearnt are scopes of the messages that memory has not learnt them in. Their facts are
	// stale from then on, until a rewrite replaces them.
	Unlearnt []memory.Scope
	// Receipt belongs to the answer among Messages; nil without one.
	Receipt *Receipt
	// Pending ties the input to the request's idempotency key, so that a retry after a
	// crash finds the input; nil without a key.
	Pending *Pending
	// Finished stores the outcome for the idempotency key; nil without a key.
	Finished *Finished
	// Origin is where the messages so far come from in another program; nil for messages
	// of this one.
	Origin *Origin
	// Untold says that no external memory provider is told the messages.
	Untold Untold

	place *place       // in the order of a session key; nil without one
	open  *Open        // of the lineage; nil for a step that Open.Step has not made
	view  *memory.View // that has learnt the messages; nil if none is told
}

// Untold says why messages are not told to external memory providers.
type Untold string

// The reasons.
const (
	Tellable Untold = ""       // they are told
	OfImport Untold = "import" // they come from elsewhere, and are told only on request
	Never    Untold = "never"  // the turn of a job, or a copy
)

// Queued is called by the store once the step is in its queue: later steps are
// committed later. It may be called several times.
func (s *Step) Queued() { s.place.queue() }

// LearntBy names the view that has learnt the messages, so that a shared store can tell it that
// they are stored.
func (s *Step) LearntBy(v *memory.View) { s.view = v }

// Done is called by the caller of AppendTurn, whatever the outcome. Until then, other
// turns of the session key may wait. It may be called several times.
func (s *Step) Done() { s.place.done() }

// Pending is the position of the input of an idempotent request that has no answer yet.
type Pending struct {
	Key   RequestKey
	At    memory.Place // its first message
	Count int          // how many messages it has
}

// Learn adds the changes that one message caused in memory, if there are any.
func (s *Step) Learn(c memory.Change) {
	if len(c.Learned)+len(c.Superseded) > 0 {
		s.Changes = append(s.Changes, c)
	}
}

// With returns the step that stores the input and its answer together.
func (s *Step) With(answer *Step) Step {
	both := *answer
	both.Ended, both.Opened, both.Version = s.Ended, s.Opened, s.Version
	if s.Title != "" {
		both.Title, both.Session.Title = s.Title, "" // the store sets it, numbered if it is taken
	}
	both.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], answer.Messages...)
	both.Changes = append(s.Changes[:len(s.Changes):len(s.Changes)], answer.Changes...)
	both.Untold = s.Untold
	if both.Finished == nil {
		both.Pending = s.Pending
	}
	return both
}

// RequestKey is an idempotency key with its request.
type RequestKey struct {
	Route    string // the endpoint: the same key on another endpoint is another request
	Key      string
	BodyHash []byte // SHA-256 of the request, with the headers that matter
	Process  string // the process that runs the request; if it has died, the key is free again
	At       time.Time
	Expires  time.Time
}

// Finished is the outcome stored under an idempotency key.
type Finished struct {
	Key RequestKey
	// Outcome is the Result in its stored form.
	Outcome []byte
}
