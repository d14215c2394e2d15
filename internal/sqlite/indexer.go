package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// indexer fills the text index behind the commits. The index is derived: a
// failure here is logged and tried again, and fails no turn.
type indexer struct {
	db   *DB
	wake chan struct{}
	// hurry ends the pause in which messages gather: somebody is searching.
	hurry chan struct{}
	// damaged says that a search has met a damaged index.
	damaged chan struct{}
	// anew asks for a new index; the outcome goes into the channel it brings.
	anew chan chan error
	// stopped is closed when nothing will be indexed any more.
	stopped chan struct{}

	mu sync.Mutex
	// recovered says that what an earlier process left has been looked for.
	recovered bool
	pending   []int64
	// idle is closed while nothing waits to be indexed.
	idle chan struct{}
}

const (
	// indexBatch is how many messages are indexed in one transaction.
	indexBatch = 512
	// indexPause lets messages gather, so that one transaction serves many.
	indexPause = 100 * time.Millisecond
	// indexSlack is how far below the newest indexed message an unindexed one
	// may lie after a crash: ids are given out before their commit, and at most
	// a full queue is under way.
	indexSlack = 4 * maxQueue
)

func newIndexer(db *DB) *indexer {
	return &indexer{
		db: db, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), damaged: make(chan struct{}, 1), anew: make(chan chan error), stopped: make(chan struct{}),
		idle: make(chan struct{}),
	}
}

// add hands over committed messages.
func (x *indexer) add(ms []session.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expect(len(ms))
	for i := range ms {
		x.pending = append(x.pending, ms[i].ID)
	}
}

// addIDs is add for messages that are known by number alone.
func (x *indexer) addIDs(ids []int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expect(len(ids))
	x.pending = append(x.pending, ids...)
}

// expect says that n messages are about to be added. The caller holds the lock.
func (x *indexer) expect(n int) {
	if x.recovered && len(x.pending) == 0 && n > 0 {
		x.idle = make(chan struct{})
	}
	nudge(x.wake)
}

// nudge leaves word in a channel of one place.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait returns once everything committed before the call has been indexed.
func (x *indexer) wait(ctx context.Context) error {
	x.mu.Lock()
	idle := x.idle
	x.mu.Unlock()
	select {
	case <-idle:
		return nil
	default:
		nudge(x.hurry)
	}
	select {
	case <-idle:
		return nil
	case <-x.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run indexes until ctx ends. What is left then is found again at the next
// start.
func (x *indexer) run(ctx context.Context) {
	defer close(x.stopped)
	x.refill(ctx)
	x.mu.Lock()
	x.recovered = true
	if len(x.pending) == 0 {
		close(x.idle)
	}
	x.mu.Unlock()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-x.wake:
		case <-x.damaged:
			if err := x.remake(ctx); err != nil {
				x.db.log.Warn("text index could not be made anew", "err", err)
			}
		case done := <-x.anew:
			done <- x.remake(ctx)
			nudge(x.hurry)
		case <-ctx.Done():
			return
		}
		timer.Reset(indexPause)
		select {
		case <-timer.C:
		case <-x.hurry:
		case <-ctx.Done():
			return
		}
		for x.step(ctx) {
		}
	}
}

// step indexes one batch and reports whether there is more.
func (x *indexer) step(ctx context.Context) bool {
	x.mu.Lock()
	batch := x.pending[:min(len(x.pending), indexBatch)]
	x.mu.Unlock()
	if len(batch) == 0 || ctx.Err() != nil {
		return false
	}
	err := x.index(ctx, batch)
	if codeOf(err) == damagedIndex {
		x.db.log.Warn("text index is damaged; it is made anew", "err", err)
		if err = x.remake(ctx); err == nil {
			err = x.index(ctx, batch)
		}
	}
	if err != nil {
		x.db.log.Warn("text index failed; it will be tried again", "err", err)
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pending = x.pending[len(batch):]
	if len(x.pending) == 0 {
		x.pending = nil
		close(x.idle)
	}
	return len(x.pending) > 0
}

// Reindex implements search.Store.
func (db *DB) Reindex(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case db.indexer.anew <- done:
	case <-db.indexer.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := <-done; err != nil {
		return err
	}
	return db.indexer.wait(ctx)
}

// remake empties the index, so that it is filled again.
func (x *indexer) remake(ctx context.Context) error {
	err := x.db.w.submit(ctx, (*tx).emptyIndex)
	select {
	case <-x.damaged: // met before it was emptied
	default:
	}
	x.refill(ctx)
	return err
}

// refill finds again what an emptied index lacks.
func (x *indexer) refill(ctx context.Context) {
	if err := x.recover(ctx); err != nil && ctx.Err() == nil {
		x.db.log.Warn("text index could not be brought up to date", "err", err)
	}
}

// index puts messages into the text index. One that was erased meanwhile is
// passed over, and so is one that is there already.
func (x *indexer) index(ctx context.Context, ids []int64) error {
	const mark = `INSERT INTO meta (name, value) VALUES ('fts_upto', ?)
		ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))`
	return x.db.w.submit(ctx, func(t *tx) error {
		top := int64(0)
		for _, id := range ids {
			if err := t.index(id); err != nil {
				return err
			}
			top = max(top, id)
		}
		if _, err := t.exec(mark, strconv.FormatInt(top, 10)); err != nil {
			return fmt.Errorf("mark index: %w", err)
		}
		return nil
	})
}

// recover finds the messages a crash left unindexed.
func (x *indexer) recover(ctx context.Context) error {
	const missing = `SELECT m.id FROM messages m LEFT JOIN messages_fts_docsize d ON d.id = m.id
		WHERE m.id > coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'fts_upto'), 0) - ?
		AND d.id IS NULL ORDER BY m.id`
	rows, err := x.db.read.QueryContext(ctx, missing, indexSlack)
	if err != nil {
		return fmt.Errorf("look for unindexed messages: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var found []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("look for unindexed messages: %w", err)
		}
		found = append(found, id)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("look for unindexed messages: %w", err)
	}
	if len(found) > 0 {
		x.addIDs(found)
	}
	return nil
}

// emptyIndex empties the index and its mark, so that recovery finds everything
// missing.
func (t *tx) emptyIndex() error {
	for _, query := range []string{
		`INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')`,
		`DELETE FROM meta WHERE name = 'fts_upto'`,
	} {
		if _, err := t.exec(query); err != nil {
			return fmt.Errorf("empty the index: %w", err)
		}
	}
	return nil
}
