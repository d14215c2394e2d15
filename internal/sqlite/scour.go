package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// FTS5 only marks removed content as deleted: the words remain until the segments that
// have them are merged. The merge runs after the commits, in small steps between which
// turns can write.

const (
	// scourStep is how many pages of the index one step writes. With 50,000 messages a
	// step blocks the writer for about 30 ms.
	scourStep = 32
	// scourPatience is how long a deletion waits for its words to leave the index.
	scourPatience = time.Second

	markDead = `INSERT OR IGNORE INTO meta (name, value) VALUES ('fts_dead', '1')`
	anyDead  = `SELECT count(*) FROM meta WHERE name = 'fts_dead'`
	noneDead = `DELETE FROM meta WHERE name = 'fts_dead'`
)

// soil records that the index has removed words. The writer calls it before the next
// transaction begins.
func (x *indexer) soil() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == 0 {
		x.clean = make(chan struct{})
	}
	x.soiled++
	nudge(x.wake)
}

// dirty counts the removals since the index was clean.
func (x *indexer) dirty() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.soiled
}

// scoured returns once the index has no words that were removed before the call.
func (x *indexer) scoured(ctx context.Context) error {
	x.mu.Lock()
	clean := x.clean
	x.mu.Unlock()
	select {
	case <-clean:
		return nil
	default:
		nudge(x.hurry)
	}
	select {
	case <-clean:
		return nil
	case <-x.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scour merges the index until it has no removed words. Indexing goes first, because
// searches wait for it.
func (x *indexer) scour(ctx context.Context) {
	for ctx.Err() == nil {
		seen := x.dirty()
		if seen == 0 {
			return
		}
		if err := x.mergeAll(ctx, seen); err != nil {
			x.db.log.Warn("erased words are still in the text index; the merge will be retried", "err", err)
			return
		}
	}
}

// mergeAll merges the whole index into one segment, in steps. The merge covers the
// content at its beginning: seen is the number of removals by then.
func (x *indexer) mergeAll(ctx context.Context, seen int) error {
	pages := -scourStep // below 0: begin a merge of all segments into one
	for more := true; more && ctx.Err() == nil; {
		var err error
		more, err = x.merge(ctx, pages, seen)
		if harmedIndex(err) && x.mayTry() {
			return x.remake(ctx, whyOf(err))
		}
		if err != nil {
			return err
		}
		pages = scourStep
		for x.step(ctx) {
		}
	}
	return nil
}

// merge runs one step, and reports whether more remain. After the last one, the index
// counts as clean, unless words were removed since the merge began.
func (x *indexer) merge(ctx context.Context, pages, seen int) (more bool, err error) {
	err = x.db.w.submit(ctx, func(t *tx) error {
		t.merges = true
		var before, after int64
		if err := t.row(`SELECT total_changes()`).Scan(&before); err != nil {
			return fmt.Errorf("count changes: %w", err)
		}
		if _, err := t.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('merge', ?)`, pages); err != nil {
			return fmt.Errorf("merge the index: %w", ofIndex(err))
		}
		if err := t.row(`SELECT total_changes()`).Scan(&after); err != nil {
			return fmt.Errorf("count changes: %w", err)
		}
		// FTS5 counts the statement itself as one change.
		more = after-before >= 2
		if more || t.soils || x.dirty() != seen {
			return nil
		}
		t.erases = true // the WAL still has the merged pages
		_, err := t.exec(noneDead)
		return err
	})
	if err == nil && !more {
		x.cleaned(seen)
	}
	return more, err
}

// cleaned records that the index has no words of the first seen removals.
func (x *indexer) cleaned(seen int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == seen {
		x.soiled = 0
		close(x.clean)
	}
}

// awaitScour waits for a deletion's words to leave the indexes, if the text index was clean
// before; a large index is cleaned later. A timeout is no failure.
func (db *DB) awaitScour(ctx context.Context, before int) {
	if before > 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, scourPatience)
	defer stop()
	_ = errors.Join(db.indexer.scoured(ctx), db.pieces.erased(ctx))
}
