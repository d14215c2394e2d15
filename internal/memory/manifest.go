package memory

import (
	"cmp"
	"slices"

	"github.com/hermes-memory/hermes/internal/ranking"
)

// Version counts the writes of a scope's messages and facts: each transaction adds one.
// Equal versions and editions prove that nothing has changed.
type Version int64

// Unwritten is the version of a scope without messages.
const Unwritten Version = -1

// FirstEdition is the edition of a scope with its first message.
const FirstEdition = 1

// ScopeID is the store's number of a scope. It is never used again.
type ScopeID int64

// PieceID is the store's number of a piece. It is never used again.
type PieceID int64

// Manifest is the state of a scope, and the pieces of its index.
type Manifest struct {
	Scope   ScopeID
	Version Version
	// Edition counts the changes of the pieces, and those of the messages and facts that
	// they may hold: erasures, undone messages, replaced facts, and messages that were
	// stored after messages with higher ids.
	Edition int64
	// Stale says that facts were deleted to which others referred, or that messages were not
	// learnt: the facts of the scope must be learnt again. Replacing them clears it.
	Stale bool
	// Pieces are ordered by kind, then by message id. Those of a kind do not overlap. There
	// may be gaps between them.
	Pieces []Piece
	// Withdrawn are messages that pieces hold but that were undone, in rising order.
	Withdrawn Spans
}

// ScopeState is what a cached view is compared with: a view of the same state has all that is
// stored.
type ScopeState struct {
	Scope   ScopeID
	Version Version
	Edition int64
}

// State is the state that a manifest was read at.
func (m *Manifest) State() ScopeState { return ScopeState{m.Scope, m.Version, m.Edition} }

// PieceKind says what a piece indexes.
type PieceKind string

// The kinds of pieces.
const (
	MessagePiece PieceKind = "messages"
	FactPiece    PieceKind = "facts"
)

// Piece is an index over the messages of a scope, or over their facts, from one message id
// to another.
type Piece struct {
	ID   PieceID
	Kind PieceKind
	// Format is the number of the format of the blocks.
	Format int
	// Span has the ids of the messages.
	Span
	// Count is how many messages or facts it holds.
	Count int
	// Blocks is how many blocks it has.
	Blocks int
}

// Last is the highest message id of the pieces of a kind; 0 for none.
func (m *Manifest) Last(kind PieceKind) int64 {
	var last int64
	for i := range m.Pieces {
		if p := &m.Pieces[i]; p.Kind == kind {
			last = max(last, p.Last)
		}
	}
	return last
}

// Run are the pieces of a kind from the beginning of the scope to the first gap.
func (m *Manifest) Run(kind PieceKind) []Piece {
	run, _ := m.split(kind)
	return run
}

// Beyond are the pieces of a kind after the first gap, which no reader uses.
func (m *Manifest) Beyond(kind PieceKind) []PieceID {
	_, beyond := m.split(kind)
	return beyond
}

// formats are the formats in which pieces are written now.
var formats = map[PieceKind]int{MessagePiece: ranking.PieceFormat, FactPiece: factFormat}

// split divides the pieces of a kind at the first gap. A piece of another version of the program is a gap.
func (m *Manifest) split(kind PieceKind) (run []Piece, beyond []PieceID) {
	for _, p := range m.Pieces {
		switch {
		case p.Kind != kind:
		case p.First == next(run) && p.Format == formats[kind]:
			run = append(run, p)
		default:
			beyond = append(beyond, p.ID)
		}
	}
	return run, beyond
}

// Span is a range of message ids, both ends included.
type Span struct{ First, Last int64 }

// Holds reports whether an id is in the range.
func (s Span) Holds(id int64) bool { return s.First <= id && id <= s.Last }

// Spans are ranges of message ids, in rising order, that neither overlap nor touch.
type Spans []Span

// SpansOf joins ranges.
func SpansOf(all []Span) Spans {
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	var out Spans
	for _, s := range all {
		if last := len(out) - 1; last >= 0 && s.First <= out[last].Last+1 {
			out[last].Last = max(out[last].Last, s.Last)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Has reports whether an id is in one of the ranges.
func (s Spans) Has(id int64) bool {
	at, _ := slices.BinarySearchFunc(s, id, func(one Span, id int64) int { return cmp.Compare(one.Last, id) })
	return at < len(s) && s[at].Holds(id)
}

// Swap replaces pieces of a scope.
type Swap struct {
	// Add are pieces of AddPiece, Remove pieces of the manifest.
	Add, Remove []PieceID
	// Withdrawn replaces the manifest's.
	Withdrawn Spans
}
