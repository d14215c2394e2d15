package memory

import "github.com/hermes-memory/hermes/internal/ranking"

// Opening is the manifest of a scope, with the rows that no piece of it holds. A store that is
// far away reads all of them in one round trip.
type Opening struct {
	Manifest Manifest
	// Facts are behind a FactNumber, Documents behind the id of a message.
	Facts     Ahead[StoredFact]
	Documents Ahead[ranking.Document]
}

// Ahead are rows of a scope that were read with its manifest: the first ones behind the end of the
// pieces, lowest number first.
type Ahead[R any] struct {
	Rows []R
	// After is the number behind which the rows stand. Read says that they were read.
	After int64
	Read  bool
	// More says that others may follow.
	More bool
}

// behind returns the rows behind a number, and whether there are no others.
func (a *Ahead[R]) behind(after int64) (rows []R, all bool) {
	if !a.Read || a.After != after { // pieces after a gap hold rows, too, and no view uses them
		return nil, false
	}
	return a.Rows, !a.More
}
