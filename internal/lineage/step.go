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
	// ReserveMessageIDs returns the first of n ids that are given out only once. They
	// rise with each call for the owner, and do not depend on other owners. An id that
	// is never used is no loss.
	ReserveMessageIDs(ctx context.Context, o owner.Owner, n int) (int64, error)
	// AppendTurn stores a step of a turn: its input, or its answer. Conflict if
	// another writer has already used one of the messages' places. Steps are committed
	// in the order in which they are queued, and [Step.Queued] is told of that.
	AppendTurn(ctx context.Context, o owner.Owner, step Step) error
}

// Step is what one transaction of a turn stores.
type Step struct {
	// Ended is the session that compression or a reset closed; nil in most
	// turns. After a compression Session is the tip in its place; after a reset
	// it begins a lineage of its own, and Ended stays the tip of the old one.
	Ended *session.Session
	// Session is the session the messages belong to, with its counters as they
	// are after the step.
	Session session.Session
	// Opened says that Session is new. A title that is taken gets the next free
	// number.
	Opened bool
	// Title is given to Session if it has none, in its next free form and as a
	// derived one; "" leaves it as it is.
	Title string
	// Messages are appended. Their ids, places and hashes are set. Copies and
	// imports keep their own times, and bring their receipts along.
	Messages []session.Message
	// Changes is what memory learnt from the messages.
	Changes []memory.Change
	// Receipt belongs to the answer among Messages; nil without one.
	Receipt *Receipt
	// Pending ties the input to the key of its request, so that a retry finds
	// it again after a crash; nil without an idempotency key.
	Pending *Pending
	// Finished settles the key of the request; nil without an idempotency key.
	Finished *Finished

	place *place // in the order of a session key; nil without one
}

// Queued is called by the store once the step has its place among the writes: what is
// handed over later is committed later. It may be called more than once.
func (s *Step) Queued() { s.place.queue() }

// Done is called by who had the step stored, whatever came of it. Until then others of
// the session key may wait. It may be called more than once.
func (s *Step) Done() { s.place.done() }

// Pending is where the input of an idempotent request stands that has no answer
// yet.
type Pending struct {
	Key   RequestKey
	At    memory.Place // its first message
	Count int          // how many messages it has
}

// Learn adds what memory learnt from one message, if that is anything.
func (s *Step) Learn(c memory.Change) {
	if len(c.Learned)+len(c.Superseded) > 0 {
		s.Changes = append(s.Changes, c)
	}
}

// With returns the step that stores the input and its answer together.
func (s *Step) With(answer *Step) Step {
	both := *answer
	both.Ended, both.Opened = s.Ended, s.Opened
	if s.Title != "" {
		both.Title, both.Session.Title = s.Title, "" // the store gives it, in its free form
	}
	both.Messages = append(s.Messages[:len(s.Messages):len(s.Messages)], answer.Messages...)
	both.Changes = append(s.Changes[:len(s.Changes):len(s.Changes)], answer.Changes...)
	if both.Finished == nil {
		both.Pending = s.Pending
	}
	return both
}

// RequestKey is an idempotency key as a request uses it.
type RequestKey struct {
	Route    string // which endpoint: the same key on another is another request
	Key      string
	BodyHash []byte // SHA-256 of what was asked, headers that matter included
	Process  string // that runs the request: the key is free again when that process has died
	At       time.Time
	Expires  time.Time
}

// Finished is the outcome kept under a request key.
type Finished struct {
	Key RequestKey
	// Outcome is the Result in its stored form.
	Outcome []byte
}
