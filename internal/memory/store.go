package memory

import (
	"context"
	"iter"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/piece"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Store reads memory. Turns write it through run.Store: a fact is stored in the same
// transaction as the message it quotes.
type Store interface {
	// Facts calls each for the facts of a scope in the order of their numbers, until each
	// returns false. A message belongs to one scope: that of its key, or of its lineage if
	// it has no key. The fact is valid until each returns.
	Facts(ctx context.Context, o owner.Owner, scope Scope, each func(*StoredFact) bool) error
	// Documents calls each for the messages of a scope with ids above after, in the order
	// they were recorded, until each returns false.
	Documents(ctx context.Context, o owner.Owner, scope Scope, after int64, each func(ranking.Document) bool) error
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

// Reader reads the single facts and messages of a scope that a turn needs. It leaves out
// those of other scopes, those recorded after scope.AsOf, and ids that do not exist.
type Reader interface {
	// FactsNumbered returns facts by their numbers, in the order of the numbers.
	FactsNumbered(ctx context.Context, o owner.Owner, scope Scope, numbers []FactNumber) ([]StoredFact, error)
	// FactsNamed returns facts by their ids, in the order of their numbers.
	FactsNamed(ctx context.Context, o owner.Owner, scope Scope, ids []FactID) ([]StoredFact, error)
	// FactsSince returns the facts with numbers above after, lowest first, at most limit.
	FactsSince(ctx context.Context, o owner.Owner, scope Scope, after FactNumber, limit int) ([]StoredFact, error)
	// FactsOfMessages returns the facts of messages, in the order of their numbers.
	FactsOfMessages(ctx context.Context, o owner.Owner, scope Scope, messages []int64) ([]StoredFact, error)
	// Shelf returns the facts of sections behind a place, heaviest first, and of equal
	// weight the newest first, at most limit of each section. It knows only the present:
	// it ignores scope.AsOf, and returns none for a whole lineage.
	Shelf(ctx context.Context, o owner.Owner, scope Scope, sections []Section, behind ShelfPlace, limit int) ([]StoredFact, error)
	// DocumentsNumbered returns the standing messages of a scope by their ids, in the
	// order of the ids.
	DocumentsNumbered(ctx context.Context, o owner.Owner, scope Scope, ids []int64) ([]ranking.Document, error)
	// DocumentsBefore returns the standing messages of a lineage in a scope before a Seq,
	// newest first, at most limit.
	DocumentsBefore(ctx context.Context, o owner.Owner, scope Scope, root session.ID, seq int64, limit int) ([]ranking.Document, error)
	// MessageIDs returns the ids of the messages of a scope in a span, undone ones included,
	// lowest first. It ignores scope.AsOf.
	MessageIDs(ctx context.Context, o owner.Owner, scope Scope, span Span) ([]int64, error)
}

// PieceStore keeps the pieces of scopes: immutable indexes over runs of messages, which
// are derived data. A piece of another owner is as one that does not exist.
type PieceStore interface {
	// Manifest returns the state of a scope and its live pieces. A scope without messages
	// has a Manifest with the version Unwritten.
	Manifest(ctx context.Context, o owner.Owner, scope Scope) (Manifest, error)
	// Opening returns the manifest of a scope and, if the store is another process, rows that its
	// pieces lack. All of it is as of one moment.
	Opening(ctx context.Context, o owner.Owner, scope Scope) (Opening, error)
	// PieceBlock returns a block of a piece. It fails with NotFound if there is none: the
	// piece may have been erased since the manifest was read.
	PieceBlock(ctx context.Context, o owner.Owner, piece PieceID, block int) ([]byte, error)
	// PieceBlocks returns some blocks of pieces, in one round trip. Blocks that do not exist are
	// left out.
	PieceBlocks(ctx context.Context, o owner.Owner, blocks []piece.Ref) (map[piece.Ref][]byte, error)
	// AddPiece stores a piece that was made from the state of a manifest, without changing
	// the manifest, and returns its id. p.ID and p.Blocks are ignored. blocks yields the
	// blocks of the piece in any order, and may reuse the slice it yields. AddPiece is
	// several transactions. It fails with Conflict if the scope has another edition, and
	// leaves nothing behind then, nor if blocks or ctx ends with an error.
	AddPiece(ctx context.Context, o owner.Owner, from Manifest, p Piece, blocks iter.Seq2[PieceBlock, error]) (PieceID, error)
	// Swap changes the pieces of a scope in one transaction. It fails with Conflict if the
	// scope no longer has the edition of from: then it changes nothing, and the added
	// pieces are erased.
	Swap(ctx context.Context, o owner.Owner, from Manifest, s Swap) error
	// DropPieces erases pieces, because they are damaged or were made in vain. Pieces that
	// do not exist are skipped.
	DropPieces(ctx context.Context, o owner.Owner, pieces []PieceID) error
}

// PieceBlock is a block of a piece.
type PieceBlock struct {
	Number int
	Data   []byte
}

// Place is the position of a message.
type Place struct {
	Root session.ID
	Seq  int64
}
