package study

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Item is a task that a model has yet to do for a lineage: a row of the queue, unique
// by lineage and kind. It is removed when it is done. Times are UTC.
type Item struct {
	Root session.ID
	Kind curate.Work
	// Running says that a worker has it, until the end of a lease.
	Running bool
	// WakeAt is when it is due, or when the lease ends.
	WakeAt time.Time
	// Asked counts the requests for this task: the worker that claimed it sees whether
	// another came meanwhile.
	Asked int64
	// Fence counts the claims: a worker with an older number has lost the task.
	Fence int64
	// Attempts counts the attempts since the last success.
	Attempts int
	// Error says why the last attempt failed; it is safe to show. "" if it did not
	// fail.
	Error     string
	UpdatedAt time.Time
}

// Queue keeps the tasks. Each method is one transaction.
type Queue interface {
	// WantWork queues tasks at their WakeAt. A task that already waits, and has not
	// failed, is moved to the new time. Tasks for a deleted lineage are left out.
	WantWork(ctx context.Context, o owner.Owner, items []Item) error
	// DueWork names the tasks of some kinds to be claimed at a time, and says when to
	// poll next. The first task of every owner comes before the second of any. It only
	// reads, and takes no owner because each row names its own.
	DueWork(ctx context.Context, at time.Time, kinds []curate.Work, limit int) ([]Due, time.Time, error)
	// ClaimWork takes a task whose WakeAt has come, with a lease and the next fence. It
	// reports false if the task cannot be claimed.
	ClaimWork(ctx context.Context, o owner.Owner, c Claim) (Item, bool, error)
	// RenewWork prolongs the lease of a claimed item. False if it was lost.
	RenewWork(ctx context.Context, o owner.Owner, it *Item, until time.Time) (bool, error)
	// SettleWork ends a claim: the task is stored as given, or removed if it is done.
	// If it was asked for again since the claim, a done task stays and is due at once.
	// It reports false, and stores nothing, if the claim was lost.
	SettleWork(ctx context.Context, o owner.Owner, it *Item, done bool) (bool, error)
}

// Store shows the queue.
type Store interface {
	// Work returns items of an owner, ordered by lineage and kind.
	Work(ctx context.Context, o owner.Owner, f Filter) ([]Item, error)
	// WorkCounts counts the tasks of all owners at a time. It reveals no owner's data.
	WorkCounts(ctx context.Context, at time.Time) (Counts, error)
}

// Filter chooses items.
type Filter struct {
	// After is the task after which the listed ones stand; zero is none.
	After Due
	Limit int
}

// Due names an item to be claimed, and whose it is.
type Due struct {
	Owner owner.Owner
	Root  session.ID
	Kind  curate.Work
}

// Claim takes an item.
type Claim struct {
	Root      session.ID
	Kind      curate.Work
	At, Until time.Time // now, and the end of the lease
}

// Counts are the size of the queue.
type Counts struct {
	Waiting, Running, Failing int // Failing are those of Waiting whose last attempt failed
	// Error is the newest failure's, safe to show; "" without one.
	Error string
}
