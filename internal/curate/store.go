package curate

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store writes what is changed after a turn. Each method is one transaction and
// durable when it returns; a failed one has changed nothing.
type Store interface {
	lineage.Store
	// AdoptMessageIDs takes ids, given in rising order, for an import, and returns the
	// ids that stand for them among the owner's own: the same order, and the same ids
	// where they were the owner's in this store. It takes all of them, or none (nil) if
	// one is in use, was given out before, or is none that a store could give.
	AdoptMessageIDs(ctx context.Context, o owner.Owner, ids []int64) ([]int64, error)
	// Rewrite replaces what was derived, or what was asked to be forgotten.
	Rewrite(ctx context.Context, o owner.Owner, w Rewrite) error
}

// Sweeper finds what names a thing in all that is stored, whatever it belongs to.
type Sweeper interface {
	// Sweep erases what names a thing in an owner's records: by a rule for each
	// text there is, rows go, or lose the text. What a turn holds while it runs,
	// sessions and messages, it leaves to its caller. With dryRun it only counts.
	Sweep(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (Swept, error)
	// Mentions counts the rows of an owner that name a thing, in every text of
	// every table.
	Mentions(ctx context.Context, o owner.Owner, about *mention.Thing) ([]Trace, error)
	// Clean returns once nothing is left, in an index or a log, of what had been
	// erased before.
	Clean(ctx context.Context) error
	// Traces searches the store's own files, byte by byte.
	Traces(ctx context.Context, about *mention.Thing) ([]Trace, error)
	// Repack writes the store's own files again, from what is stored alone. It is
	// slow on a large store, and writes wait for it.
	Repack(ctx context.Context) error
}

// Swept is what a sweep erased.
type Swept struct {
	Jobs    int // with their runs and deliveries
	Records int // rows that went, or lost a text
}

// Receipts reads what answers were given. A Store writes it, with the answers.
type Receipts interface {
	// Receipt returns the receipt of an answer. NotFound if there is none.
	Receipt(ctx context.Context, o owner.Owner, id string) (lineage.Receipt, error)
	// Costs sums up what was sent in a lineage, oldest first, in at most points
	// stretches of about as many messages each. Without answers there are none.
	Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]Cost, error)
}

// Rewrite is what one transaction changes after the fact.
type Rewrite struct {
	// Messages get new texts; everything else of them stays.
	Messages []session.Message
	// Sessions get new titles, prompts, summaries and tails, and the new size of
	// their lineage. One that title.Loses its title may get one of a model again.
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
}

// Undone is a part of a lineage that was taken back.
type Undone struct {
	Root session.ID
	From int64 // the first Seq of it
	To   int64 // the first Seq behind it; 0 means that all behind From went, too
	At   time.Time
}

// ScopeFacts are all facts of a scope.
type ScopeFacts struct {
	Scope memory.Scope
	Facts []memory.Fact
	// Newest is the id of the newest message they were learnt from. The rewrite
	// fails with Conflict if that is not the newest any more, or if a message that a
	// fact was learnt from is gone. 0 is not looked at.
	Newest int64
}

// Trace is what a search of a file, or of the rows of a table, found.
type Trace struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Hits  int    `json:"hits"`
}
