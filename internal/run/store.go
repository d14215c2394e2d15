package run

import (
	"context"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Store writes turns. Each method is one transaction and durable when it
// returns; a failed one has changed nothing.
type Store interface {
	lineage.Store
	// ClaimRequest reserves an idempotency key for the caller's request, or returns the
	// record of the request that has it.
	ClaimRequest(ctx context.Context, o owner.Owner, k lineage.RequestKey) (Claimed, error)
	// ReleaseRequest gives up the key of a request whose turn stored no answer.
	ReleaseRequest(ctx context.Context, o owner.Owner, k lineage.RequestKey) error
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
	Pending *lineage.Pending
}
