package sqlite

import "time"

// Observer is told of the writer's transactions, one after the other. It must not
// block.
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
	// Took is the duration of the transaction, Synced that of its COMMIT, which
	// includes the fsync.
	Took, Synced time.Duration
}

// Load counts the pending work of a database.
type Load struct {
	// Queued are operations in the writer's queue.
	Queued int
	// Unindexed are committed messages that the text index lacks.
	Unindexed int
}

// Load counts the pending work now.
func (db *DB) Load() Load {
	db.indexer.mu.Lock()
	defer db.indexer.mu.Unlock()
	return Load{Queued: len(db.w.queue), Unindexed: db.indexer.waiting()}
}
