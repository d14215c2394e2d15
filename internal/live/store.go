package live

import (
	"context"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// Store keeps records. Each method is one transaction.
type Store interface {
	// CreateRecord stores a new record. If the owner has one of its kind that was
	// asked for with the same ClientKey since Bounds.KeysSince, that one is
	// returned, and false; Conflict "idempotency_key_conflict" if its ClientHash
	// is another. Conflict "run_exists" if the id is taken, RateLimited
	// "too_many_runs" if most are not over yet.
	CreateRecord(ctx context.Context, o owner.Owner, r Record, b Bounds) (Record, bool, error)
	// Record returns a record. NotFound if the owner has none of this id.
	Record(ctx context.Context, o owner.Owner, id string) (Record, error)
	// Records returns the newest records of an owner, newest first, without their
	// Turn.
	Records(ctx context.Context, o owner.Owner, f Filter) ([]Record, error)
	// Events returns the events of a record behind a Seq, oldest first, and the
	// state that the record had, at the latest, when they were read. NotFound.
	Events(ctx context.Context, o owner.Owner, id string, after int64, limit int) ([]Event, State, error)
	// DeleteRecord erases a record with its events. NotFound.
	DeleteRecord(ctx context.Context, o owner.Owner, id string) error
}

// Ledger is what it takes to carry records out. A store is Store and Ledger in
// one.
type Ledger interface {
	// DueRecords names what is to be claimed at a time, every owner's first before
	// anybody's second, and says when there is more. It only reads, and has no
	// owner: time passes for everybody, and each row names whose it is.
	DueRecords(ctx context.Context, at time.Time, limit int) ([]Due, time.Time, error)
	// ClaimRecord takes a record whose WakeAt has come, with a lease and the next
	// fence. Its state is Running then, unless it was Stopping. False if it is not
	// to be had.
	ClaimRecord(ctx context.Context, o owner.Owner, c Claim) (Record, bool, error)
	// RenewRecord prolongs the lease of a claimed record. False if it was lost.
	RenewRecord(ctx context.Context, o owner.Owner, id string, fence int64, until time.Time) (bool, error)
	// Advance writes what has happened in a claimed record, and returns the Seq of
	// its newest event. The record's Turn stays what it is until it is over. False if the claim was lost; nothing is stored then.
	Advance(ctx context.Context, o owner.Owner, s Step) (int64, bool, error)
}

// Bounds are how many records may be open at once, in all and of the owner, and
// how long a client's key counts.
type Bounds struct {
	All, Each int
	KeysSince time.Time
}

// Filter chooses records.
type Filter struct {
	Kind Kind // "" for all
	// Before is the place of a record that all of them stand behind; zero is none.
	Before Cursor
	Limit  int
}

// Cursor is the place of a record in a list.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

// Due names a record to be claimed.
type Due struct {
	Owner owner.Owner
	ID    string
}

// Claim takes a record.
type Claim struct {
	ID        string
	At, Until time.Time // now, and the end of the lease
}

// Step is what one transaction writes of a claimed record.
type Step struct {
	ID    string
	Fence int64
	// Events are appended, and numbered.
	Events []Event
	// Record is what the record is from now on, but for what never changes (ID,
	// Kind, Key, OnRestart, Request, the client's key, CreatedAt) and its events;
	// nil leaves it as it is.
	Record *Record
}
