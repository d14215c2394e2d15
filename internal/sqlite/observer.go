package sqlite

import "github.com/hermes-memory/hermes/internal/storage"

// Load counts the pending work now.
func (db *DB) Load() storage.Load {
	db.indexer.mu.Lock()
	defer db.indexer.mu.Unlock()
	return storage.Load{Queued: len(db.w.queue), Unindexed: db.indexer.waiting()}
}
