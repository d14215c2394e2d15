package live

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store keeps runs. Each method is one transaction.
type Store interface {
	// CreateRun stores a new run. If the owner has one of its kind with the same
	// ClientKey since Bounds.KeysSince, it returns that one and false, or Conflict
	// "idempotency_key_conflict" if the ClientHash differs. It fails with Conflict
	// "run_exists" if the id is taken, and with RateLimited "too_many_runs" if too many
	// are not over yet.
	CreateRun(ctx context.Context, o owner.Owner, r Run, b Bounds) (Run, bool, error)
	// Run returns a run. NotFound if the owner has none of this id.
	Run(ctx context.Context, o owner.Owner, id string) (Run, error)
	// Runs returns the newest runs of an owner, newest first, without their
	// Turn.
	Runs(ctx context.Context, o owner.Owner, f Filter) ([]Run, error)
	// Events returns the events of a run after a Seq, oldest first, and a state that is
	// no newer than those events. NotFound.
	Events(ctx context.Context, o owner.Owner, id string, after int64, limit int) ([]Event, State, error)
	// DeleteRun erases a run with its events. NotFound.
	DeleteRun(ctx context.Context, o owner.Owner, id string) error
}

// Queue is what executing runs needs. A store implements both Store and Queue.
type Queue interface {
	// DueRuns names the runs to be claimed at a time and says when to poll next. The
	// first run of every owner comes before the second of any. It only reads, and takes
	// no owner because each row names its own.
	DueRuns(ctx context.Context, at time.Time, limit int) ([]Due, time.Time, error)
	// ClaimRun takes a run whose WakeAt has come, with a lease and the next fence. Its
	// state becomes Running, unless it was Stopping. It reports false if the run cannot
	// be claimed.
	ClaimRun(ctx context.Context, o owner.Owner, c Claim) (Run, bool, error)
	// RenewRun prolongs the lease of a claimed run. False if it was lost.
	RenewRun(ctx context.Context, o owner.Owner, id string, fence int64, until time.Time) (bool, error)
	// Advance stores the events of a claimed run and returns the Seq of the newest. The
	// run's Turn stays until the run is over. It reports false, and stores nothing, if
	// the claim was lost.
	Advance(ctx context.Context, o owner.Owner, s Step) (int64, bool, error)
}

// Bounds are how many runs may be open at once, in all and per owner, and how long a
// client's key counts.
type Bounds struct {
	All, Each int
	KeysSince time.Time
}

// Filter chooses runs.
type Filter struct {
	Kind Kind // "" for all
	// State selects runs in a state, Open those that are not over.
	State State
	Open  bool
	// Session selects runs of the lineage that has this session, and runs that ask for it.
	Session session.ID
	// Before is the position after which the listed runs stand; zero is none.
	Before Cursor
	Limit  int
}

// Cursor is the position of a run in a list.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

// Due names a run to be claimed.
type Due struct {
	Owner owner.Owner
	ID    string
}

// Claim takes a run.
type Claim struct {
	ID        string
	At, Until time.Time // now, and the end of the lease
}

// Step is what one transaction stores of a claimed run.
type Step struct {
	ID    string
	Fence int64
	// Events are appended, and numbered.
	Events []Event
	// Run is the new content of the row; nil leaves it. Its events and the fields that
	// never change (ID, Kind, Key, OnRestart, Request, the client's key, CreatedAt) are
	// ignored.
	Run *Run
}
