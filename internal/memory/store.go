package memory

import (
	"context"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store reads memory. Turns write it through run.Store: a fact is stored in the same
// transaction as the message it quotes.
type Store interface {
	// Facts returns the facts of a scope in the order they were learnt. A message belongs
	// to one scope: that of its key, or of its lineage if it has no key.
	Facts(ctx context.Context, o owner.Owner, scope Scope) ([]Fact, error)
	// Documents calls each for the messages of a scope in the order they were recorded,
	// until each returns false.
	Documents(ctx context.Context, o owner.Owner, scope Scope, each func(ranking.Document) bool) error
	// Scopes lists the scopes of an owner that have messages: session keys, and
	// lineages with messages without a key.
	Scopes(ctx context.Context, o owner.Owner) ([]Scope, error)
	// Erasures lists the things that an owner has forgotten, as hashes.
	Erasures(ctx context.Context, o owner.Owner) ([]Erasure, error)
	// Quotes returns the messages at the given places, in that order. Places that no
	// longer exist are left out.
	Quotes(ctx context.Context, o owner.Owner, places []Place) ([]ranking.Document, error)
	// Vectors calls each for the vectors of a model in a scope, newest message first,
	// until each returns false. It omits messages after scope.AsOf.
	Vectors(ctx context.Context, o owner.Owner, scope Scope, model string, each func(ranking.Vector) bool) error
}

// Place is the position of a message.
type Place struct {
	Root session.ID
	Seq  int64
}
