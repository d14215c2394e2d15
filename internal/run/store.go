package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store writes turns. Each method is one transaction and durable when it
// returns; a failed one has changed nothing.
type Store interface {
	lineage.Store
	// ClaimRequest reserves an idempotency key for the caller's request, or returns the
	// record of the request that has it.
	ClaimRequest(ctx context.Context, o owner.Owner, k lineage.RequestKey) (Claimed, error)
	// SessionOf finds the session of a client that names none and sends its history again:
	// the newest lineage of the key ("" for none) with the latest of some histories, as
	// [session.Histories] makes them. NotFound if there is none.
	SessionOf(ctx context.Context, o owner.Owner, key session.Key, histories [][]byte) (Located, error)
	// SessionOfExchange finds the lineage of the key that has an exchange, as
	// [session.Exchange] makes it. NotFound if none has it, or several have.
	SessionOfExchange(ctx context.Context, o owner.Owner, key session.Key, exchange []byte) (Located, error)
	// ReleaseRequest releases the key of a request whose turn stored no answer.
	ReleaseRequest(ctx context.Context, o owner.Owner, k lineage.RequestKey) error
}

// Located is a session that was found by its messages.
type Located struct {
	Session session.ID
	// NextSeq is the Seq of the next message of the lineage.
	NextSeq int64
}

// Claimed is the state of an idempotency key in the store.
type Claimed struct {
	// Mine says that the caller holds the claim and must run the turn.
	Mine bool
	// SameBody says that the earlier request had the same body.
	SameBody bool
	// Outcome is the stored outcome; nil while there is none.
	Outcome []byte
	// Pending is the position of the input that an earlier try stored; nil if it stored
	// none. The caller answers that input instead of storing it again.
	Pending *lineage.Pending
}
