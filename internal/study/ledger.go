package study

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Item is something that a model has yet to do for a lineage: a row of the
// ledger, unique by lineage and kind. It goes when it is done. Times are UTC.
type Item struct {
	Root session.ID
	Kind run.Work
	// Running says that somebody has it, until the end of a lease.
	Running bool
	// WakeAt is when it is due, or when the lease ends.
	WakeAt time.Time
	// Asked counts how often it was asked for: who has claimed it sees whether
	// something came meanwhile.
	Asked int64
	// Fence counts the claims: who holds an older one has lost it.
	Fence int64
	// Attempts counts those since the last that brought something.
	Attempts int
	// Error says why the last attempt failed; it is safe to show. "" if none did.
	Error     string
	UpdatedAt time.Time
}

// Ledger keeps what is to be done. Each method is one transaction.
type Ledger interface {
	// WantWork asks for work at its WakeAt: it is put into the ledger, or, if it
	// waits there and has not failed, moved to the new time. Work for a lineage
	// that is gone is left out.
	WantWork(ctx context.Context, o owner.Owner, items []Item) error
	// DueWork names what of some kinds is to be claimed at a time, every owner's
	// first before anybody's second, and says when there is more. It only reads,
	// and has no owner: time passes for everybody, and each row names whose it is.
	DueWork(ctx context.Context, at time.Time, kinds []run.Work, limit int) ([]Due, time.Time, error)
	// ClaimWork takes an item whose WakeAt has come, with a lease and the next
	// fence. False if it is not to be had.
	ClaimWork(ctx context.Context, o owner.Owner, c Claim) (Item, bool, error)
	// RenewWork prolongs the lease of a claimed item. False if it was lost.
	RenewWork(ctx context.Context, o owner.Owner, it *Item, until time.Time) (bool, error)
	// SettleWork ends a claim: the item waits again as it is given, or is taken
	// out if it is done. What was asked for since the claim keeps a done item, and
	// makes it due at once. False if the claim was lost; nothing is stored then.
	SettleWork(ctx context.Context, o owner.Owner, it *Item, done bool) (bool, error)
}

// Store shows what is to be done.
type Store interface {
	// Work returns items of an owner, ordered by lineage and kind.
	Work(ctx context.Context, o owner.Owner, f Filter) ([]Item, error)
	// WorkCounts counts the items of all owners at a time. It says nothing of
	// anybody's data.
	WorkCounts(ctx context.Context, at time.Time) (Counts, error)
}

// Filter chooses items.
type Filter struct {
	// After is the item that all of them stand behind; zero is none.
	After Due
	Limit int
}

// Due names an item to be claimed, and whose it is.
type Due struct {
	Owner owner.Owner
	Root  session.ID
	Kind  run.Work
}

// Claim takes an item.
type Claim struct {
	Root      session.ID
	Kind      run.Work
	At, Until time.Time // now, and the end of the lease
}

// Counts are how much there is to do.
type Counts struct {
	Waiting, Running, Failing int // Failing are those of Waiting whose last attempt failed
	// Error is the newest failure's, safe to show; "" without one.
	Error string
}
