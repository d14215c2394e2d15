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

// Store writes changes outside of turns. Each method is one transaction and durable
// when it returns; a failed one has changed nothing.
type Store interface {
	lineage.Store
	// AdoptMessageIDs takes ids, given in rising order, for an import, and returns the
	// ids that stand for them among the owner's own: the same order, and the same ids
	// where they were the owner's in this store. It takes all of them, or none (nil) if
	// one is in use, was given out before, or is none that a store could give.
	AdoptMessageIDs(ctx context.Context, o owner.Owner, ids []int64) ([]int64, error)
	// Origin returns what is known of a conversation of another program. NotFound if it was
	// never imported. A Step writes it, with the messages.
	Origin(ctx context.Context, o owner.Owner, system, id string) (lineage.Origin, error)
	// OriginOf returns the conversation of another program that a lineage holds. NotFound if it holds
	// none.
	OriginOf(ctx context.Context, o owner.Owner, root session.ID) (lineage.Origin, error)
	// Rewrite replaces derived data, or erases forgotten content.
	Rewrite(ctx context.Context, o owner.Owner, w Rewrite) error
}

// Sweeper finds and erases mentions of a thing in all tables.
type Sweeper interface {
	// Sweep erases mentions of a thing in an owner's records: each text column has a
	// rule by which its row is deleted or loses the text. Sessions and messages are
	// left to the caller, and orders to SweepOrders. With dryRun it only counts.
	Sweep(ctx context.Context, o owner.Owner, about *mention.Thing, dryRun bool) (Swept, error)
	// SweepOrders erases mentions of a thing in the events of chats that order an erasure, which Sweep spares. The plan of
	// an event that orders to forget this thing becomes OrderDone.
	SweepOrders(ctx context.Context, o owner.Owner, about *mention.Thing) error
	// Mentions counts the rows of an owner that name a thing, in every text column of
	// every table.
	Mentions(ctx context.Context, o owner.Owner, about *mention.Thing) ([]Trace, error)
	// Texts calls each for every text that Mentions searches; for JSON, for the texts in it.
	Texts(ctx context.Context, o owner.Owner, each func(text string)) error
	// Clean returns once no index and no log holds erased content.
	Clean(ctx context.Context) error
	// Traces searches the store's files byte by byte.
	Traces(ctx context.Context, about *mention.Thing) ([]Trace, error)
	// Repack rewrites the store's files from the stored rows. It is slow on a large
	// store, and blocks writes.
	Repack(ctx context.Context) error
}

// Swept is the outcome of a sweep.
type Swept struct {
	Jobs    int // jobs that were deleted with their runs and deliveries
	Records int // rows that were deleted or lost a text
	// Unanswered are messages of chats that waited for an answer, and lost what was said. They are in Records, too.
	Unanswered int
}

// Receipts reads the receipts of answers. A Store writes them with the answers.
type Receipts interface {
	// Receipt returns the receipt of an answer. NotFound if there is none.
	Receipt(ctx context.Context, o owner.Owner, id string) (lineage.Receipt, error)
	// Costs returns the costs of a lineage, oldest first, in at most points ranges of
	// about equally many messages; none without answers.
	Costs(ctx context.Context, o owner.Owner, root session.ID, points int) ([]Cost, error)
	// CostReport sums up the costs of all lineages of an owner, by time and group, oldest
	// first.
	CostReport(ctx context.Context, o owner.Owner, f CostFilter) ([]CostRow, error)
}

// Rewrite is the content of one transaction that changes stored data.
type Rewrite struct {
	// Messages get new texts; their other fields stay. Results of requests and runs that
	// repeat a fact which a message loses are deleted.
	Messages []session.Message
	// Sessions get new titles, prompts, summaries and tails, and the new size of their
	// lineage. If one loses its title, a model may be asked for a new one.
	Sessions []session.Session
	// Undone are messages to mark as undone; their facts are removed.
	Undone []Undone
	// Relinked are facts with new links and a new supersession.
	Relinked []memory.Fact
	// Marks are the new marks of facts that stay.
	Marks []memory.Mark
	// Scopes get new facts that replace the stored ones.
	Scopes []ScopeFacts
	// Erased is stored, so that an import cannot restore the forgotten content; nil for
	// none.
	Erased *memory.Erasure
	// Step is stored behind all other changes, as AppendTurn stores a step; nil for none. A step here has no outcome of a
	// request and no new receipt. With Undone, the messages of the step take the place of the undone ones.
	Step *lineage.Step
}

// Undone is an undone part of a lineage.
type Undone struct {
	Root session.ID
	From int64 // first Seq
	To   int64 // first Seq after it; 0 for the end of the lineage
	At   time.Time
}

// ScopeFacts are all facts of a scope.
type ScopeFacts struct {
	Scope memory.Scope
	Facts []memory.Fact
	// Newest is the id of the newest message from which they were learnt. The rewrite
	// fails with Conflict if another message is the newest now, or if a source message
	// of a fact is gone. 0 disables the check.
	Newest int64
	// Version is the version of the scope that the facts were learnt from. The rewrite
	// fails with Conflict if the scope has another one. 0 disables the check.
	Version memory.Version
	// Marks are the marks of the facts, which the store numbers in their order here: by
	// message, and in the message from 0.
	Marks []memory.Mark
}

// Trace is the result of searching a file, or the rows of a table.
type Trace struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Hits  int    `json:"hits"`
	// Format counts mentions in words of the file's own format, such as "metadata" in the
	// schema for "Ada". They are not in Hits.
	Format int `json:"format_words,omitempty"`
	// Foreign says that this program did not write the file, so that no erasure changes it.
	Foreign bool `json:"foreign,omitempty"`
}
