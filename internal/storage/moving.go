package storage

import (
	"slices"
	"strings"
)

// This file has the form in which all data moves from one store to another. Both stores
// describe their tables with the same names, so a table that one of them lacks is seen.

// MoveSide is what a store is opened for.
type MoveSide int

// The sides. A store that is opened for a move stays as it is: no lease ends, for example.
const (
	NotMoved MoveSide = iota // a store at work
	MoveFrom
	MoveTo // may be an unfinished copy
)

// Kind is what a column holds, in the form in which values move. A missing value is nil.
type Kind int

// The kinds.
const (
	Number Kind = iota // int64; a flag is 0 or 1
	Real               // float64
	Text               // string; a list of numbers is a JSON array
	Bytes              // []byte
)

// MovedColumn is a column that moves.
type MovedColumn struct {
	Name string
	Kind Kind
}

// MovedTable is a table that moves, with the columns that move.
type MovedTable struct {
	Name    string
	Columns []MovedColumn
}

// Catalogue are the tables of a store, as its database lists them.
type Catalogue struct {
	Tables []MovedTable
	// Left are the tables, and the columns as "table.column", that do not move, with the
	// reason. The other store fills them by itself.
	Left map[string]string
}

// Reading is what is read of a table.
type Reading struct {
	Table MovedTable
	// After is the place of the row before the first one; nil reads from the beginning.
	After []any
	// Ordered reads the rows in the order of their places. Any order is faster.
	Ordered bool
}

// MovedRow is a row in the form in which it moves. Its place, numbers and texts, is known to
// the store that it was read from, and to no other.
type MovedRow struct {
	Values, Place []any
}

// MovedBatch are rows that are stored together with the mark of how far the copy has come.
type MovedBatch struct {
	Table MovedTable
	Rows  [][]any
	// First says that no earlier batch of the table was stored.
	First bool
	Mark  string
}

// LineageEnd is the newest message of a lineage, with the running hash up to it.
type LineageEnd struct {
	Owner, Root string
	Seq         int64
	Hash        []byte
}

// UnfinishedCopy is the name of the mark of a copy that is not complete, among the values of
// the whole store. A store with the mark is opened by the copy only.
const UnfinishedCopy = "unfinished_copy"

// StoreKeys are the values of the whole store that move with its data: without them, the
// hashes in the tables mean nothing.
func StoreKeys() []string { return []string{"audit_salt", "erasure_key", ProviderHome, ProviderFormer} }

// The names of values of the whole store that say what it is called at memory providers.
const (
	ProviderHome   = "provider_home"   // is drawn once
	ProviderFormer = "provider_former" // the providers that were told something before it was drawn
)

// ProviderHomeAt is what a store is called at a provider: its home, but nothing at the former ones, which
// know it without a name.
func ProviderHomeAt(home, former, provider string) string {
	if slices.Contains(strings.Split(former, ","), provider) {
		return ""
	}
	return home
}
