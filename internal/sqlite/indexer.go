package sqlite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// indexer fills the text index after commits. The index is derived data: a failure is
// logged and retried, and fails no turn.
type indexer struct {
	db   *DB
	wake chan struct{}
	// hurry ends the pause in which messages gather, because a search is waiting.
	hurry chan struct{}
	// damaged reports that a search has met a damaged index.
	damaged chan struct{}
	// rebuilds requests a rebuild; the outcome is sent to the channel in the request.
	rebuilds chan chan error
	// stopped is closed when nothing more is indexed.
	stopped chan struct{}

	mu sync.Mutex
	// recovered says that the messages left by an earlier process have been found.
	recovered bool
	// known says that every message that is stored and not indexed is in one of the
	// lists. emptied counts how often the index was emptied, after which that no longer
	// holds.
	known   bool
	emptied int
	// doing are the messages being indexed, missing those that were found missing, and
	// pending those committed since. They are indexed in this order, because the mark
	// rises with the oldest.
	doing, missing, pending []int64
	// why is the reason for a pending rebuild. healed is closed after the attempt.
	why    string
	healed chan struct{}
	// tried is the time of the last rebuild.
	tried time.Time
	// idle is closed while no message waits to be indexed.
	idle chan struct{}
	// soiled counts the removals of words since the index was clean. clean is closed
	// while soiled is 0.
	soiled int
	clean  chan struct{}
}

const (
	// indexBatch is the number of messages per transaction.
	indexBatch = 512
	// indexPause lets messages gather, so that they share a transaction and a part of the
	// index. A search does not wait for its end.
	indexPause = time.Second
	// countAfter is when the indexed messages are counted after a start. It reads a hundred
	// bytes for each message, and is not to slow the first turns down.
	countAfter = 2 * time.Minute
)

// newIndexer returns an indexer. dirty says that an earlier process has left removed
// words in the index.
func newIndexer(db *DB, dirty bool) *indexer {
	x := &indexer{
		db: db, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), damaged: make(chan struct{}, 1), rebuilds: make(chan chan error),
		stopped: make(chan struct{}),
		idle:    make(chan struct{}), clean: make(chan struct{}), healed: make(chan struct{}),
	}
	if dirty {
		x.soiled = 1
		nudge(x.wake)
	} else {
		close(x.clean)
	}
	return x
}

// add queues committed messages. The writer calls it before the next transaction
// begins.
func (x *indexer) add(ids []int64) {
	if len(ids) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expect()
	x.pending = append(x.pending, ids...)
}

// find queues messages that a scan of the index found missing. The scan began when the
// index had been emptied that many times.
func (x *indexer) find(ids []int64, emptied int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(ids) > 0 {
		x.expect()
		x.missing = append(x.missing, ids...)
	}
	if emptied == x.emptied {
		x.known = true
	}
}

// expect records that messages will be added. The caller holds the lock.
func (x *indexer) expect() {
	if x.recovered && x.waiting() == 0 {
		x.idle = make(chan struct{})
	}
	nudge(x.wake)
}

// waiting is the number of messages that are not indexed. The caller holds the lock.
func (x *indexer) waiting() int { return len(x.doing) + len(x.missing) + len(x.pending) }

// nudge sends to a channel with capacity one without blocking.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait returns once all messages committed before the call are indexed.
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

// run indexes until ctx ends. The next start finds the remaining messages.
func (x *indexer) run(ctx context.Context) {
	defer close(x.stopped)
	x.lookAtStart(ctx)
	x.mu.Lock()
	x.recovered = true
	if x.waiting() == 0 {
		close(x.idle)
	}
	x.mu.Unlock()
	timer, count := time.NewTimer(0), time.NewTimer(countAfter)
	defer timer.Stop()
	defer count.Stop()
	for {
		select {
		case <-x.wake:
		case <-count.C:
			x.mend(ctx, x.db.miscounted)
		case <-x.damaged:
			_ = x.remake(ctx, x.harm()) // the failure is logged; the next search that fails retries
		case done := <-x.rebuilds:
			done <- x.remake(ctx, "it was asked for")
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
		x.scour(ctx)
	}
}

// step indexes one batch and reports whether there is more.
func (x *indexer) step(ctx context.Context) bool {
	batch := x.next()
	if len(batch) == 0 || ctx.Err() != nil {
		return false
	}
	err := recovery.Do(func() error { return x.index(ctx, batch) })
	if harmedIndex(err) && x.mayTry() {
		if err = x.remake(ctx, whyOf(err)); err == nil {
			err = x.index(ctx, batch)
		}
	}
	if err != nil {
		x.db.log.Warn("text index failed; it will be tried again", "err", err)
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.doing = nil
	if x.waiting() > 0 {
		return true
	}
	x.missing, x.pending = nil, nil
	close(x.idle)
	return false
}

// next is the next batch: the one that failed, or the oldest messages. It is sorted by
// id, because messages do not arrive in that order, and FTS5 flushes its buffer
// whenever an id is not above the previous one.
func (x *indexer) next() []int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.doing) > 0 {
		return x.doing
	}
	from := &x.missing
	if len(*from) == 0 {
		from = &x.pending
	}
	n := min(len(*from), indexBatch)
	x.doing, *from = (*from)[:n:n], (*from)[n:]
	slices.Sort(x.doing)
	return x.doing
}

// Reindex implements search.Store.
func (db *DB) Reindex(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case db.indexer.rebuilds <- done:
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

// refill finds the messages that an emptied index lacks.
func (x *indexer) refill(ctx context.Context) {
	if err := x.recover(ctx); err != nil && ctx.Err() == nil {
		x.db.log.Warn("text index could not be brought up to date", "err", err)
	}
}

// index adds messages to the text index. It skips erased messages and messages that are
// indexed already.
func (x *indexer) index(ctx context.Context, ids []int64) error {
	return x.db.w.submit(ctx, func(t *tx) error {
		for _, id := range ids {
			if err := t.index(id); err != nil {
				return err
			}
		}
		return t.markIndexed(ids, x.oldest())
	})
}

// oldest are the lowest ids that wait to be indexed after the current batch, by range.
// It is nil as long as not all of them are known.
func (x *indexer) oldest() map[int64]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known {
		return nil
	}
	oldest := make(map[int64]int64)
	for _, ids := range [][]int64{x.missing, x.pending} {
		for _, id := range ids {
			if first, there := oldest[rangeOf(id)]; !there || id < first {
				oldest[rangeOf(id)] = id
			}
		}
	}
	return oldest
}

// forget records that the index is being emptied.
func (x *indexer) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known = false
	x.emptied++
}

// unindexed are the messages after the marks that the text index lacks.
const unindexed = `FROM id_ranges r
	CROSS JOIN messages m ON m.id > max(r.whole, (r.range_id << 33) - 1) AND m.id < (r.range_id + 1) << 33
	LEFT JOIN messages_fts_docsize d ON d.id = m.id WHERE d.id IS NULL`

// recover finds the messages that are not indexed: after a crash the last ones, after a
// rebuild all.
func (x *indexer) recover(ctx context.Context) error {
	x.mu.Lock()
	emptied := x.emptied
	x.mu.Unlock()
	rows, err := x.db.read.QueryContext(ctx, `SELECT m.id `+unindexed+` ORDER BY r.range_id, m.id`)
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
	x.find(found, emptied)
	return nil
}
