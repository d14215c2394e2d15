package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/storage"
)

// Index returns the state of the text index.
func (db *DB) Index(ctx context.Context) (storage.Index, error) {
	var note string
	err := db.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'fts_remade'`).Scan(&note)
	if err != nil && !isNoRows(err) {
		return storage.Index{}, fmt.Errorf("read how the text index is: %w", err)
	}
	out := storage.Index{Waiting: db.Load().Unindexed}
	at, why, _ := strings.Cut(note, " ")
	if ms, err := strconv.ParseInt(at, 10, 64); err == nil {
		out.RemadeAt, out.Why = time.UnixMilli(ms).UTC(), why
	}
	return out, nil
}

// remade is the stored note of when and why the index was rebuilt.
func remade(at time.Time, why string) string {
	return strconv.FormatInt(at.UnixMilli(), 10) + " " + why
}

// whyOf is the reason for a rebuild, from an error of the index.
func whyOf(err error) string { return "it was damaged: " + reasonOf(err) }

// lacking is the number of messages that should be indexed and are not. It is negative
// if the index has messages that do not exist. One statement reads both numbers, so
// concurrent writes do not count.
const lacking = `SELECT (SELECT count(*) FROM messages) - (SELECT count(*) FROM messages_fts_docsize) -
	(SELECT count(*) ` + unindexed + `)`

// harm is the damage of the text index that its tables and counts show; "" for none. It
// counts all messages.
func (db *DB) harm(ctx context.Context) (string, error) {
	why, err := lostParts(ctx, db.read)
	if err != nil || why != "" {
		return why, err
	}
	if why, err = db.miscounted(ctx); err != nil || why != "" {
		return why, err
	}
	return db.blind(ctx)
}

// miscounted is the damage that the number of indexed messages shows; "" for none.
func (db *DB) miscounted(ctx context.Context) (string, error) {
	var n sql.NullInt64
	err := db.read.QueryRowContext(ctx, lacking).Scan(&n)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return whyOf(err), nil
	case n.Int64 > 0:
		return fmt.Sprintf("it lacked %d messages", n.Int64), nil
	case n.Int64 < 0:
		return fmt.Sprintf("it held %d messages that are not there", -n.Int64), nil
	}
	return "", nil
}

// harmAtStart is the damage that a few places of the index show; "" for none. A start does not
// wait until all messages are counted: that comes later.
func (db *DB) harmAtStart(ctx context.Context) (string, error) {
	why, err := lostParts(ctx, db.read)
	if err != nil || why != "" {
		return why, err
	}
	if why, err = db.unheld(ctx); err != nil || why != "" {
		return why, err
	}
	return db.blind(ctx)
}

// unheld looks for a few messages in the list of those that are indexed, and says which one is
// not there; "" if all are.
func (db *DB) unheld(ctx context.Context) (string, error) {
	const missing = `WITH ranges(first, whole) AS (SELECT range_id << 33, whole FROM id_ranges ORDER BY random() LIMIT 4),
		sample(id, whole) AS (SELECT (SELECT min(id) FROM messages WHERE id >= first + (whole - first) * v.value / 1000), whole
			FROM ranges, json_each(?) v WHERE whole >= first)
		SELECT s.id FROM sample s LEFT JOIN messages_fts_docsize d ON d.id = s.id WHERE s.id <= s.whole AND d.id IS NULL LIMIT 1`
	var places [12]string
	for i := range places {
		places[i] = strconv.Itoa(rand.IntN(1000))
	}
	return db.odd(ctx, "it lacked message %d", missing, "["+strings.Join(places[:], ",")+"]")
}

// odd looks for a message by a query, and says that the index is damaged if it finds one.
func (db *DB) odd(ctx context.Context, says, query string, args ...any) (string, error) {
	var id int64
	err := db.read.QueryRowContext(ctx, query, args...).Scan(&id)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case isNoRows(err):
		return "", nil
	case err != nil:
		return whyOf(err), nil
	}
	return fmt.Sprintf(says, id), nil
}

// blind looks a few indexed messages up by a word of theirs, and says which one the
// index does not find; "" if it finds them. Some damage makes the index find nothing,
// without an error.
func (db *DB) blind(ctx context.Context) (string, error) {
	// Every indexed message has a word for its lineage. The ends are two queries: one for both
	// would read the whole list.
	const unfound = `WITH ends(first, last) AS (SELECT (SELECT min(id) FROM messages_fts_docsize), (SELECT max(id) FROM messages_fts_docsize)),
		sample(id) AS (SELECT first FROM ends UNION SELECT last FROM ends UNION
			SELECT (SELECT min(id) FROM messages_fts_docsize WHERE id >= first + (last - first) / 100 * v.value) FROM ends, json_each(?) v)
		SELECT m.id FROM sample s JOIN messages m ON m.id = s.id
		WHERE NOT EXISTS (SELECT 1 FROM messages_fts f WHERE f.messages_fts MATCH '{scope} : l' || hex(m.root_id) || '0' AND f.rowid = m.id) LIMIT 1`
	places := fmt.Sprintf("[%d,%d,%d,%d]", rand.IntN(100), rand.IntN(100), rand.IntN(100), rand.IntN(100))
	return db.odd(ctx, "it did not find message %d", unfound, places)
}

// contradicts is the damage by which the text index contradicts itself or the messages;
// "" for none. It reads all of both, and blocks writes.
func (db *DB) contradicts(ctx context.Context) (string, error) {
	err := db.w.submit(ctx, func(t *tx) error {
		_, err := t.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 0)`)
		return ofIndex(err)
	})
	if harmedIndex(err) {
		return whyOf(err), nil
	}
	return "", err
}

// harmed reports whether a search failed because the index is damaged.
func (db *DB) harmed(ctx context.Context, err error) bool {
	if _, blind := errors.AsType[errBlind](err); blind {
		return true
	}
	switch codeOf(err) & 0xff {
	case sqliteCorrupt:
		return true
	case sqliteError: // a missing table, or an invalid query
		why, err := lostParts(ctx, db.read)
		return err == nil && why != ""
	}
	return false
}

// remakePause is the minimum time between two rebuilds after failures: a failure that a
// rebuild does not fix must not cause one each time.
const remakePause = 5 * time.Second

// mayTry reports whether a failure may cause a rebuild now.
func (x *indexer) mayTry() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return time.Since(x.tried) >= remakePause
}

// times is how often the index was emptied.
func (x *indexer) times() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emptied
}

// heal rebuilds the index, unless it was emptied since emptied was read, and waits a
// moment until it is filled.
func (db *DB) heal(ctx context.Context, why string, emptied int) error {
	x := db.indexer
	waiting, cancel := context.WithTimeout(ctx, db.opt.IndexPatience)
	defer cancel()
	if x.times() != emptied {
		return x.wait(waiting)
	}
	if !x.mayTry() {
		return errors.New("the text index was made again a moment ago")
	}
	if err := x.ask(waiting, why); err != nil {
		return err
	}
	return x.wait(waiting)
}

// ask requests a rebuild, and waits until the index is empty.
func (x *indexer) ask(ctx context.Context, why string) error {
	x.mu.Lock()
	x.why = why
	healed := x.healed
	x.mu.Unlock()
	nudge(x.damaged)
	nudge(x.hurry)
	select {
	case <-healed:
		return nil
	case <-x.stopped:
		return errDraining()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// harm is the last reason for a rebuild.
func (x *indexer) harm() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why
}

// lookAtStart finds the messages that an earlier process has not indexed, and checks
// the index.
func (x *indexer) lookAtStart(ctx context.Context) {
	if x.mend(ctx, x.db.harmAtStart) {
		return
	}
	x.refill(ctx)
}

// mend makes the index again if look finds damage, and reports whether it did. It does nothing
// while the server is stopping.
func (x *indexer) mend(ctx context.Context, look func(context.Context) (string, error)) bool {
	why, err := look(ctx)
	switch {
	case ctx.Err() != nil:
		return true
	case err != nil:
		x.db.log.Warn("could not look at the text index", "err", err)
	case why != "":
		_ = x.remake(ctx, why) // the failure is logged
		return true
	}
	return false
}

// remake replaces the index by an empty one, which is then filled.
func (x *indexer) remake(ctx context.Context, why string) error {
	x.db.log.Warn("the text index is made again", "why", why)
	err := x.db.w.submit(ctx, func(t *tx) error { return t.remakeIndex(why) })
	if err != nil {
		x.db.log.Warn("the text index could not be made again", "err", err)
	}
	select {
	case <-x.damaged: // reported before the index was emptied
	default:
	}
	x.refill(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tried = time.Now()
	close(x.healed)
	x.healed = make(chan struct{})
	return err
}
