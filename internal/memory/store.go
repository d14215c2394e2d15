package memory

import (
	"context"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store reads memory back. Writing is done by the turn, in run.Store: a fact is stored
// in the same transaction as the message it quotes.
type Store interface {
	// Facts returns the facts of a scope in the order they were learnt.
	Facts(ctx context.Context, o owner.Owner, scope Scope) ([]Fact, error)
	// Documents calls each for every message of a scope, in the order they were
	// recorded, until each returns false.
	Documents(ctx context.Context, o owner.Owner, scope Scope, each func(ranking.Document) bool) error
	// Scopes lists the scopes of an owner that hold messages: its session keys,
	// and its lineages in which something was said without one.
	Scopes(ctx context.Context, o owner.Owner) ([]Scope, error)
	// Erasures lists what an owner has asked to be forgotten, as hashes.
	Erasures(ctx context.Context, o owner.Owner) ([]Erasure, error)
	// Quotes returns the messages at the given places, in that order; places
	// that no longer exist are left out.
	Quotes(ctx context.Context, o owner.Owner, places []Place) ([]ranking.Document, error)
	// Findings returns what models have drawn from a scope's messages, in the
	// order it was accepted.
	Findings(ctx context.Context, o owner.Owner, scope Scope) ([]Finding, error)
	// Vectors calls each for the vectors that a model gave to messages of a
	// scope, of the newest message first, until each returns false. There are
	// none beyond scope.AsOf.
	Vectors(ctx context.Context, o owner.Owner, scope Scope, model string, each func(ranking.Vector) bool) error
}

// Place is the position of a message.
type Place struct {
	Root session.ID
	Seq  int64
}
