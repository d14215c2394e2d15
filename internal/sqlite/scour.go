package sqlite

import (
	"context"
	"fmt"
	"time"
)

// What is taken out of the text index is only marked as gone in it: its words lie
// there until the parts of the index that hold them are merged. Merging is done
// behind the commits, in small steps that turns pass between.

const (
	// scourStep is how many pages of the index a step writes: with 50,000 messages
	// the writer is held for some 30 ms.
	scourStep = 32
	// scourPatience is how long a deletion waits for its words to leave the index.
	scourPatience = time.Second

	markDead = `INSERT OR IGNORE INTO meta (name, value) VALUES ('fts_dead', '1')`
	anyDead  = `SELECT count(*) FROM meta WHERE name = 'fts_dead'`
	noneDead = `DELETE FROM meta WHERE name = 'fts_dead'`
)

// soil says that the index holds words that were taken out. The writer calls it
// before it begins another transaction.
func (x *indexer) soil() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == 0 {
		x.clean = make(chan struct{})
	}
	x.soiled++
	nudge(x.wake)
}

// dirty is how often words were taken out since the index was clean.
func (x *indexer) dirty() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.soiled
}

// scoured returns once nothing is left in the index of what had been taken out
// before the call.
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

// scour merges the index until nothing is left of what was taken out of it. What
// waits to be indexed goes first: a search may look for it.
func (x *indexer) scour(ctx context.Context) {
	for ctx.Err() == nil {
		seen := x.dirty()
		if seen == 0 {
			return
		}
		if err := x.mergeAll(ctx, seen); err != nil {
			x.db.log.Warn("what was erased could not be merged out of the text index; it will be tried again", "err", err)
			return
		}
	}
}

// mergeAll merges the whole index into one part, in steps. The merging takes in what
// lies in the index when it begins: seen is how often words were taken out by then.
func (x *indexer) mergeAll(ctx context.Context, seen int) error {
	pages := -scourStep // below 0: begin to merge all of it into one
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

// merge does one step, and reports whether there is more to merge. At the end it
// lets the index count as clean, unless more was taken out since the merging began.
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
		// FTS5 counts the statement itself as one.
		more = after-before >= 2
		if more || t.soils || x.dirty() != seen {
			return nil
		}
		t.erases = true // the pages it was merged from lie in the log
		_, err := t.exec(noneDead)
		return err
	})
	if err == nil && !more {
		x.cleaned(seen)
	}
	return more, err
}

// cleaned says that the index is clean of what had been taken out of it up to
// seen.
func (x *indexer) cleaned(seen int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.soiled == seen {
		x.soiled = 0
		close(x.clean)
	}
}

// awaitScour waits for a deletion's words to leave the index, if the index was
// clean before; a large index is done later. It is no failure if they take longer.
func (db *DB) awaitScour(ctx context.Context, before int) {
	if before > 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, scourPatience)
	defer stop()
	_ = db.indexer.scoured(ctx)
}
