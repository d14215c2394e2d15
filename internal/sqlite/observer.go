package sqlite

import "time"

// Observer is told what the writer does, of one transaction after the other: it
// must not block.
type Observer interface {
	// Committed hears of a transaction that was carried out.
	Committed(c Commit)
	// RolledBack hears of one that was not.
	RolledBack()
}

// Commit is a transaction that is on the disk.
type Commit struct {
	// Operations are the writes that shared it.
	Operations int
	// Took is the whole of it, Synced the part of the COMMIT: the fsync.
	Took, Synced time.Duration
}

// Load is what waits in an open database.
type Load struct {
	// Queued are operations that wait for the writer.
	Queued int
	// Unindexed are committed messages that the text index lacks.
	Unindexed int
}

// Load counts what waits now.
func (db *DB) Load() Load {
	db.indexer.mu.Lock()
	defer db.indexer.mu.Unlock()
	return Load{Queued: len(db.w.queue), Unindexed: db.indexer.waiting()}
}
