// Package storage has what every store of all data needs and no database is needed for:
// what a text that names a forgotten thing is worth in each column, the search of rows for
// such texts, and what a store tells its observer.
package storage

import "time"

// Observer is told of the transactions of a store. It must not block.
type Observer interface {
	// Committed is called after a commit.
	Committed(c Commit)
	// RolledBack is called after a rollback.
	RolledBack()
}

// Commit describes a committed transaction.
type Commit struct {
	// Operations is the number of operations in the transaction.
	Operations int
	// Took is the duration of the transaction, Synced that of its COMMIT, which includes
	// the wait for the disk.
	Took, Synced time.Duration
}

// Load counts the pending work of a store.
type Load struct {
	// Queued are operations that wait for a transaction.
	Queued int
	// Unindexed are committed messages that the text index lacks.
	Unindexed int
}

// Index is the state of the text index.
type Index struct {
	// Waiting is the number of messages that are not indexed yet.
	Waiting int
	// RemadeAt is when the index was last rebuilt, and Why is the reason; zero for
	// never.
	RemadeAt time.Time
	Why      string
}
