package run

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store writes turns. Each method is one transaction and durable when it
// returns; a failed one has changed nothing.
type Store interface {
	// ReserveMessageIDs returns the first of n ids nobody else will get. An id
	// that is never used is no loss.
	ReserveMessageIDs(ctx context.Context, n int) (int64, error)
	// AdoptMessageIDs takes these very ids, given in rising order, for an import:
	// all of them, or none (false) if one is in use, was given out before, or is
	// none that this store could give.
	AdoptMessageIDs(ctx context.Context, ids []int64) (bool, error)
	// AppendTurn stores a step of a turn: its input, or its answer. Conflict if
	// another writer has already used one of the messages' places.
	AppendTurn(ctx context.Context, o owner.Owner, step Step) error
	// ClaimRequest reserves an idempotency key for the caller's request, or
	// returns what is known of the request that has it.
	ClaimRequest(ctx context.Context, o owner.Owner, c Claim) (Claimed, error)
	// ReleaseRequest gives up a claim whose turn stored no answer.
	ReleaseRequest(ctx context.Context, o owner.Owner, c Claim) error
	// Rewrite replaces what was derived, or what was asked to be forgotten.
	Rewrite(ctx context.Context, o owner.Owner, w Rewrite) error
	// Traces searches the store's own files, byte by byte, for any of the
	// needles, given in lower case. What was deleted but still lies in a log is
	// cleared away first.
	Traces(ctx context.Context, needles [][]byte) ([]Trace, error)
}

// Ledger reads what answers were given. A Store writes it, with the answers.
type Ledger interface {
	// Receipt returns the receipt of an answer. NotFound if there is none.
	Receipt(ctx context.Context, o owner.Owner, id string) (Receipt, error)
	// Costs sums up what was sent in a lineage, oldest first, in at most points
	// stretches of about as many messages each. Without answers there are none.
	Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]Cost, error)
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
	// Pending ties the input to the claim of its request, so that a retry finds
	// it again after a crash; nil without an idempotency key.
	Pending *Pending
	// Finished settles the claim of the request; nil without an idempotency key.
	Finished *Finished
}

// Pending is where the input of an idempotent request stands that has no answer
// yet.
type Pending struct {
	Claim Claim
	At    memory.Place // its first message
	Count int          // how many messages it has
}

// Rewrite is what one transaction changes after the fact.
type Rewrite struct {
	// Messages get new texts; everything else of them stays.
	Messages []session.Message
	// Sessions get new titles, prompts, summaries and tails, and the new size of
	// their lineage. One that loses its title may get one of a model again.
	Sessions []session.Session
	// Undone are taken back: the messages are marked, their facts go.
	Undone []Undone
	// Relinked facts get the links and the supersession they have now.
	Relinked []memory.Fact
	// Scopes get new facts in place of those they have.
	Scopes []ScopeFacts
	// Erased is kept, so that an import cannot bring back what was forgotten;
	// nil when nothing was.
	Erased *memory.Erasure
	// Outcomes are erased, of requests and of the runs of jobs, that mention any
	// of these texts, given in lower case.
	Outcomes [][]byte
}

// Undone is the end of a lineage that was taken back.
type Undone struct {
	Root session.ID
	From int64 // the first Seq of it; all that stood behind it went, too
	At   time.Time
}

// ScopeFacts are all facts of a scope.
type ScopeFacts struct {
	Scope memory.Scope
	Facts []memory.Fact
}

// Trace is what a search of a file found.
type Trace struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Hits  int    `json:"hits"`
}

// Claim reserves an idempotency key.
type Claim struct {
	Route    string // which endpoint: the same key on another is another request
	Key      string
	BodyHash []byte // SHA-256 of what was asked, headers that matter included
	Process  string // who claims: a claim of a process that died is void
	At       time.Time
	Expires  time.Time
}

// Finished is the outcome kept under a claim.
type Finished struct {
	Claim Claim
	// Outcome is the Result in its stored form.
	Outcome []byte
}

// Claimed is what the store knows about a key.
type Claimed struct {
	// Mine says that the caller now holds the claim and must run the turn.
	Mine bool
	// SameBody says that the earlier request asked the same.
	SameBody bool
	// Outcome is the stored outcome; nil while there is none.
	Outcome []byte
	// Pending is where an earlier try of the request left its input; nil if it
	// left none. The caller answers that instead of storing it again.
	Pending *Pending
}
